/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng's read-side section, by the functions that a call site finds by name
 * and by those of LTTng's library, one in the other. Prints the library that
 * the names lead to, and each difference. An argument names an agent to load.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in LTTng's header for code with _LGPL_SOURCE. */
extern unsigned long lttng_ust_urcu_gp;
extern int lttng_ust_urcu_has_sys_membarrier;
extern __thread unsigned long *lttng_ust_urcu_reader;

void lttng_ust_urcu_read_lock(void);
void lttng_ust_urcu_read_unlock(void);
int lttng_ust_urcu_read_ongoing(void);
void lttng_ust_urcu_synchronize_rcu(void);

#define THREADS	20
#define DEEP	5

static void (*begin)(void);
static void (*end)(void);
static int wrong;

static void expect_right(const char *what, int right)
{
	if (!right)
		printf("%s\n", what);
	wrong += !right;
}

static void begin_kind(int n)
{
	(n % 2 ? begin : lttng_ust_urcu_read_lock)();
}

static void end_kind(int n)
{
	(n % 2 ? end : lttng_ust_urcu_read_unlock)();
}

/* Begins sections, whose kinds are the bits of `kinds`, and ends them by the
 * other kind if `crossed`. */
static void sections_nest(unsigned kinds, int crossed)
{
	unsigned i;

	for (i = 0; i < DEEP; i++) {
		begin_kind((int)(kinds >> i & 1));
		expect_right("the thread is in a section",
			     lttng_ust_urcu_read_ongoing());
		expect_right("the word counts sections",
			     (unsigned)*lttng_ust_urcu_reader == i + 1u);
	}
	for (; i--;) {
		expect_right("the section goes on", lttng_ust_urcu_read_ongoing());
		end_kind((int)(kinds >> i & 1) ^ crossed);
	}
	expect_right("the thread has left", !lttng_ust_urcu_read_ongoing());
}

static void *thread_run(void *unused)
{
	unsigned kinds;

	(void)unused;
	begin();
	expect_right("a thread's first section", lttng_ust_urcu_read_ongoing());
	end();
	for (kinds = 0; kinds < 1u << DEEP; kinds++) {
		sections_nest(kinds, 0);
		sections_nest(kinds, 1);
		lttng_ust_urcu_synchronize_rcu();
	}
	return NULL;
}

static void threads_run(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_run, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void child_run(void)
{
	int status;
	pid_t pid;

	begin();
	end();
	pid = fork();
	if (pid) {
		waitpid(pid, &status, 0);
		expect_right("the child", status == 0);
		return;
	}
	sections_nest(1, 0);
	threads_run();
	_exit(wrong);
}

int main(int argc, char **argv)
{
	void *library = dlopen("liblttng-ust-tracepoint.so.1", RTLD_NOW);
	Dl_info info = { .dli_fname = "nothing" };
	int kernel;

	/* an agent that the program loads */
	if (argc > 1 && (clearenv() || !dlopen(argv[1], RTLD_NOW)))
		return 1;
	begin = (void (*)(void))dlsym(library, "lttng_ust_tp_rcu_read_lock");
	end = (void (*)(void))dlsym(library, "lttng_ust_tp_rcu_read_unlock");
	if (!begin || !end)
		return 1;
	dladdr((void *)begin, &info);
	printf("%s\n", strrchr(info.dli_fname, '/') + 1);
	dladdr((void *)end, &info);
	printf("%s\n", strrchr(info.dli_fname, '/') + 1);
	threads_run();
	child_run();
	/* as on a kernel without membarrier(2) */
	kernel = lttng_ust_urcu_has_sys_membarrier;
	lttng_ust_urcu_has_sys_membarrier = 0;
	sections_nest(1, 0);
	lttng_ust_urcu_has_sys_membarrier = kernel;
	return !!wrong;
}
