/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process takes turns, each of which hits one marker. Between the turns it
 * does what the letters of argv[1] say.
 *
 *	v, f	a child by vfork or fork: v executes true(1), f takes a turn and
 *		ends with status 5
 *	t	a thread that takes a turn and ends
 *	d	a library comes, takes a turn, and goes: argv[2]
 *	s	a handler takes a turn
 *	x	executes itself, with what is behind it
 *	p	becomes the program argv[2]
 *
 * Ends with 3 if all went well. done() is called after the last turn.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <taffrail/marker.h>

static int turns;

static __attribute__((noinline)) void turn(int letter)
{
	turns++;
	TAFFRAIL_EVENT(app, turn, letter, turns);
}

static __attribute__((noinline)) void done(int right)
{
	__asm__ volatile("" : : "r"(right) : "memory");
}

static int child_status(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execlp("true", "true", (char *)NULL);
		_exit(7);
	}
	return child_status(pid) == 0;
}

static int by_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		turn('c');
		_exit(5);
	}
	return child_status(pid) == 5;
}

static void *thread(void *unused)
{
	(void)unused;
	turn('t');
	return NULL;
}

static int by_thread(void)
{
	pthread_t id;

	return !pthread_create(&id, NULL, thread, NULL) &&
	       !pthread_join(id, NULL);
}

static int by_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*visit)(int) = library ? (int (*)(int))dlsym(library, "visit") :
				      NULL;

	return visit && visit(20) == 21 && !dlclose(library);
}

static void handler(int number)
{
	turn('s');
	(void)number;
}

static int one(const char *letters, char **argv)
{
	turn(*letters);
	switch (*letters) {
	case 'v':
		return by_vfork();
	case 'f':
		return by_fork();
	case 't':
		return by_thread();
	case 'd':
		return by_library(argv[2]);
	case 's':
		return !raise(SIGUSR1);
	case 'x':
		execl(argv[0], argv[0], letters + 1, argv[2], (char *)NULL);
		break;
	case 'p':
		/* gdbserver's wrapper preloads the agent */
		unsetenv("LD_PRELOAD");
		execl(argv[2], argv[2], letters + 1, argv[2], (char *)NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int right = 1;
	const char *letters;

	if (argc < 3)
		return 2;
	signal(SIGUSR1, handler);
	for (letters = argv[1]; *letters; letters++)
		right &= one(letters, argv);
	done(right);
	printf("right %d\n", right);
	return right ? 3 : 4;
}
