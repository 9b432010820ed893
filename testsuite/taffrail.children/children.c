/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children of every kind, one after the other, in any order.
 *	children ROUNDS SEED THREADS all|libc [LIBRARY]: all kinds, or only the
 *	kinds that libc reports; THREADS threads write meanwhile, and one more
 *	thread loads and unloads the library
 *	children echo WHO COUNT: writes so many events
 * Prints "WHO LEAST MOST" for each process that wrote. If a round takes longer
 * than a minute, SIGALRM ends the program. Five seconds were too few: a daemon
 * is in a separate scheduling group, which was ready for that long without
 * running while more than ten threads competed for two CPUs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

enum { ROUND_SECONDS = 60, THREADS_MAX = 8, STACK_BYTES = 1 << 16,
       MAIN_EVENTS = 20, HANDLER_US = 100 };

extern char **environ;

static char **arguments;
static volatile int over;
static char child_name[24];		/* of this round's child */
static int count;		/* of its events */

/* The events of main, whose handler forks in the middle of them. */
static int written;
static volatile sig_atomic_t wanted;	/* the handler is to fork */
static volatile pid_t handler_child;

static void hit(const char *who, int from, int to)
{
	int n;

	for (n = from; n < to; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static int be_child(void *arg)
{
	(void)arg;
	hit(child_name, 0, count);
	_exit(0);
}

static pid_t with_fork(void)
{
	pid_t child = fork();

	if (!child)
		be_child(NULL);
	return child;
}

static pid_t with_bare_fork(void)
{
	pid_t child = _Fork();

	if (!child)
		be_child(NULL);
	return child;
}

/* The child shares our memory and stack, so it must not return from here. */
static pid_t with_vfork(void)
{
	pid_t child = vfork();

	if (!child)
		be_child(NULL);
	return child;
}

static pid_t with_clone(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

	if (!child)
		be_child(NULL);
	return child;
}

static pid_t with_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!child)
		be_child(NULL);
	return child;
}

static pid_t with_clone_vm(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	return clone(be_child, stack + STACK_BYTES,
		     CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
}

static void echo_words(char *text, size_t size, char **words)
{
	snprintf(text, size, "%d", count);
	words[0] = arguments[0];
	words[1] = (char *)"echo";
	words[2] = child_name;
	words[3] = text;
	words[4] = NULL;
}

/* Becomes a program that writes. */
static pid_t with_spawn(void)
{
	char *words[5];
	char text[16];
	pid_t child;

	echo_words(text, sizeof(text), words);
	return posix_spawn(&child, words[0], NULL, NULL, words, environ) ?
		       -1 :
		       child;
}

static pid_t with_exec(void)
{
	char *words[5];
	char text[16];
	pid_t child;

	echo_words(text, sizeof(text), words);
	child = fork();
	if (!child) {
		execve("/nonexistent", words, environ);
		execve(words[0], words, environ);
		_exit(127);
	}
	return child;
}

/* Writes nothing, and becomes a program without markers. */
static pid_t with_other(void)
{
	char *words[] = { (char *)"true", NULL };
	pid_t child;

	count = 0;
	return posix_spawnp(&child, words[0], NULL, NULL, words, environ) ?
		       -1 :
		       child;
}

static pid_t with_nothing(void)
{
	count = 0;
	return with_fork();
}

static pid_t with_grandchild(void)
{
	pid_t child = fork();
	int status = 1;

	if (child)
		return child;
	child = with_fork();
	_exit(child < 0 || waitpid(child, &status, 0) != child || status);
}

static pid_t with_nothing_open(void)
{
	pid_t child = fork();

	if (child)
		return child;
	syscall(SYS_close_range, 0, ~0u, 0);
	return be_child(NULL);
}

/* The daemon ends at any time; the pipe reports it. */
static pid_t with_daemon(void)
{
	pid_t child;
	int ends[2];
	char byte;

	if (pipe(ends))
		return -1;
	child = fork();
	if (!child) {
		close(ends[0]);
		if (daemon(1, 1))
			_exit(1);
		be_child(NULL);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1))
		child = -1;
	close(ends[0]);
	return child;
}

/* The interrupted code goes on only in the parent. */
static void on_timer(int number)
{
	(void)number;
	if (!wanted)
		return;
	wanted = 0;
	handler_child = with_bare_fork();
}

static pid_t with_handler(void)
{
	struct itimerval soon = { .it_value = { 0, 1 + rand() % HANDLER_US } };

	wanted = 1;
	setitimer(ITIMER_REAL, &soon, NULL);
	while (wanted) {
		hit("main", written, written + 1);
		written++;
	}
	alarm(ROUND_SECONDS);
	return handler_child;
}

static pid_t (*const kinds[])(void) = {
	with_fork, with_vfork, with_clone_vm, with_spawn, with_exec, with_other,
	with_nothing, with_grandchild, with_nothing_open, with_daemon,
	/* libc does not report these */
	with_bare_fork, with_clone, with_clone3, with_handler, with_handler,
	with_handler,
};

enum { KINDS_LIBC = 10, KINDS = sizeof(kinds) / sizeof(*kinds) };

static int kinds_used;

static int run_round(int round)
{
	struct sigaction ends = { .sa_handler = SIG_DFL };
	struct sigaction forks = { .sa_handler = on_timer,
				   .sa_flags = SA_RESTART };
	pid_t (*kind)(void) = kinds[rand() % kinds_used];
	int status;
	pid_t child;

	snprintf(child_name, sizeof(child_name), "child%d", round);
	count = rand() % 40;
	sigaction(SIGALRM, kind == with_handler ? &forks : &ends, NULL);
	if (kind != with_handler)
		alarm(ROUND_SECONDS);
	child = kind();
	sigaction(SIGALRM, &ends, NULL);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	hit("main", written, written + MAIN_EVENTS);
	written += MAIN_EVENTS;
	if (count)
		printf("%s %d %d\n", child_name, count, count);
	return 0;
}

struct writer {
	pthread_t thread;
	char name[24];
	int written;
};

static void *write_on(void *arg)
{
	struct writer *own = arg;

	for (; !over; own->written++) {
		hit(own->name, own->written, own->written + 1);
		usleep(200);
	}
	return NULL;
}

static void *load_on(void *arg)
{
	while (!over) {
		void *library = dlopen(arg, RTLD_NOW | RTLD_LOCAL);

		if (!library || dlclose(library))
			abort();
		usleep(500);
	}
	return NULL;
}

/* Signals are for main. */
static int threads_start(struct writer *writers, int n, pthread_t *loader)
{
	sigset_t all, before;
	int ret = 0;
	int i;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (i = 0; i < n && !ret; i++) {
		snprintf(writers[i].name, sizeof(writers[i].name), "thread%d",
			 i);
		ret = pthread_create(&writers[i].thread, NULL, write_on,
				     &writers[i]);
	}
	if (arguments[5] && !ret)
		ret = pthread_create(loader, NULL, load_on, arguments[5]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int main(int argc, char **argv)
{
	static struct writer writers[THREADS_MAX];
	pthread_t loader;
	int threads;
	int i;

	arguments = argv;
	if (argc == 4 && !strcmp(argv[1], "echo")) {
		hit(argv[2], 0, atoi(argv[3]));
		return 0;
	}
	threads = argc >= 5 ? atoi(argv[3]) : THREADS_MAX + 1;
	if (threads > THREADS_MAX || threads_start(writers, threads, &loader))
		return 2;
	kinds_used = strcmp(argv[4], "all") ? KINDS_LIBC : KINDS;
	srand((unsigned int)atoi(argv[2]));
	setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; i < atoi(argv[1]); i++)
		if (run_round(i))
			return 1;
	over = 1;
	for (i = 0; i < threads; i++) {
		pthread_join(writers[i].thread, NULL);
		printf("%s %d %d\n", writers[i].name, writers[i].written,
		       writers[i].written);
	}
	if (argv[5])
		pthread_join(loader, NULL);
	printf("main %d %d\n", written, written);
	return 0;
}
