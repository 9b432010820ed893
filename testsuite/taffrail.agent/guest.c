/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the state that a program can see of itself, after an event if its
 * marker is on: descriptors, limits, mask, dispositions, directories, errno.
 * The output must be the same with and without an agent.
 *	guest exit	leaves main by return 7
 *	guest thread	leaves main by pthread_exit; a thread ends after it
 *	guest abort	ends by SIGABRT
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void print_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fds[64];
	int n = 0;
	int i;

	while (dir && n < 64 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    atoi(entry->d_name) != dirfd(dir))
			fds[n++] = atoi(entry->d_name);
	qsort(fds, (size_t)n, sizeof(*fds), compare);
	printf("descriptors");
	for (i = 0; i < n; i++)
		printf(" %d", fds[i]);
	printf("\nnext %d\n", dup(0));
	if (dir)
		closedir(dir);
}

static void print_signals(void)
{
	struct sigaction action;
	sigset_t mask;
	int i;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("signals");
	for (i = 1; i < 65; i++)
		if (sigismember(&mask, i) == 1 ||
		    (!sigaction(i, NULL, &action) &&
		     action.sa_handler != SIG_DFL))
			printf(" %d", i);
	printf("\n");
}

static void print_rest(void)
{
	struct rlimit limit;
	char path[4096];
	mode_t mask = umask(0);
	int status;
	pid_t none;

	umask(mask);
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("umask %o limit %ld\n", mask, (long)limit.rlim_cur);
	printf("directory %s\n", getcwd(path, sizeof(path)));
	errno = 0;
	none = waitpid(-1, &status, WNOHANG | __WALL);
	printf("children %d %s\n", (int)none, strerror(errno));
}

static void *end_late(void *arg)
{
	pthread_t *main_thread = arg;

	pthread_join(*main_thread, NULL);
	puts("thread ends");
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t main_thread;
	pthread_t thread;
	int n = 1;

	errno = ERANGE;
	TAFFRAIL_EVENT(app, hit, n);
	printf("errno %d\n", errno);
	print_descriptors();
	print_signals();
	print_rest();
	fflush(stdout);
	fputs("error output\n", stderr);
	if (argc > 1 && !strcmp(argv[1], "abort"))
		abort();
	if (argc > 1 && !strcmp(argv[1], "thread")) {
		main_thread = pthread_self();
		if (pthread_create(&thread, NULL, end_late, &main_thread))
			return 1;
		pthread_exit(NULL);
	}
	return 7;
}
