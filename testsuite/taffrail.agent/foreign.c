/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls the functions that the agent wraps, in a libc that is not glibc: each
 * step prints its name, and the last one is exit status 7. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
extern char **environ;

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		       WEXITSTATUS(status) :
		       -1;
}

static int child(void *arg)
{
	TAFFRAIL_EVENT(app, child, arg);
	_exit(3);
}

static void *thread(void *arg)
{
	pthread_mutex_lock(&mutex);
	TAFFRAIL_EVENT(app, thread, arg);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static int forked(void)
{
	pid_t pid = fork();

	if (!pid)
		child(NULL);
	return status_of(pid);
}

static int executed(char **argv)
{
	char *const again[] = { argv[0], (char *)"again", NULL };
	pid_t pid = vfork();

	if (!pid) {
		execv(argv[0], again);
		_exit(9);
	}
	return status_of(pid);
}

static int spawned(char **argv)
{
	char *const again[] = { argv[0], (char *)"again", NULL };
	pid_t pid = -1;

	return posix_spawn(&pid, argv[0], NULL, NULL, again, environ) ?
		       -1 :
		       status_of(pid);
}

static int cloned(void)
{
	return status_of(clone(child, stack + sizeof(stack), SIGCHLD, NULL));
}

static int threaded(void)
{
	pthread_t id;
	void *value = NULL;

	return pthread_create(&id, NULL, thread, &id) ? -1 :
	       pthread_join(id, &value)		      ? -1 :
							value == &id;
}

static int called(void)
{
	int own = setuid(getuid()) || setgid(getgid());
	void *page =
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	own |= mprotect(page, 4096, PROT_READ | PROT_WRITE);
	own |= prctl(PR_SET_NAME, "foreign");
	own |= syscall(SYS_getpid) != getpid();
	own |= syscall(-1L) != -1 || errno != ENOSYS;
	own |= unshare(0);
	return own;
}

int main(int argc, char **argv)
{
	TAFFRAIL_EVENT(app, begin, argc);
	if (argc > 1)
		return 5;
	printf("fork %d\n", forked());
	printf("exec %d\n", executed(argv));
	printf("spawn %d\n", spawned(argv));
	printf("clone %d\n", cloned());
	printf("thread %d\n", threaded());
	printf("calls %d\n", called());
	return 7;
}
