/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code of many kinds, for sites at each line of it (usdt-spots.c).
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint64_t spots_load(uint64_t rounds);

static uint64_t mixed(uint64_t value)
{
	value ^= value >> 31;
	value *= 0x9e3779b97f4a7c15ull;
	return value ^ value >> 29;
}

static __attribute__((noinline)) uint64_t chosen(uint64_t kind, uint64_t value)
{
	switch (kind % 9) {
	case 0:
		return value + 3;
	case 1:
		return value * 5;
	case 2:
		value ^= 0x55;
		break;
	case 3:
		value -= kind;
		/* fall through */
	case 4:
		value <<= 1;
		break;
	case 5:
		return mixed(value);
	case 6:
		while (value & 7)
			value++;
		break;
	case 7:
		value = value / 7 + value % 7;
		break;
	default:
		return ~value;
	}
	return value + kind;
}

static __attribute__((noinline)) uint64_t deep(uint64_t n)
{
	if (n < 2)
		return n;
	if (n & 1)
		return deep(n - 1) + 1;
	return deep(n / 2) + deep(n / 2 - 1);
}

static int numbers_order(const void *a, const void *b)
{
	const uint32_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static __attribute__((noinline)) uint64_t sorted(uint64_t seed)
{
	uint32_t numbers[24];
	uint64_t sum = 0;

	for (int i = 0; i < 24; i++) {
		seed = mixed(seed + (uint64_t)i);
		numbers[i] = (uint32_t)seed;
	}
	qsort(numbers, 24, sizeof(*numbers), numbers_order);
	for (int i = 0; i < 24; i++)
		sum = sum * 31 + numbers[i];
	return sum;
}

static __attribute__((noinline)) uint64_t texts(uint64_t seed)
{
	char text[40], copy[40];
	size_t n = seed % 30 + 5;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + (seed >> i % 40) % 26);
	text[n] = '\0';
	strcpy(copy, text);
	for (char *p = copy; *p; p++)
		if (*p > 'm')
			*p = (char)(*p - 32);
	return strlen(copy) + (unsigned char)copy[n / 2] +
	       (strchr(copy, 'C') ? 1 : 0);
}

static __attribute__((noinline)) void jumps(jmp_buf *back, uint64_t value)
{
	if (value % 3 == 1)
		longjmp(*back, (int)(value % 100) + 1);
	if (value % 5 == 2)
		longjmp(*back, 500);
}

static __attribute__((noinline)) uint64_t left(uint64_t value)
{
	jmp_buf back;
	int came = setjmp(back);

	if (came)
		return (uint64_t)came + value;
	jumps(&back, value);
	return value;
}

static __attribute__((noinline)) double floats(uint64_t value)
{
	double sum = 0;

	for (uint64_t i = 1; i < value % 20 + 2; i++)
		sum += (double)(value ^ i) / (double)i;
	return sum > 1e15 ? sum / 3 : sum;
}

/* Goes from label to label by their addresses. */
static __attribute__((noinline)) uint64_t steps(uint64_t program,
						uint64_t value)
{
	static const void *const labels[] = { &&add, &&twice, &&less, &&end };

	goto *labels[program & 3];
add:
	value += 11;
	program >>= 2;
	goto *labels[program & 3];
twice:
	value *= 2;
	program >>= 2;
	goto *labels[program & 3];
less:
	value -= 5;
	program >>= 2;
	goto *labels[program & 3];
end:
	return value;
}

static uint64_t (*const several[])(uint64_t) = { deep, texts, left, sorted };

uint64_t spots_load(uint64_t rounds)
{
	uint64_t sum = 0, value = 88172645463325252ull;

	while (rounds--) {
		value = mixed(value + rounds);
		sum += chosen(value >> 7, value);
		sum = sum * 3 + several[value & 3](value % 50);
		sum ^= (uint64_t)floats(value);
		sum += steps(value | 3ull << 20, value);
	}
	return sum;
}
