/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an agent in a program costs when processes start and fork.
 *
 *	spawn start PREFIX LIBRARY ROUNDS PROGRAM [ARGS...]
 *		runs PROGRAM without and with LIBRARY preloaded, in turn; with
 *		it also TAFFRAIL_DIR and TAFFRAIL_JOIN of the environment, by
 *		which `taffrail record` takes a program in
 *	spawn peer PREFIX LIBRARY ROUNDS PROGRAM
 *		runs PROGRAM, which has 30 events of LTTng-UST, without a
 *		session, with LIBRARY preloaded as above, and with the session
 *		of the daemon of LTTNG_HOME, in turn. BENCH_ON tells PROGRAM how
 *		many events a session wants
 *	spawn fork PREFIX LIBRARY ROUNDS EMPTY
 *		three processes, without a library, with LIBRARY and traced,
 *		with EMPTY (a library without anything), that fork a child
 *		which exits at once and wait for it, in turn; on one CPU, and
 *		TRIOS of them, since what a fork costs depends on where the
 *		kernel has put the libraries
 *
 * TAFFRAIL_ENABLE is kept for the traced process only. Prints microseconds:
 *
 *	us PREFIX.plain MEDIAN P10 P90
 *	us PREFIX.agent MEDIAN P10 P90
 *	us PREFIX.added MEDIAN P10 P90	of the differences, round by round
 *	us PREFIX.empty MEDIAN P10 P90	the same for EMPTY
 *
 * `peer` prints the least of each: us PREFIX.plain LEAST, and so on.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <taffrail/marker.h>

#define US_PER_S	1e6
#define WARM_ROUNDS	5
#define TRIOS		16

enum with { PLAIN, AGENT, EMPTY, WITH_MAX };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * US_PER_S + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_row(const char *prefix, const char *name, double *v,
		      unsigned n)
{
	qsort(v, n, sizeof(*v), compare);
	printf("us %s.%s %.1f %.1f %.1f\n", prefix, name, v[n / 2], v[n / 10],
	       v[n - 1 - n / 10]);
}

/* v[1] less v[0], in v[0]'s order, to `to`. */
static void differences(double *to, double *v[2], unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		to[i] = v[1][i] - v[0][i];
}

static void print_rows(const char *prefix, double *v[3], unsigned n)
{
	differences(v[2], v, n);
	print_row(prefix, "plain", v[0], n);
	print_row(prefix, "agent", v[1], n);
	print_row(prefix, "added", v[2], n);
}

/* The environment of this child. */
static void environment_set(enum with with, const char *library)
{
	if (library)
		setenv("LD_PRELOAD", library, 1);
	else
		unsetenv("LD_PRELOAD");
	if (with != AGENT)
		unsetenv("TAFFRAIL_ENABLE");
}

/* Microseconds from vfork to the end of the program, or less than 0. */
static double run_once(char **argv, char **environment)
{
	double begin = now_us();
	int status;
	pid_t pid = vfork();

	if (!pid) {
		execve(argv[0], argv, environment);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return now_us() - begin;
}

/* "NAME=VALUE" of the environment, where it is set. Returns how many words. */
static int variable_copy(char **word, const char *name)
{
	const char *value = getenv(name);

	return value && asprintf(word, "%s=%s", name, value) > 0;
}

static int start_main(const char *prefix, const char *library, unsigned rounds,
		      char **argv)
{
	char preload[4096];
	char *plain[] = { "PATH=/usr/bin:/bin", NULL };
	char *agent[5] = { preload, "PATH=/usr/bin:/bin" };
	int words = 2;
	double *v[3];
	int round, k;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	words += variable_copy(&agent[words], "TAFFRAIL_DIR");
	variable_copy(&agent[words], "TAFFRAIL_JOIN");
	for (k = 0; k < 3; k++)
		v[k] = calloc(rounds + 1, sizeof(double));
	for (round = -WARM_ROUNDS; round < (int)rounds; round++)
		for (k = 0; k < 2; k++) {
			double us = run_once(argv, k ? agent : plain);

			if (us < 0)
				return 1;
			if (round >= 0)
				v[k][round] = us;
		}
	print_rows(prefix, v, rounds);
	return 0;
}

/* The three that take turns; a program without a session finds no daemon. */
static int peer_main(const char *prefix, const char *library, unsigned rounds,
		     char **argv)
{
	static const char *const names[] = { "plain", "agent", "peer" };
	char preload[4096];
	char *plain[] = { "LTTNG_HOME=/nonexistent", "BENCH_ON=0", NULL };
	char *agent[6] = { preload, plain[0], "BENCH_ON=30" };
	char *peer[4] = { "BENCH_ON=30", "LTTNG_UST_REGISTER_TIMEOUT=5000" };
	char **environments[] = { plain, agent, peer };
	double least[3] = { 1e9, 1e9, 1e9 };
	int words = 3;
	unsigned round, k;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	words += variable_copy(&agent[words], "TAFFRAIL_DIR");
	variable_copy(&agent[words], "TAFFRAIL_JOIN");
	variable_copy(&peer[2], "LTTNG_HOME");
	for (round = 0; round < rounds; round++)
		for (k = 0; k < 3; k++) {
			double us = run_once(argv, environments[k]);

			if (us < 0) {
				fprintf(stderr, "spawn: %s fails\n", names[k]);
				return 1;
			}
			if (us < least[k])
				least[k] = us;
		}
	for (k = 0; k < 3; k++)
		printf("us %s.%s %.1f\n", prefix, names[k], least[k]);
	return 0;
}

/* Forks whenever it is asked to, and answers how long it took. */
static int worker_main(void)
{
	char byte;

	if (getenv("TAFFRAIL_ENABLE") && !TAFFRAIL_ENABLED(bench, fork)) {
		fprintf(stderr, "spawn: bench/fork is off\n");
		return 3;
	}
	while (read(0, &byte, 1) == 1) {
		double begin = now_us();
		int status;
		pid_t pid = fork();

		if (!pid)
			exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
		begin = now_us() - begin;
		TAFFRAIL_EVENT(bench, fork, begin);
		if (write(1, &begin, sizeof(begin)) != sizeof(begin))
			return 1;
	}
	return 0;
}

/* The last CPU that there is: a child elsewhere is another measurement. */
static void pin(void)
{
	cpu_set_t all, one;
	int cpu = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	while (cpu > 0 && !CPU_ISSET(cpu, &all))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

struct worker {
	pid_t pid;
	int ask;
	int answer;
};

static int worker_start(struct worker *worker, enum with with,
			const char *library)
{
	int in[2], out[2];

	/* no end of one worker's pipes stays open in the other */
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return -1;
	worker->pid = fork();
	if (!worker->pid) {
		environment_set(with, library);
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/proc/self/exe", "spawn", "worker", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	worker->ask = in[1];
	worker->answer = out[0];
	return worker->pid < 0 ? -1 : 0;
}

/* One round after the other, each first in turn. Adds to v[]. */
static int trio_run(const char *libraries[], double *v[], int rounds)
{
	struct worker workers[WITH_MAX];
	int round, i, k;

	for (k = 0; k < WITH_MAX; k++)
		if (worker_start(&workers[k], (enum with)k, libraries[k]))
			return 1;
	for (round = -WARM_ROUNDS; round < rounds; round++)
		for (i = 0; i < WITH_MAX; i++) {
			double us;

			k = (i + round + WARM_ROUNDS) % WITH_MAX;
			if (write(workers[k].ask, "", 1) != 1 ||
			    read(workers[k].answer, &us, sizeof(us)) !=
				    sizeof(us))
				return 1;
			if (round >= 0)
				v[k][round] = us;
		}
	for (k = 0; k < WITH_MAX; k++) {
		close(workers[k].ask);
		close(workers[k].answer);
		waitpid(workers[k].pid, NULL, 0);
	}
	return 0;
}

static int fork_main(const char *prefix, const char *library, unsigned rounds,
		     const char *empty)
{
	const char *libraries[WITH_MAX] = { NULL, library, empty };
	unsigned each = rounds / TRIOS ? rounds / TRIOS : 1;
	double *v[WITH_MAX], *of[2], *to;
	unsigned i, k;

	signal(SIGPIPE, SIG_IGN);
	pin();
	to = calloc(each * TRIOS, sizeof(double));
	for (k = 0; k < WITH_MAX; k++)
		v[k] = calloc(each * TRIOS, sizeof(double));
	for (i = 0; i < TRIOS; i++) {
		double *from[WITH_MAX];

		for (k = 0; k < WITH_MAX; k++)
			from[k] = v[k] + i * each;
		if (trio_run(libraries, from, (int)each))
			return 1;
	}
	of[0] = v[PLAIN];
	of[1] = v[EMPTY];
	differences(to, of, each * TRIOS);
	print_row(prefix, "empty", to, each * TRIOS);
	of[1] = v[AGENT];
	print_rows(prefix, (double *[]){ of[0], of[1], to }, each * TRIOS);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "worker"))
		return worker_main();
	if (argc > 5 && !strcmp(argv[1], "start"))
		return start_main(argv[2], argv[3], (unsigned)atoi(argv[4]),
				  argv + 5);
	if (argc > 5 && !strcmp(argv[1], "peer"))
		return peer_main(argv[2], argv[3], (unsigned)atoi(argv[4]),
				 argv + 5);
	if (argc > 5 && !strcmp(argv[1], "fork"))
		return fork_main(argv[2], argv[3], (unsigned)atoi(argv[4]),
				 argv[5]);
	return 2;
}
