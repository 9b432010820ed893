/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two coroutines on stacks side by side, which take turns in the middle of
 * works(); and a signal handler on a stack above that of a thread. Prints a
 * sum.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#define KEEP __attribute__((noipa))
#define TURNS	50
#define STACK	65536

static ucontext_t first, there[2];
static volatile sig_atomic_t sum;
static char *area;

KEEP static long leaf(long n)
{
	return n * 3 + 1;
}

KEEP static void works(int k)
{
	sum += leaf(k);
	swapcontext(&there[k], &first);
	sum += leaf(k + 1);
}

KEEP static void body(int k)
{
	for (int i = 0; i < TURNS; i++)
		works(k);
	swapcontext(&there[k], &first);
}

KEEP static void handler(int number)
{
	sum += leaf(number);
}

KEEP static void interrupted(void)
{
	sum += leaf(1);
	raise(SIGUSR1);
	sum += leaf(2);
}

static void *run_thread(void *unused)
{
	stack_t stack = { .ss_sp = area + 16 * STACK, .ss_size = STACK };

	sigaltstack(&stack, NULL);
	for (int i = 0; i < TURNS; i++)
		interrupted();
	return unused;
}

KEEP static long falls(long n)
{
	return n ? falls(n - 1) + leaf(n) : 0;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK };
	pthread_attr_t attr;
	pthread_t thread;

	area = mmap(NULL, 32 * STACK, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int k = 0; k < 2; k++) {
		getcontext(&there[k]);
		there[k].uc_stack.ss_sp = area + k * STACK;
		there[k].uc_stack.ss_size = STACK;
		makecontext(&there[k], (void (*)(void))body, 1, k);
	}
	for (int i = 0; i <= 2 * TURNS + 1; i++)
		swapcontext(&first, &there[i & 1]);
	sigaction(SIGUSR1, &action, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, area, 16 * STACK);
	pthread_create(&thread, &attr, run_thread, NULL);
	pthread_join(thread, NULL);
	sum += falls(20);
	printf("%d\n", sum);
	return 0;
}
