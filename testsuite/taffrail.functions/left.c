/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that a signal's handler leaves by siglongjmp() at any instruction, in
 * the middle of hits, too; left_again() calls itself. Prints the number of
 * calls of left_call() that returned. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile long call, returned;

static void handler_leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

__attribute__((noinline, noclone)) long left_call(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

__attribute__((noinline, noclone)) long left_again(long depth)
{
	volatile long below = depth ? left_again(depth - 1) : 0;

	return below + 1;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	struct itimerval timer = { { 0, 0 }, { 0, 0 } };

	for (volatile int i = 0; i < 3; i++)
		left_again(9);
	signal(SIGALRM, handler_leave);
	for (volatile long i = 0; i < rounds; i++) {
		if (sigsetjmp(back, 1))
			continue;
		timer.it_value.tv_usec = 100 + rand() % 50;
		setitimer(ITIMER_REAL, &timer, NULL);
		while (1) {
			left_call(call++);
			returned++;
		}
	}
	printf("%ld\n", returned);
	return 0;
}
