/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits that callbacks miss, as many of each kind as PLAIN says, and more:
 *
 *	app/hit		PLAIN times in order, then 5 times in a signal handler
 *	app/hold	once; its callback calls cloned(), in which a thread of
 *			a bare clone, which has this thread's TLS, passes
 *			app/hit 6 times
 *
 * With -DPROBE this is the library with the callbacks. `count` passes app/inner
 * itself, each time. With -DPLUGIN it is a library whose app/late is passed 4
 * times, and which is closed then. The word "kill" ends the program by SIGKILL,
 * any other has it wait for signals. With "step" as PLAIN, it passes app/hit,
 * and once more while a handler of SIGTRAP, which also passes app/hit, is run
 * behind each instruction; it prints how often that was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define TRAP_FLAG	0x100

#ifdef PROBE
#include <taffrail/probe-library.h>

static void count(const struct taffrail_event *event, void *priv)
{
	(void)event;
	(void)priv;
	TAFFRAIL_EVENT(app, inner, 1);
}

static void hold(const struct taffrail_event *event, void *priv)
{
	uint64_t address = 0;

	(void)priv;
	if (taffrail_field_u64(event, 0, &address) && address)
		((void (*)(void))address)();
}

TAFFRAIL_PROBE_LIBRARY(missed);
TAFFRAIL_PROBE_CALLBACK(count);
TAFFRAIL_PROBE_CALLBACK(hold);

#elif defined(PLUGIN)
void late(int n);
void late(int n)
{
	TAFFRAIL_EVENT(app, late, n);
}

#else
static void hit(int n)
{
	TAFFRAIL_EVENT(app, hit, n);
}

static void handler(int number)
{
	(void)number;
	hit(-1);
}

static int pass(void *unused)
{
	(void)unused;
	for (int i = 0; i < 6; i++)
		hit(100 + i);
	syscall(SYS_exit, 0);
	return 0;
}

static int cleared = 1;

static void cloned(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	if (clone(pass, stack + sizeof(stack),
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		  CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID, NULL,
		  NULL, NULL, &cleared) < 0)
		exit(3);
	while (__atomic_load_n(&cleared, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &cleared, FUTEX_WAIT, 1, NULL, NULL, 0);
}

static void plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*late)(int n) = library ? (void (*)(int))dlsym(library, "late") :
					NULL;

	if (!late)
		exit(4);
	for (int i = 0; i < 4; i++)
		late(i);
	dlclose(library);
}

static int steps;

static void step_handler(int number)
{
	(void)number;
	steps++;
	hit(-2);
}

static __attribute__((noinline)) void step(void)
{
	signal(SIGTRAP, step_handler);
	hit(0);
	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\t"
			 "popfq\n\tadd $128, %%rsp"
			 : : "i"(TRAP_FLAG) : "memory", "cc");
	hit(1);
	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\t"
			 "popfq\n\tadd $128, %%rsp"
			 : : "i"(~TRAP_FLAG) : "memory", "cc");
	printf("stepped %d\n", steps);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (argc > 1 && !strcmp(argv[1], "step")) {
		step();
		return 0;
	}
	signal(SIGUSR1, handler);
	for (int i = 0; i < n; i++)
		hit(i);
	for (int i = 0; n && i < 5; i++)
		raise(SIGUSR1);
	if (n)
		TAFFRAIL_EVENT(app, hold, (uint64_t)(uintptr_t)cloned);
	if (argc > 2)
		plugin(argv[2]);
	if (argc > 3 && !strcmp(argv[3], "kill"))
		raise(SIGKILL);
	while (argc > 3)
		pause();
	return 0;
}
#endif
