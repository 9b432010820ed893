/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function with a text of 1,500 characters, called on stacks of 4 KiB behind
 * a page without access, by the first thread and another one; and on both
 * threads' own stacks.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define KEEP __attribute__((noinline, noclone))
#define COROUTINES	2
#define ROUNDS		10
#define PAGE		4096

static char text[1501];
static __thread ucontext_t here, there[COROUTINES];
static __thread long sum;

KEEP static long texts(const char *s, long n)
{
	__asm__ volatile("" ::: "memory");
	return n * 2 + s[0];
}

static void coroutine(int k)
{
	for (long i = 0;; i++) {
		sum += texts(text, i);
		swapcontext(&there[k], &here);
	}
}

static void *run_coroutines(void *result)
{
	for (int k = 0; k < COROUTINES; k++) {
		char *stack = mmap(NULL, 2 * PAGE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(stack + PAGE, PAGE, PROT_READ | PROT_WRITE);
		getcontext(&there[k]);
		there[k].uc_stack.ss_sp = stack + PAGE;
		there[k].uc_stack.ss_size = PAGE;
		makecontext(&there[k], (void (*)(void))coroutine, 1, k);
	}
	for (int i = 0; i < ROUNDS * COROUTINES; i++)
		swapcontext(&here, &there[i % COROUTINES]);
	sum += texts(text, 1) + texts(text, 2);
	*(long *)result = sum;
	return NULL;
}

int main(void)
{
	long first, second;
	pthread_t thread;

	memset(text, 'x', sizeof(text) - 1);
	run_coroutines(&first);
	pthread_create(&thread, NULL, run_coroutines, &second);
	pthread_join(thread, NULL);
	printf("%ld %ld\n", first, second);
	return 0;
}
