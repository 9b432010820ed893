/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits in signal handlers, however these were installed; and the program sees
 * its own handlers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>
#include <taffrail/probe.h>
#include <urcu-bp.h>

#include "../shared/results.h"

static int plain, safe;
static volatile int handled;

static void hit(void)
{
	TAFFRAIL_EVENT(app, hit, handled);
}

static void count(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
}

static void handler(int number)
{
	handled += number;
	hit();
}

static siginfo_t *info;

static void action(int number, siginfo_t *with, void *context)
{
	info = context && with->si_signo == number ? with : NULL;
	handler(number);
}

/* Forgets what was counted, has the handler called, and tells whether only the
 * callback that may be was called. */
static void raised(const char *name, int number)
{
	uint64_t missed[2] = { 0, 0 };

	plain = safe = handled = 0;
	taffrail_probe_missed("app/hit", count, &plain, NULL, &missed[0]);
	raise(number);
	taffrail_probe_missed("app/hit", count, &plain, NULL, &missed[1]);
	check(name, handled == number && !plain && safe == 1 &&
	      missed[1] == missed[0] + 1);
	hit();
	if (plain != 1 || safe != 2)
		check("both are called after the handler", 0);
}

static int nested_calls;

/* Hits a marker itself, which is counted. */
static void nests(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
	hit();
}

/* What the kernel has is given back to libc. */
static void given_back(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} is;
	struct sigaction same = { .sa_flags = 0 };

	signal(SIGUSR2, handler);
	syscall(SYS_rt_sigaction, SIGUSR2, NULL, &is, 8);
	same.sa_handler = (void (*)(int))is.handler;
	sigaction(SIGUSR2, &same, NULL);
	raised("given back", SIGUSR2);
	signal(SIGUSR2, SIG_DFL);
}

static void installed(void)
{
	struct sigaction new = { .sa_handler = handler };
	struct sigaction old;

	sigaction(SIGUSR1, &new, NULL);
	raised("sigaction", SIGUSR1);
	new.sa_sigaction = action;
	new.sa_flags = SA_SIGINFO;
	check_equal("sigaction again", sigaction(SIGUSR1, &new, &old), 0);
	check("the old handler is the program's", old.sa_handler == handler &&
	      !(old.sa_flags & SA_SIGINFO));
	raised("SA_SIGINFO", SIGUSR1);
	check("its information", !!info);
	sigaction(SIGUSR1, NULL, &old);
	check("asked for", old.sa_sigaction == action &&
	      old.sa_flags & SA_SIGINFO);
	old.sa_handler = SIG_IGN;
	sigaction(SIGUSR1, &old, NULL);
	sigaction(SIGUSR1, NULL, &old);
	check("ignored", old.sa_handler == SIG_IGN);
	handled = 0;
	raise(SIGUSR1);
	check_equal("and so it is", handled, 0);
	new.sa_flags = (int)SA_RESETHAND;
	new.sa_handler = handler;
	sigaction(SIGUSR1, &new, NULL);
	raised("SA_RESETHAND", SIGUSR1);
	sigaction(SIGUSR1, NULL, &old);
	check("reset", old.sa_handler == SIG_DFL);
	check_equal("a signal that is none", sigaction(1000, &new, NULL), -1);
	check_equal("its error", errno, EINVAL);
	check_equal("SIGKILL", sigaction(SIGKILL, &new, NULL), -1);
	check("signal", signal(SIGUSR2, handler) == SIG_DFL);
	raised("signal", SIGUSR2);
	check("signal returns the program's", signal(SIGUSR2, SIG_IGN) ==
	      handler);
	check("signal returns what it was", signal(SIGUSR2, SIG_DFL) ==
	      SIG_IGN);
	check("sigset", sigset(SIGUSR2, handler) == SIG_DFL);
	raised("sigset", SIGUSR2);
	check("sysv_signal", sysv_signal(SIGUSR2, handler) == handler);
	raised("sysv_signal", SIGUSR2);
	check("sysv_signal has reset it", sysv_signal(SIGUSR2, SIG_DFL) ==
	      SIG_DFL);
}

static sigjmp_buf out;

static void jumper(int number)
{
	handled += number;
	hit();
	siglongjmp(out, 1);
}

static void jumps(void)
{
	volatile int i;

	signal(SIGUSR1, jumper);
	plain = safe = handled = 0;
	for (i = 0; i < 1000; i++)
		if (!sigsetjmp(out, 1))
			raise(SIGUSR1);
	check_equal("handlers that jump", handled, 1000 * SIGUSR1);
	check_equal("are handlers", plain, 0);
	hit();
	check_equal("and left", plain, 1);
}

/* A timer's handler interrupts hits anywhere, and may leave them by a jump. */
static void interrupted(int jump)
{
	struct itimerspec often = { { 0, 30000 }, { 0, 30000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGALRM };
	volatile int wanted = 0;
	timer_t timer;

	event._sigev_un._tid = (int)syscall(SYS_gettid);
	signal(SIGALRM, jump ? jumper : handler);
	plain = safe = handled = 0;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (handled < 20000 * SIGALRM) {
		if (!sigsetjmp(out, 1)) {
			hit();
			wanted++;
		}
	}
	timer_delete(timer);
	check(jump ? "jumps from anywhere in a hit" :
		     "handlers anywhere in a hit",
	      plain >= wanted && safe >= plain);
	signal(SIGALRM, SIG_DFL);
	plain = 0;
	hit();
	check_equal("hits go on", plain, 1);
	check_equal("detach", taffrail_probe_detach("app/hit", count, &plain),
		    0);
	check_equal("attach", taffrail_probe_attach("app/hit", count, &plain),
		    1);
}

/* Handlers of a signal whose handler in the kernel is the agent's. */
static void service(int number)
{
	struct sigaction new = { .sa_sigaction = action,
				 .sa_flags = SA_SIGINFO };
	struct sigaction old;

	sigaction(number, &new, NULL);
	raised("sigaction", number);
	sigaction(number, NULL, &old);
	check("its handler", old.sa_sigaction == action);
	signal(number, handler);
	raised("signal", number);
	new.sa_flags |= (int)SA_RESETHAND;
	sigaction(number, &new, NULL);
	raised("SA_RESETHAND", number);
	sigaction(number, NULL, &old);
	check("reset", old.sa_handler == SIG_DFL);
}

int main(int argc, char **argv)
{
	taffrail_probe_attach("app/hit", count, &plain);
	taffrail_probe_attach_with("app/hit", count, &safe, 0,
				   TAFFRAIL_PROBE_SIGNAL);
	if (argc > 1) {
		service(atoi(argv[1]));
		return 0;
	}
	installed();
	jumps();
	given_back();
	interrupted(0);
	interrupted(1);
	taffrail_probe_attach("app/hit", nests, &nested_calls);
	interrupted(1);
	check("hits in callbacks", nested_calls > 0);
	check_equal("no section of liburcu stays open",
		    urcu_bp_read_ongoing(), 0);
	return 0;
}
