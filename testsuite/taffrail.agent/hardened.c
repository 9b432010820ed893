/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bit of everything, for programs that run under restrictions or under
 * valgrind:
 *	hardened LIBRARY
 *		two threads, a handler, a library that comes twice and goes, a
 *		child: ROUNDS times app:hit each. Ends with 7.
 *	hardened sealed PROGRAM [ARGS...]
 *		PROGRAM, which may never again make memory executable (77 if
 *		the kernel cannot forbid that)
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE		65
#define PR_MDWE_REFUSE_EXEC_GAIN	1
#endif

enum { ROUNDS = 100, THREADS = 2, LOADS = 2 };

static void hit(const char *who)
{
	long n;

	for (n = 0; n < ROUNDS; n++)
		TAFFRAIL_EVENT(app, hit, who, n);
}

static void *run(void *who)
{
	hit(who);
	return who;
}

static void handle(int signal)
{
	(void)signal;
	hit("handler");
}

static int load(const char *path)
{
	void (*function)(const char *who, int n);
	int i;

	for (i = 0; i < LOADS; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!library)
			return fprintf(stderr, "%s\n", dlerror());
		*(void **)&function = dlsym(library, "modules_hit");
		function("library", i);
		if (dlclose(library))
			return 1;
	}
	return 0;
}

static int child(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		hit("child");
		_exit(0);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int i;

	if (argc > 2 && !strcmp(argv[1], "sealed")) {
		if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0))
			return 77;
		execvp(argv[2], argv + 2);
		return 1;
	}
	if (argc != 2 || signal(SIGUSR1, handle) == SIG_ERR)
		return 2;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, "thread"))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (raise(SIGUSR1) || load(argv[1]) || child())
		return 1;
	puts("all of it");
	return 7;
}
