/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that are in markers, in their cold parts, in handlers, in functions
 * that the agent replaces, in fork(3), in the dynamic linker: while an agent
 * comes and goes. None may notice.
 *
 *	unload WORD...	one thread a word; then lines are read from stdin:
 *	  "names"	looks up functions of libc by dlsym(), and keeps them
 *	  "call"	calls them
 *	  "open PATH"	loads a library
 *	  "shut"	unloads it
 *	  "child"	forks
 *	  "hold"	the thread `hold` takes the dynamic linker's lock, or
 *			releases it
 *	  "end"		prints "right", or what was wrong
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define LIBRARY	"libm.so.6"

extern char **environ;

static volatile int ends;
static int faults;
static volatile int holds;
static int loads;		/* a thread calls dlopen() */

static void tell_wrong(const char *what, long value)
{
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
	printf("wrong: %s %ld errno %d\n", what, value, errno);
	fflush(stdout);
}

static void pause_ns(long ns)
{
	struct timespec t = { 0, ns };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Threads that do one thing all the while leave the other CPU's threads some of
 * it: each N rounds they sleep longer than they have worked. */
static void rest_each(uint64_t rounds, uint64_t n)
{
	if (!(rounds % n))
		pause_ns(200000);
}

static void do_a_hit(void)
{
	uint64_t sum = 0, i;

	for (i = 1; !ends; i++) {
		TAFFRAIL_EVENT(app, hit, i, "a text", sum);
		sum += i * i;
		rest_each(i, 1024);
	}
	/* the sum of the first squares, modulo 2^64 */
	i--;
	if (sum != (uint64_t)((unsigned __int128)i * (i + 1) / 2 *
			      (2 * i + 1) / 3))
		tell_wrong("sum", (long)sum);
}

/* Is in the cold part of the marker for long, and calls the marker's function
 * at the end. */
static __attribute__((noinline)) int return_slowly(int n)
{
	pause_ns(n * 1000000);
	return n;
}

static void do_cold(void)
{
	for (int n = 1; !ends; n = n % 40 + 1) {
		TAFFRAIL_EVENT(app, cold, return_slowly(n), n);
		pause_ns(100000);
	}
}

static void on_alarm(int number)
{
	int before = errno;

	TAFFRAIL_EVENT(app, alarm, number);
	errno = before;
}

static void do_alarm(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (!ends)
		pause_ns(1000000);
	memset(&often, 0, sizeof(often));
	setitimer(ITIMER_REAL, &often, NULL);
}

static void do_fork(void)
{
	int status = 0;

	while (!ends) {
		pid_t pid = fork();
		void *library;

		if (!pid) {
			TAFFRAIL_EVENT(app, child, 1);
			/* the linker's locks are those of another thread of the
			 * program, which the child does not have */
			if (loads)
				_exit(0);
			library = dlopen(LIBRARY, RTLD_NOW);
			_exit(library && !dlclose(library) ? 0 : 1);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			tell_wrong("child", pid < 0 ? -1 : status);
		pause_ns(3000000);
	}
}

static void do_spawn(void)
{
	char *words[] = { "true", NULL };
	int status = 0;
	pid_t pid;

	while (!ends) {
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ) ||
		    waitpid(pid, &status, 0) != pid || status)
			tell_wrong("spawn", status);
		pid = vfork();
		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			tell_wrong("vfork", status);
		pause_ns(5000000);
	}
}

static void do_dlopen(void)
{
	for (uint64_t i = 1; !ends; i++) {
		void *library = dlopen(LIBRARY, RTLD_NOW);
		double (*call)(double) = NULL;

		if (library)
			*(void **)&call = dlsym(library, "floor");
		if (!call || call(2.5) != 2 || dlclose(library))
			tell_wrong("dlopen", 0);
		rest_each(i, 2);
	}
}

static void *short_thread(void *arg)
{
	TAFFRAIL_EVENT(app, thread, (long)arg);
	return arg;
}

static void do_threads(void)
{
	for (long i = 1; !ends; i++) {
		pthread_t thread;
		void *back = NULL;

		if (pthread_create(&thread, NULL, short_thread, (void *)i) ||
		    pthread_join(thread, &back) || back != (void *)i)
			tell_wrong("thread", i);
		pause_ns(1000000);
	}
}

static void do_actions(void)
{
	struct sigaction is, ignored = { .sa_handler = SIG_IGN };

	for (uint64_t i = 1; !ends; i++) {
		sigaction(SIGUSR1, &ignored, NULL);
		sigaction(SIGUSR1, NULL, &is);
		if (is.sa_handler != SIG_IGN)
			tell_wrong("action", 0);
		rest_each(i, 128);
	}
}

static int held_lists(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	while (holds == 1)
		pause_ns(1000000);
	return 1;
}

/* Keeps the dynamic linker's lock on its lists, as long as "hold" says. */
static void do_hold(void)
{
	while (!ends) {
		if (holds == 1)
			dl_iterate_phdr(held_lists, NULL);
		pause_ns(1000000);
	}
}

static struct {
	char before[65536];
	/* a function of libc's that the agent replaces */
	int (*kept)(int number, const struct sigaction *set,
		    struct sigaction *old);
	_Alignas(16) char stack[262144];
} aside;

static ucontext_t away, back;

static void aside_sleep(void)
{
	while (!ends)
		pause_ns(50000000);
}

/* Has its stack in the program's data, above a pointer. */
static void do_aside(void)
{
	getcontext(&away);
	away.uc_stack.ss_sp = aside.stack;
	away.uc_stack.ss_size = sizeof(aside.stack);
	away.uc_link = &back;
	makecontext(&away, aside_sleep, 0);
	swapcontext(&back, &away);
}

/* Has code in memory that is a file only by name. */
static void do_code(void)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) ==
		    MAP_FAILED)
		tell_wrong("code", fd);
	aside_sleep();
}

/* Waits for children of vfork(2) for long. */
static void do_vfork(void)
{
	while (!ends) {
		const struct timespec long_nap = { 1, 500000000 };
		pid_t pid = vfork();
		int status = 0;

		if (!pid) {
			nanosleep(&long_nap, NULL);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			tell_wrong("slow vfork", status);
	}
}

/* Waits on a socket with a limit: a stop is no signal. */
static void do_receive(void)
{
	const struct timeval limit = { 1, 0 };
	int pair[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	while (!ends)
		if (recv(pair[0], &byte, 1, 0) != -1 || errno != EAGAIN)
			tell_wrong("receive", 0);
}

/* Notices when it stands for long. */
static void do_gaps(void)
{
	struct timespec was, is;

	clock_gettime(CLOCK_MONOTONIC, &was);
	for (; !ends; was = is) {
		pause_ns(1000000);
		clock_gettime(CLOCK_MONOTONIC, &is);
		if ((is.tv_sec - was.tv_sec) * 1000000000 + is.tv_nsec -
			    was.tv_nsec > 800000000)
			tell_wrong("gap", is.tv_sec - was.tv_sec);
	}
}

static void do_poll(void)
{
	while (!ends)
		pause_ns(50000000);
}

static const struct {
	const char *word;
	void (*call)(void);
} rows[] = {
	{ "hit", do_a_hit }, { "cold", do_cold }, { "alarm", do_alarm },
	{ "fork", do_fork }, { "spawn", do_spawn }, { "dlopen", do_dlopen },
	{ "threads", do_threads }, { "actions", do_actions },
	{ "sleep", do_poll }, { "hold", do_hold }, { "aside", do_aside },
	{ "code", do_code }, { "vfork", do_vfork }, { "gaps", do_gaps },
	{ "receive", do_receive },
};

static void *word_thread(void *word)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].word, word))
			rows[i].call();
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t threads[64];
	struct sigaction is;
	void *library = NULL;
	char line[4096];

	for (int i = 1; i < argc; i++)
		loads |= !strcmp(argv[i], "dlopen");
	for (int i = 1; i < argc && i < 64; i++)
		pthread_create(&threads[i], NULL, word_thread, argv[i]);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "names\n")) {
			*(void **)&aside.kept = dlsym(RTLD_DEFAULT,
						      "sigaction");
			printf("names %d\n", !!aside.kept);
		} else if (!strcmp(line, "call\n")) {
			printf("called %d\n", aside.kept(SIGUSR2, NULL, &is));
		} else if (!strncmp(line, "open ", 5)) {
			line[strcspn(line, "\n")] = '\0';
			library = dlopen(line + 5, RTLD_NOW);
			printf("open %d\n", !!library);
		} else if (!strcmp(line, "shut\n")) {
			printf("shut %d\n", dlclose(library));
		} else if (!strcmp(line, "child\n")) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			printf("child %d\n", waitpid(pid, NULL, 0) == pid);
		} else if (!strcmp(line, "hold\n")) {
			holds = !holds;
			printf("hold %d\n", holds);
		} else {
			break;
		}
		fflush(stdout);
	}
	ends = 1;
	for (int i = 1; i < argc && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf(faults ? "faults\n" : "right\n");
	return !!faults;
}
