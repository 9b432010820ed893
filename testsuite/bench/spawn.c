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
 *	spawn many PREFIX LIBRARY ROUNDS EMPTY ONE [PEER]
 *		runs EMPTY and ONE as `start` does, and PEER without and with
 *		the session of LTTng's daemon, all in turn, and which one of a
 *		pair is first by chance; `cpu` is what a session adds to the
 *		processor time. On one CPU, and with a real-time priority where
 *		that is allowed: else the other work of the machine decides.
 *		With an agent in this program, which sees each exec but that of
 *		the plain programs. Behind a rest of 10 ms, in which the CPU and
 *		its caches do other work; then EMPTY and ONE without a rest, in
 *		rows PREFIX.true-behind and PREFIX.one-behind
 *	spawn recorder PREFIX LIBRARY ROUNDS PROGRAM TAFFRAIL ARGS...
 *		runs `TAFFRAIL ARGS... spawn loop LIBRARY N PROGRAM`, which
 *		runs PROGRAM N times, for N = 0 and for N = ROUNDS. Prints
 *		what the recorder's processor time grows by with each:
 *		us PREFIX.each MICROSECONDS
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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <taffrail/marker.h>

#define US_PER_S	1e6
#define WARM_ROUNDS	5
#define TRIOS		16
#define REST_US		10000

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

static double usage_sum(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) *
		       US_PER_S +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* The processor time of the last program. */
static double last_us;

/* Microseconds from vfork to the end of the program, or less than 0. */
static double run_once(char **argv, char **environment)
{
	double begin = now_us();
	struct rusage usage;
	int status;
	pid_t pid = vfork();

	if (!pid) {
		/* a plain program: past an agent in this one */
		if (strncmp(*environment, "LD_PRELOAD=", 11))
			syscall(SYS_execve, argv[0], argv, environment);
		execve(argv[0], argv, environment);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	last_us = usage_sum(&usage);
	return now_us() - begin;
}

/* "NAME=VALUE" of the environment, where it is set. Returns how many words. */
static int variable_copy(char **word, const char *name)
{
	const char *value = getenv(name);

	return value && asprintf(word, "%s=%s", name, value) > 0;
}

static char *plain_words[] = { "PATH=/usr/bin:/bin", NULL };

/* The environment of a program with LIBRARY preloaded, recorded as this one. */
static char **agent_words(const char *library)
{
	static char preload[4096];
	static char *agent[5] = { preload, "PATH=/usr/bin:/bin" };
	int words = 2;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	words += variable_copy(&agent[words], "TAFFRAIL_DIR");
	variable_copy(&agent[words], "TAFFRAIL_JOIN");
	return agent;
}

static int start_main(const char *prefix, const char *library, unsigned rounds,
		      char **argv)
{
	char **agent = agent_words(library);
	double *v[3];
	int round, k;

	for (k = 0; k < 3; k++)
		v[k] = calloc(rounds + 1, sizeof(double));
	for (round = -WARM_ROUNDS; round < (int)rounds; round++)
		for (k = 0; k < 2; k++) {
			double us = run_once(argv, k ? agent : plain_words);

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

/* Runs each program without and with a session, in turn, REST_US behind the one
 * before. Prints rows PREFIX.NAME. Returns 0, or 1 where a program fails. */
static int many_run(const char *prefix, char *const names[], unsigned rounds,
		    char **programs, char **environments[][2], int rest_us)
{
	double *v[3][3], *cpu[3][3];
	int round, i, k, swap = 0;
	char name[64];

	for (i = 0; i < 9; i++) {
		v[i / 3][i % 3] = calloc(rounds + 1, sizeof(double));
		cpu[i / 3][i % 3] = calloc(rounds + 1, sizeof(double));
	}
	for (round = -WARM_ROUNDS; round < (int)rounds; round++)
		for (i = 0; i < 6 && names[i / 2] && programs[i / 2]; i++) {
			char *argv[] = { programs[i / 2], NULL };
			double us;

			swap = i % 2 ? swap : rand() & 1;
			k = i % 2 ^ swap;
			/* until the recorder has done with the last one */
			usleep(rest_us);
			us = run_once(argv, environments[i / 2][k]);

			if (us < 0) {
				fprintf(stderr, "spawn: %s fails\n", argv[0]);
				return 1;
			}
			if (round < 0)
				continue;
			v[i / 2][k][round] = us;
			cpu[i / 2][k][round] = last_us;
		}
	for (k = 0; k < 3 && names[k] && programs[k]; k++) {
		snprintf(name, sizeof(name), "%s.%s", prefix, names[k]);
		print_rows(name, v[k], rounds);
		differences(cpu[k][2], cpu[k], rounds);
		print_row(name, "cpu", cpu[k][2], rounds);
	}
	return 0;
}

/* EMPTY, ONE and PEER: each without and with a session, behind a rest; and the
 * first two without a rest, as a build starts its compilers. */
static int many_main(const char *prefix, const char *library, unsigned rounds,
		     char **programs)
{
	char *const rested[] = { "true", "one", "peer" };
	char *const behind[] = { "true-behind", "one-behind", NULL };
	char *alone[] = { "LTTNG_HOME=/nonexistent", "BENCH_ON=0", NULL };
	char *peer[4] = { "BENCH_ON=1", "LTTNG_UST_REGISTER_TIMEOUT=5000" };
	char **environments[][2] = {
		{ plain_words, agent_words(library) },
		{ plain_words, environments[0][1] },
		{ alone, peer },
	};
	const struct sched_param first = { .sched_priority = 1 };

	pin();
	sched_setscheduler(0, SCHED_FIFO, &first);
	srand(rounds);
	variable_copy(&peer[2], "LTTNG_HOME");
	return many_run(prefix, rested, rounds, programs, environments,
			REST_US) ||
	       many_run(prefix, behind, rounds, programs, environments, 0);
}

static double usage_us(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage_sum(&usage);
}

/* What `recorder` has recorded; prints its own processor time. */
static int loop_main(const char *library, unsigned n, char **argv)
{
	char **agent = agent_words(library);

	while (n--)
		if (run_once(argv, agent) < 0)
			return 1;
	printf("%.0f\n", usage_us(RUSAGE_SELF) + usage_us(RUSAGE_CHILDREN));
	return 0;
}

/* Returns the processor time of a recorder of so many programs, or less than
 * 0. */
static double recorder_us(const char *library, const char *n, char *program,
			  char **command)
{
	double before = usage_us(RUSAGE_CHILDREN), own = -1;
	char *argv[40];
	FILE *from;
	int status, ends[2];
	int k = 0;
	pid_t pid;

	while (k < 32 && command[k]) {
		argv[k] = command[k];
		k++;
	}
	argv[k++] = "/proc/self/exe";
	argv[k++] = "loop";
	argv[k++] = (char *)library;
	argv[k++] = (char *)n;
	argv[k++] = program;
	argv[k] = NULL;
	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		/* the recorder is not /proc/self/exe */
		char self[4096] = "";

		if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
			argv[k - 5] = self;
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "r");
	if (!from || fscanf(from, "%lf", &own) != 1)
		own = -1;
	/* it says by its status that no marker was there */
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    !WIFEXITED(status) || own < 0)
		return -1;
	fclose(from);
	return usage_us(RUSAGE_CHILDREN) - before - own;
}

static int recorder_main(const char *prefix, const char *library,
			 const char *rounds, char *program, char **command)
{
	double none = recorder_us(library, "0", program, command);
	double all = recorder_us(library, rounds, program, command);

	if (none < 0 || all < 0)
		return 1;
	printf("us %s.each %.1f\n", prefix, (all - none) / atoi(rounds));
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
	if (argc > 6 && !strcmp(argv[1], "many"))
		return many_main(argv[2], argv[3], (unsigned)atoi(argv[4]),
				 argv + 5);
	if (argc > 7 && !strcmp(argv[1], "recorder"))
		return recorder_main(argv[2], argv[3], argv[4], argv[5],
				     argv + 6);
	if (argc > 4 && !strcmp(argv[1], "loop"))
		return loop_main(argv[2], (unsigned)atoi(argv[3]), argv + 4);
	if (argc > 5 && !strcmp(argv[1], "fork"))
		return fork_main(argv[2], argv[3], (unsigned)atoi(argv[4]),
				 argv[5]);
	return 2;
}
