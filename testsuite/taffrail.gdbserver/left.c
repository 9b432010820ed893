/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A signal handler leaves hits of a marker that collects much: by siglongjmp(),
 * or with argv[1] "end" by the end of the thread. Then come pause_here() and
 * ten hits that nothing disturbs.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <taffrail/marker.h>
#include <unistd.h>

enum { LEFT = 60, AFTER_US = 300 };

static char bulk[1 << 20];
static sigjmp_buf way_out;
static volatile int by_end;

static __attribute__((noinline)) void hit(int n)
{
	TAFFRAIL_EVENT(app, hit, n);
	__asm__ volatile("" : : "r"(bulk) : "memory");
}

static __attribute__((noinline)) void pause_here(void)
{
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void done(void)
{
	__asm__ volatile("" ::: "memory");
}

static void leave(int signal)
{
	(void)signal;
	if (by_end)
		syscall(SYS_exit, 0);
	siglongjmp(way_out, 1);
}

static void *disturb(void *unused)
{
	struct itimerval once = { { 0, 0 }, { 0, AFTER_US } };
	volatile int left = 0;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	if (sigsetjmp(way_out, 1))
		left++;
	if (left == LEFT)
		return unused;
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;)
		hit(-1);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t mask;
	int i;

	memset(bulk, 'x', sizeof(bulk));
	signal(SIGALRM, leave);
	by_end = argc > 1 && !strcmp(argv[1], "end");
	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	for (i = 0; i < (by_end ? LEFT : 1); i++) {
		if (pthread_create(&thread, NULL, disturb, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
		hit(-2);
	}
	pause_here();
	for (i = 0; i < 10; i++)
		hit(i);
	done();
	return 3;
}
