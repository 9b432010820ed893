/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Executes programs while a session is on.
 *	heirs hit WHO		ten events app:hit, and the end
 *	heirs serve WHO		does what lines of input say
 * A line is HOW and the words of the program: HOW is
 *	fork, vfork, spawn, system, popen	runs it as a child
 *	bare	the same, by the bare system call
 *	worker	a forked child without an event runs it, by system()
 *	inside	the same, in a PID namespace of its own; needs root
 *	orphan	runs it behind a child, whose end it waits for
 *	empty	as fork, in an environment that has the agent's library alone
 *	become	becomes it
 *	end	is the end
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define WORDS_MAX	8
#define LINE_BYTES	1024

extern char **environ;

static void hit(const char *who)
{
	int n;

	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static void await(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		puts("failed");
}

static void spawn(char **words)
{
	pid_t child;

	await(posix_spawn(&child, words[0], NULL, NULL, words, environ) ?
		      -1 : child);
}

static void run_fork(char **words, int bare)
{
	pid_t child = fork();

	if (!child && bare)
		syscall(SYS_execve, words[0], words, environ);
	else if (!child)
		execv(words[0], words);
	if (!child)
		_exit(127);
	await(child);
}

static void run_vfork(char **words)
{
	pid_t child = vfork();

	if (!child) {
		execvp(words[0], words);
		_exit(127);
	}
	await(child);
}

static void run_empty(char **words)
{
	char *preload = getenv("LD_PRELOAD");
	char variable[LINE_BYTES];
	char *environment[] = { variable, NULL };
	pid_t child;

	snprintf(variable, sizeof(variable), "LD_PRELOAD=%s",
		 preload ? preload : "");
	child = fork();
	if (!child) {
		execve(words[0], words, environment);
		_exit(127);
	}
	await(child);
}

/* The program has another parent when it begins: this process, which has asked
 * for orphans, so it can wait for the program's end. */
static void run_orphan(char **words)
{
	pid_t child, middle, grandchild = 0;
	int ids[2];
	char byte;
	int go[2];

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (pipe(ids) || pipe(go))
		return;
	middle = fork();
	if (!middle) {
		setsid();
		child = fork();
		if (!child) {
			close(go[1]);
			if (read(go[0], &byte, 1))
				_exit(127);
			execv(words[0], words);
			_exit(127);
		}
		_exit(write(ids[1], &child, sizeof(child)) < 0);
	}
	await(middle);
	close(go[0]);
	if (read(ids[0], &grandchild, sizeof(grandchild)) !=
	    sizeof(grandchild))
		puts("failed");
	close(go[1]);
	close(ids[0]);
	close(ids[1]);
	await(grandchild);
}

static void run_system(const char *line)
{
	if (system(line))
		puts("failed");
}

static void run_worker(const char *line, int inside)
{
	pid_t child = fork();

	if (!child && inside && unshare(CLONE_NEWPID))
		_exit(1);
	if (!child)
		_exit(!!system(line));
	await(child);
}

static void run_popen(const char *line)
{
	FILE *pipe = popen(line, "r");

	if (!pipe || pclose(pipe))
		puts("failed");
}

static int split(char *line, char **words)
{
	int n = 0;

	for (line = strtok(line, " "); line && n < WORDS_MAX - 1;
	     line = strtok(NULL, " "))
		words[n++] = line;
	words[n] = NULL;
	return n;
}

static void obey(const char *how, char *line)
{
	char *words[WORDS_MAX];

	if (!strcmp(how, "system"))
		return run_system(line);
	if (!strcmp(how, "worker") || !strcmp(how, "inside"))
		return run_worker(line, !strcmp(how, "inside"));
	if (!strcmp(how, "popen"))
		return run_popen(line);
	if (!split(line, words))
		exit(2);
	if (!strcmp(how, "spawn"))
		return spawn(words);
	if (!strcmp(how, "vfork"))
		return run_vfork(words);
	if (!strcmp(how, "orphan"))
		return run_orphan(words);
	if (!strcmp(how, "empty"))
		return run_empty(words);
	if (strcmp(how, "become"))
		return run_fork(words, !strcmp(how, "bare"));
	execv(words[0], words);
	puts("failed");
}

int main(int argc, char **argv)
{
	char line[LINE_BYTES];
	char *rest;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "hit")) {
		hit(argv[2]);
		return 0;
	}
	/* no line may be read before the next image begins */
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("%s serves\n", argv[2]);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		rest = strchr(line, ' ');
		if (!rest)
			break;
		*rest++ = '\0';
		hit(argv[2]);
		obey(line, rest);
		printf("%s done\n", line);
		fflush(stdout);
	}
	return 0;
}
