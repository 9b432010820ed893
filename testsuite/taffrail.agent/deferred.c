/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program without a marker. Without an argument it is over at once. Else it
 * does what the arguments say, one after the other: each is a letter, and the
 * rest of the word belongs to it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sdt.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/event.h>
#include <time.h>
#include <unistd.h>

/* The program goes on without them where it has no agent. */
__attribute__((weak)) extern __typeof__(taffrail_event_declare)
	taffrail_event_declare;
__attribute__((weak)) extern __typeof__(taffrail_event_write)
	taffrail_event_write;

static int tell_failed(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

/* Loads a library with a marker, and hits that twice. */
static int library_use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*hit)(int) = library ? (void (*)(int))dlsym(library,
							  "library_hit") : NULL;

	if (!hit)
		return fprintf(stderr, "%s\n", dlerror());
	hit(2);
	return 0;
}

static int event_declare(void)
{
	static const struct taffrail_event_field fields[] = {
		{ "n", TAFFRAIL_T_S32 },
	};
	union taffrail_value value = { .u64_ = 7 };
	struct taffrail_declared *event;

	if (!taffrail_event_declare)
		return 1;
	event = taffrail_event_declare("app", "declared", fields, 1);
	if (event)
		taffrail_event_write(event, &value);
	return !event;
}

/* Prints whether the process has files in the runtime directory. */
static int files_tell(void)
{
	DIR *dir = opendir(getenv("TAFFRAIL_DIR"));
	struct dirent *entry;
	char name[32];
	int found = 0;

	snprintf(name, sizeof(name), "%d.", (int)getpid());
	while (dir && (entry = readdir(dir)))
		found |= !strncmp(entry->d_name, name, strlen(name));
	if (dir)
		closedir(dir);
	puts(found ? "files" : "no files");
	return fflush(stdout);
}

/* Prints how many pages of the agent's library, with its variables behind the
 * data of the file, the process has written. */
static int pages_tell(void)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[PATH_MAX + 100], mode[5] = "";
	unsigned long start, end, last = 0;
	int kib, sum = 0, here = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3) {
			/* libraries may lie side by side */
			here = strstr(line, "/libtaffrail.so") ||
			       (here && start == last && !strchr(line, '/'));
			last = end;
		}
		if (here && sscanf(line, "Anonymous: %d kB", &kib) == 1)
			sum += kib;
	}
	if (file)
		fclose(file);
	printf("%d pages\n", sum * 1024 / (int)sysconf(_SC_PAGESIZE));
	return fflush(stdout);
}

/* Waits until the file PATH has come. */
static void file_await(const char *path)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	while (access(path, F_OK))
		nanosleep(&pause, NULL);
}

/* Waits in calls that a stop of the thread would end early, one that lasts the
 * milliseconds that there are. */
static int call_wait(char how, int ms)
{
	const struct timeval limit = { ms / 1000, ms % 1000 * 1000 };
	int pair[2], poll = epoll_create1(0);
	struct epoll_event event;
	char byte;

	if (how == 'E')
		return epoll_wait(poll, &event, 1, ms);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	       setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit,
			  sizeof(limit)) ||
	       read(pair[0], &byte, 1) >= 0 || errno != EAGAIN;
}

static void on_signal(int number)
{
	if (setgid(getgid()))
		_exit(number);
}

static void *thread_use(void *path)
{
	return library_use(path) ? path : NULL;
}

static int threads_use(char *path)
{
	pthread_t threads[4];
	void *result, *bad = NULL;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, thread_use, path))
			return tell_failed("pthread_create");
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		bad = result ?: bad;
	}
	return !!bad;
}

static void *thread_end(void *nothing)
{
	return nothing;
}

/* A thread whose table of thread-local memory the linker makes. */
static int thread_run(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, thread_end, NULL) ||
	       pthread_join(thread, NULL);
}

/* Prints whether a jump leads from the function that the linker calls when
 * modules come. */
static int linker_tell(void)
{
	const unsigned char *code = (const unsigned char *)_r_debug.r_brk;

	/* an endbr64 */
	puts(code[code[0] == 0xf3 ? 4 : 0] == 0xe9 ? "jump" : "no jump");
	return fflush(stdout);
}

static int child_wait(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status;
}

/* By libc's own function, which the agent does not see. */
static int undumpable_become(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	int (*set)(int, ...) = libc ? (int (*)(int, ...))dlsym(libc, "prctl") :
				      NULL;

	return !set || set(PR_SET_DUMPABLE, 0);
}

static int work_do(char **words);

/* In a child, the rest of the words. */
static int child_do(char **words)
{
	pid_t child = fork();

	if (!child)
		exit(work_do(words));
	return child_wait(child);
}

static int vfork_execute(char *path)
{
	char *argv[] = { path, NULL };
	pid_t child = vfork();

	if (!child) {
		execv(path, argv);
		_exit(127);
	}
	return child_wait(child);
}

/* Loads the library in a child that shares the memory, and uses it here. */
static int vfork_load(const char *path)
{
	pid_t child = vfork();

	if (!child)
		_exit(!dlopen(path, RTLD_NOW));
	return child_wait(child) || library_use(path);
}

/* Installs a filter that kills for getrusage(2), past the agent's functions. */
static int filter_install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	long (*call)(long, ...) = libc ? (long (*)(long, ...))dlsym(libc,
								    "syscall") :
					 NULL;

	return !call || call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int one_do(char *word)
{
	const struct rlimit none = { 3, 3 }, small = { 0, RLIM_INFINITY };
	char *rest = word + 1;
	char *argv[] = { rest, NULL };

	switch (*word) {
	case 'p':
		return files_tell();
	case 'l':
		return library_use(rest);
	case 't':
		return threads_use(rest);
	case 'T':
		return thread_run();
	case 'b':
		return linker_tell();
	case 'e':
		return event_declare();
	case 'w':
		file_await(rest);
		return 0;
	case 'F':
		return filter_install();
	case 'j':
		return puts(getenv("TAFFRAIL_JOIN")) < 0 || fflush(stdout);
	case 'i':
		exit(setuid((uid_t)atoi(rest)));
	case 'm':
		return pages_tell();
	case 'h':
		STAP_PROBE(quiet, hit);
		return 0;
	case 'E':
	case 'R':
		return call_wait(*word, atoi(rest));
	case 'u':
		return setgroups(0, NULL) || setgid((gid_t)atoi(rest)) ||
		       setuid((uid_t)atoi(rest));
	case 'U':
		return (int)syscall(SYS_setuid, (uid_t)atoi(rest));
	case 'L':
		return prlimit(getpid(), RLIMIT_FSIZE, &small, NULL);
	case 'n':
		return unshare(CLONE_NEWNS);
	case 'c':
		return chroot(rest) || chdir("/");
	case 'd':
		return prctl(PR_SET_DUMPABLE, 0);
	case 'D':
		return undumpable_become();
	case 'r':
		return setrlimit(RLIMIT_NOFILE, &none);
	case 's':
		signal(SIGUSR1, on_signal);
		return raise(SIGUSR1);
	case 'v':
		return vfork_execute(rest);
	case 'V':
		return vfork_load(rest);
	case 'x':
		execv(rest, argv);
		return tell_failed(rest);
	}
	return 1;
}

static int work_do(char **words)
{
	for (; *words; words++) {
		if (**words == 'f')
			return child_do(words + 1);
		if (one_do(*words))
			return tell_failed(*words);
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argc;
	return work_do(argv + 1);
}
