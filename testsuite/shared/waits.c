/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent is attached while these threads wait, compute, or hold the locks
 * that the agent needs. None of them may notice.
 *
 *	waits WORD...	one thread a word; then lines are read from stdin:
 *	  "hit N"	the first thread's app/hit, N times; "hits SUM"
 *	  "fork"	a child that loads a library and forgets it; "child 0"
 *	  "go"		the thread in a handler of fork(3) goes on; "child 0"
 *	  "end"		prints "right", or what was wrong
 *	waits alone WORD	in the first thread, until SIGTERM
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define NAP_NS		3000000
#define REST_NS		200000
#define LIBRARY		"libm.so.6"

static volatile int ends;
static int pipes[2];
static uint32_t word;
static int faults;
static bool is_alone;

static void wrong(const char *what, long value)
{
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
	printf("wrong: %s %ld errno %d\n", what, value, errno);
	fflush(stdout);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Each thread waits until the program ends, and must not return before. */
static void wait_read(void)
{
	char byte;
	ssize_t n = read(pipes[0], &byte, 1);

	if (n != 0 || !ends)
		wrong("read", n);
}

static void wait_futex(void)
{
	long n = syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);

	/* EAGAIN if the end came first */
	if (!ends)
		wrong("futex", n);
}

static void wait_poll(void)
{
	struct pollfd fd = { .fd = pipes[0], .events = POLLIN };
	int n = poll(&fd, 1, -1);

	if (n != 1 || !ends)
		wrong("poll", n);
}

static void wait_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	int n;

	epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event);
	n = epoll_wait(epoll, &event, 1, -1);
	if (n != 1 || !ends)
		wrong("epoll_wait", n);
	close(epoll);
}

/* Short sleeps, each at least as long as it should be. */
static void wait_sleep(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	while (!ends) {
		int64_t before = now();

		if (nanosleep(&nap, NULL) && !ends)
			wrong("nanosleep", 0);
		if (now() - before < NAP_NS && !ends)
			wrong("nanosleep was short", now() - before);
	}
}

/* One long sleep: if it is begun again, it takes the remaining time. */
static void wait_clock(void)
{
	const struct timespec nap = { .tv_nsec = 400000000 };

	while (!ends) {
		int64_t before = now();

		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL))
			wrong("clock_nanosleep", 0);
		if (now() - before < 400000000)
			wrong("clock_nanosleep was short", now() - before);
	}
}

/* Threads that do one thing all the while leave some of a CPU to others: each N
 * rounds they sleep. One that is alone does not: such a program makes no system
 * call. */
static void rest_each(unsigned int rounds, unsigned int n)
{
	const struct timespec nap = { .tv_nsec = n == 1 ? NAP_NS : REST_NS };

	if (is_alone || rounds % n)
		return;
	while (nanosleep(&nap, NULL) && errno == EINTR)
		;
}

static void do_malloc(void)
{
	void *blocks[64] = { NULL };
	unsigned int seed = 1;

	for (unsigned int round = 1; !ends; round++) {
		unsigned int i = (seed = seed * 1103515245 + 12345) >> 16 & 63;
		size_t n = seed >> 8 & 0xffff;

		free(blocks[i]);
		blocks[i] = malloc(n + 1);
		memset(blocks[i], (int)i, n + 1);
		rest_each(round, 128);
	}
}

static void do_dlopen(void)
{
	for (unsigned int round = 1; !ends; round++) {
		void *handle = dlopen(LIBRARY, RTLD_NOW);

		if (!handle || !dlsym(handle, "cos"))
			wrong("dlopen", 0);
		dlclose(handle);
		rest_each(round, 4);
	}
}

/* All registers, and a flag, over a loop in which nothing changes them. */
static void do_registers(void)
{
#if defined(__x86_64__)
	static unsigned int n;
	uint64_t left;

#define EACH(op)                                                          \
	op("rax", "0x12345601") op("rbx", "0x12345602")                   \
	op("rcx", "0x12345603") op("rdx", "0x12345604")                   \
	op("rsi", "0x12345605") op("rdi", "0x12345606")                   \
	op("rbp", "0x12345607") op("r8", "0x12345608")                    \
	op("r9", "0x12345609") op("r10", "0x1234560a")                    \
	op("r11", "0x1234560b") op("r12", "0x1234560c")                   \
	op("r13", "0x1234560d") op("r14", "0x1234560e")                   \
	op("r15", "0x1234560f")
#define SET(name, value)	"movq $" value ", %%" name "\n\t"
#define TEST(name, value)	"cmpq $" value ", %%" name "\n\tjne 2f\n\t"
	for (unsigned int round = 1; !ends; round++) {
		n = 100000;
		__asm__ volatile(EACH(SET)
				 "stc\n"
				 "1:\tdecl %[n]\n\t"
				 "jnz 1b\n\t"
				 "jnc 2f\n\t"
				 EACH(TEST)
				 "decl %[n]\n"
				 "2:"
				 : [n] "+m"(n)
				 :
				 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi",
				   "rbp", "r8", "r9", "r10", "r11", "r12", "r13",
				   "r14", "r15", "cc", "memory");
		left = n;
		if (left != ~0u)
			wrong("a register", (long)left);
		rest_each(round, 4);
	}
#endif
}

/* The program's handler of SIGTRAP, and the signals that reach it. */
static volatile int traps;

static void on_trap(int number)
{
	(void)number;
	traps = 1;
}

static void keep_trap(void (*handler)(int))
{
	struct sigaction action;

	signal(SIGTRAP, handler);
	wait_sleep();
	sigaction(SIGTRAP, NULL, &action);
	if (action.sa_handler != handler || traps)
		wrong("SIGTRAP", traps);
}

static void do_ignores(void)
{
	keep_trap(SIG_IGN);
}

static void do_handles(void)
{
	keep_trap(on_trap);
}

static void do_compute(void)
{
	volatile double x = 1;
	double sum = 0, again = 0;
	long i;

	for (unsigned int round = 1; !ends; round++) {
		for (sum = 0, i = 1; i < 5000; i++)
			sum += x / (double)i;
		if (again && sum != again)
			wrong("a sum", 0);
		again = sum;
		rest_each(round, 16);
	}
}

static __thread int held;
static int holds[2];

/* A handler of fork(3) in which a thread stays for a while, asleep or
 * computing. One handler waits until a line tells it to go on. */
static void prepare(void)
{
	static unsigned int turns;
	unsigned int turn = __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
	const struct timespec nap = { .tv_nsec = turn % 7 * 4000000 };
	int64_t end = now() + turn % 5 * 4000000;
	char byte;

	if (held) {
		puts("held");
		fflush(stdout);
		if (read(holds[0], &byte, 1) != 1)
			wrong("read", 0);
	} else if (turn & 1) {
		nanosleep(&nap, NULL);
	} else {
		while (now() < end)
			;
	}
}

/* In the child: libc may call this before the agent's. */
static void came(void)
{
	void *handle;

	alarm(120);
	handle = dlopen(LIBRARY, RTLD_NOW);
	if (!handle || dlclose(handle))
		_exit(1);
}

static int child_fork(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		void *handle;

		alarm(120);	/* a child that hangs becomes an error */
		free(malloc(100000));
		handle = dlopen(LIBRARY, RTLD_NOW);
		_exit(handle && !dlclose(handle) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void do_fork(void)
{
	for (unsigned int round = 1; !ends; round++) {
		int status = child_fork();

		if (status)
			wrong("a child", status);
		rest_each(round, 1);
	}
}

static void prepare_register(void)
{
	pthread_atfork(prepare, NULL, came);
}

static void do_slow(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare_register);
	do_fork();
}

static void do_held(void)
{
	prepare_register();
	held = 1;
	printf("child %d\n", child_fork());
	fflush(stdout);
	held = 0;
	wait_read();
}

static const struct {
	const char *word;
	void (*call)(void);
} rows[] = {
	{ "read", wait_read }, { "futex", wait_futex }, { "poll", wait_poll },
	{ "epoll", wait_epoll }, { "sleep", wait_sleep },
	{ "clock", wait_clock }, { "malloc", do_malloc },
	{ "dlopen", do_dlopen }, { "compute", do_compute },
	{ "fork", do_fork }, { "registers", do_registers },
	{ "ignores", do_ignores }, { "handles", do_handles },
	{ "slow", do_slow }, { "held", do_held },
	{ NULL, NULL }
};

static void call(const char *word)
{
	int i;

	for (i = 0; rows[i].word; i++)
		if (!strcmp(rows[i].word, word))
			rows[i].call();
}

static void *thread(void *arg)
{
	call(arg);
	return NULL;
}

static void hit(int n)
{
	static int hits;

	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, hit, i);
	hits += n;
	printf("hits %d\n", hits);
	fflush(stdout);
}

/* Ends the words "alone ...", which have one thread. */
static void on_end(int number)
{
	(void)number;
	ends = 1;
}

static int finish(void)
{
	puts(faults ? "faults" : "right");
	return !!faults;
}

/* One thread; libc has made none. */
static int alone(const char *word)
{
	signal(SIGTERM, on_end);
	is_alone = true;
	printf("ready\n");
	fflush(stdout);
	call(word);
	return finish();
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	char line[64];
	int n;

	if (argc == 3 && !strcmp(argv[1], "alone"))
		return alone(argv[2]);
	if (pipe(pipes) || pipe(holds))
		return 2;
	for (n = 0; n < argc - 1 && n < 64; n++)
		if (pthread_create(&threads[n], NULL, thread, argv[n + 1]))
			return 2;
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		errno = 0;
		if (!fgets(line, sizeof(line), stdin)) {
			wrong("fgets", 0);
			break;
		}
		if (!strncmp(line, "hit ", 4)) {
			hit(atoi(line + 4));
		} else if (!strncmp(line, "fork", 4)) {
			printf("child %d\n", child_fork());
			fflush(stdout);
		} else if (strncmp(line, "go", 2) || write(holds[1], "", 1) != 1) {
			break;
		}
	}
	ends = 1;
	close(pipes[1]);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 64, NULL, NULL, 0);
	while (n--)
		pthread_join(threads[n], NULL);
	return finish();
}
