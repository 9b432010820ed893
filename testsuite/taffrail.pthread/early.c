/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library to preload beside the provider: an allocator that locks, a
 * dlsym() that allocates, and a constructor that waits, creates and joins,
 * whether it runs before the provider's or not. Prints "early" and what the
 * calls returned: 110 (ETIMEDOUT), 0, 7.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static _Alignas(16) unsigned char pool[16 << 20];
static size_t used;

/* Blocks of a size word, padding, data; never given back. */
void *malloc(size_t bytes)
{
	unsigned char *block = NULL;

	pthread_mutex_lock(&pool_mutex);
	if (bytes < sizeof(pool) - used - 32) {
		block = pool + used;
		*(size_t *)(void *)block = bytes;
		used += 16 + ((bytes + 15) & ~(size_t)15);
	}
	pthread_mutex_unlock(&pool_mutex);
	return block ? block + 16 : NULL;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t n, size_t bytes)
{
	return malloc(n * bytes);	/* the pool is zero, used once */
}

void *realloc(void *old, size_t bytes)
{
	void *new = malloc(bytes);
	size_t old_bytes;

	if (old && new) {
		old_bytes = *(size_t *)(void *)((unsigned char *)old - 16);
		memcpy(new, old, old_bytes < bytes ? old_bytes : bytes);
	}
	return new;
}

/*
 * A look-up that allocates, as glibc's does when it fails. RTLD_NEXT means next
 * after the caller, so the call must be a jump: this file is compiled with -O2,
 * and with -fno-builtin to keep the unused block.
 */
void *dlsym(void *restrict handle, const char *restrict name)
{
	__typeof__(dlsym) *real = (__typeof__(real))
		dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");

	free(malloc(8));
	return real(handle, name);
}

static void *thread(void *arg)
{
	return arg;
}

__attribute__((constructor)) static void early(void)
{
	static const struct timespec past = { 1, 0 };
	pthread_t created;
	void *value = NULL;
	char line[64];
	int waited, joined, n;

	pthread_mutex_lock(&mutex);
	waited = pthread_cond_timedwait(&cond, &mutex, &past);
	pthread_mutex_unlock(&mutex);
	joined = pthread_create(&created, NULL, thread, (void *)7);
	if (!joined)
		joined = pthread_join(created, &value);
	n = snprintf(line, sizeof(line), "early %d %d %ld\n", waited, joined,
		     (long)(intptr_t)value);
	if (write(STDOUT_FILENO, line, n) != n)
		_exit(1);
}
