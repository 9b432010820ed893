/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's memory functions that compilers call by themselves. They are hidden:
 * only the agent's code finds them. The program may have replaced libc's:
 * ThreadSanitizer's functions read data that only libc's threads have, and end
 * the process when one of the agent's threads calls them.
 *
 * Invariant: fast writers call nothing here (their sizes are constant). No
 * vector register is touched. Each loop has a barrier, or compilers recognise
 * the loop and replace it by a call of the function that it is in.
 */
#include <stddef.h>
#include <stdint.h>

#define HIDDEN	      __attribute__((visibility("hidden")))
#define NOT_A_CALL(p) __asm__("" : "+r"(p))

HIDDEN void *memcpy(void *to, const void *from, size_t n);
HIDDEN void *memmove(void *to, const void *from, size_t n);
HIDDEN void *memset(void *to, int value, size_t n);
HIDDEN int memcmp(const void *one, const void *other, size_t n);
HIDDEN int bcmp(const void *one, const void *other, size_t n);
HIDDEN size_t strlen(const char *string);

static inline uint64_t word_get(const void *p)
{
	uint64_t word;

	__builtin_memcpy(&word, p, sizeof(word));
	return word;
}

static inline void word_put(void *p, uint64_t word)
{
	__builtin_memcpy(p, &word, sizeof(word));
}

static inline void copy_forwards(char *to, const char *from, size_t n)
{
	for (; n >= 8; n -= 8, to += 8, from += 8) {
		word_put(to, word_get(from));
		NOT_A_CALL(to);
	}
	for (; n; n--) {
		*to++ = *from++;
		NOT_A_CALL(to);
	}
}

static inline void copy_backwards(char *to, const char *from, size_t n)
{
	for (; n >= 8; n -= 8) {
		word_put(to + n - 8, word_get(from + n - 8));
		NOT_A_CALL(n);
	}
	while (n) {
		n--;
		to[n] = from[n];
		NOT_A_CALL(n);
	}
}

void *memcpy(void *to, const void *from, size_t n)
{
	copy_forwards(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_forwards(to, from, n);
	else
		copy_backwards(to, from, n);
	return to;
}

void *memset(void *to, int value, size_t n)
{
	uint64_t word = 0x0101010101010101ull * (uint8_t)value;
	char *p = to;

	for (; n >= 8; n -= 8, p += 8) {
		word_put(p, word);
		NOT_A_CALL(p);
	}
	for (; n; n--) {
		*p++ = (char)value;
		NOT_A_CALL(p);
	}
	return to;
}

int memcmp(const void *one, const void *other, size_t n)
{
	const uint8_t *a = one;
	const uint8_t *b = other;

	for (; n >= 8 && word_get(a) == word_get(b); n -= 8, a += 8, b += 8)
		NOT_A_CALL(a);
	for (; n; n--, a++, b++) {
		if (*a != *b)
			return *a < *b ? -1 : 1;
		NOT_A_CALL(a);
	}
	return 0;
}

int bcmp(const void *one, const void *other, size_t n)
{
	return memcmp(one, other, n);
}

size_t strlen(const char *string)
{
	const char *p = string;

	while (*p) {
		p++;
		NOT_A_CALL(p);
	}
	return (size_t)(p - string);
}
