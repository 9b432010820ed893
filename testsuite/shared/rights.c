/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that start as root and give up rights. Each step prints its result,
 * and the rights of the threads after it, which must be the same with and
 * without an agent. A numbered event follows each step.
 *	user	groups, gid, uid, and in vain back again
 *	toggle	the effective uid, back and forth
 *	caps	keeps one capability over setuid()
 *	libcap	drops all capabilities, by capset() alone
 *	threads	setuid() with threads of the program's own
 *	userns	unshare(CLONE_NEWUSER), then all other namespaces
 *	mountns	setns() to the mount namespace it is in
 *	raw	ids, past libc's functions
 *	blind	the same, in a place without /proc
 *	many	500 changes of the effective uid, nothing else
 *	filter	a seccomp filter that kills for what the agent would do
 *	tsync	the same, for all threads, after another filter
 *	landlock	all files, by a Landlock domain; then forks
 *	landexec	to write to files, in the same way; executes itself
 * With a second argument it waits for a line of its input before and after.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define NOBODY	65534
#define STATUS_BYTES	8192

int capset(cap_user_header_t head, const cap_user_data_t data);
int capget(cap_user_header_t head, cap_user_data_t data);

static int steps;

/* The lines that count, of one thread. */
static void rights_read(const char *tid, char *out)
{
	static const char *const words[] = { "Uid:", "Gid:", "Groups:",
					     "CapPrm:", "CapEff:", "Seccomp:" };
	char path[300];
	char line[1024];
	size_t i;
	FILE *file;

	*out = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!strncmp(line, words[i], strlen(words[i])))
				strcat(out, line);
	if (file)
		fclose(file);
}

/* Prints the rights of the first thread, and whether others differ. */
static void rights_print(void)
{
	static char first[STATUS_BYTES];
	static char other[STATUS_BYTES];
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)getpid());
	rights_read(number, first);
	printf("%s", first);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		rights_read(entry->d_name, other);
		if (*other && strcmp(first, other))
			printf("another thread has:\n%s", other);
	}
	if (dir)
		closedir(dir);
}

static void step(const char *name, int ret)
{
	int error = errno;

	printf("%s %d %s, dumpable %d\n", name, ret,
	       ret ? strerror(error) : "", prctl(PR_GET_DUMPABLE));
	rights_print();
	TAFFRAIL_EVENT(app, step, steps);
	steps++;
	errno = 0;
}

#define STEP(call)	step(#call, call)

static int run_user(void)
{
	static const gid_t groups[] = { 1, 7, NOBODY };

	STEP(setgroups(3, groups));
	STEP(setresgid(-1, 1, -1));
	STEP(setgid(NOBODY));
	STEP(initgroups("nobody", NOBODY));
	STEP(setuid(NOBODY));
	STEP(setuid(0));
	STEP(setgid(0));
	STEP(setgroups(0, groups));
	return 0;
}

static int run_toggle(void)
{
	STEP(seteuid(NOBODY));
	STEP(seteuid(0));
	STEP(setegid(5));
	STEP(setreuid(5, NOBODY));
	STEP(setreuid(-1, 5));
	STEP(setresuid(0, 5, NOBODY));
	STEP(setresuid(NOBODY, 0, 0));
	STEP(setregid(5, 6));
	STEP(setuid(5));
	STEP(prctl(PR_SET_DUMPABLE, 1));
	STEP(setuid(0));
	return 0;
}

static int keep(unsigned int capabilities)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .permitted = capabilities, .effective = capabilities },
	};

	return capset(&head, data);
}

static int run_caps(void)
{
	STEP(prctl(PR_SET_KEEPCAPS, 1));
	STEP(setresuid(NOBODY, NOBODY, NOBODY));
	STEP(keep(1u << CAP_NET_BIND_SERVICE | 1u << CAP_KILL));
	STEP(keep(1u << CAP_NET_BIND_SERVICE));
	STEP(keep(~0u));
	return 0;
}

static int run_libcap(void)
{
	STEP(keep(1u << CAP_SETUID));
	STEP(setuid(NOBODY));
	return 0;
}

/* libc interrupts it for each setuid(). */
static void *sleep_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int run_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			return 1;
	STEP(setgroups(0, NULL));
	STEP(setgid(NOBODY));
	STEP(setuid(NOBODY));
	STEP(unshare(CLONE_NEWUSER));
	return 0;
}

static int run_userns(void)
{
	STEP(unshare(CLONE_NEWUSER));
	STEP(unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC));
	STEP(unshare(CLONE_NEWUSER));
	STEP(unshare(CLONE_FS));
	STEP(unshare(CLONE_THREAD));
	STEP(unshare(CLONE_VM));
	STEP(unshare(CLONE_NEWUSER | CLONE_NEWPID));
	STEP(unshare(1));
	return 0;
}

static int run_mountns(void)
{
	int fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	int user = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

	STEP(setns(fd, CLONE_NEWNS));
	STEP(setns(fd, 0));
	STEP(setns(user, CLONE_NEWUSER));
	STEP(setns(-1, 0));
	close(fd);
	close(user);
	return 0;
}

static int run_raw(void)
{
	static const gid_t groups[] = { 9 };

	syscall(SYS_setgroups, 1, groups);
	syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
	syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	return 0;
}

static int run_blind(void)
{
	if (chroot("/sys") || chdir("/"))
		return 1;
	return run_raw();
}

static int run_many(void)
{
	int i;

	for (i = 0; i < 500; i++) {
		if (seteuid(i & 1 ? 0 : NOBODY))
			return 1;
		TAFFRAIL_EVENT(app, step, steps);
		steps++;
	}
	return 0;
}

#define KILL_FOR(number)                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),       \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static int filter_install(unsigned int flags, int kill)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		KILL_FOR(SYS_accept4), KILL_FOR(SYS_recvfrom),
		KILL_FOR(SYS_clone), KILL_FOR(SYS_mmap),
		KILL_FOR(SYS_close_range), KILL_FOR(SYS_openat),
		KILL_FOR(SYS_rt_sigprocmask), KILL_FOR(SYS_unlinkat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (!kill) {
		program.filter = &code[17];
		program.len = 1;
	}
	return flags ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				    flags, &program) :
		       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void hit(int count)
{
	for (; count; count--, steps++)
		TAFFRAIL_EVENT(app, step, steps);
}

static int run_filter(void)
{
	if (filter_install(SECCOMP_FILTER_FLAG_LOG << 5, 0) != -1 ||
	    errno != EINVAL)
		return 1;
	hit(5);
	if (filter_install(0, 1))
		return 1;
	hit(5);
	return 0;
}

static int run_tsync(void)
{
	if (filter_install(0, 0) ||
	    filter_install(SECCOMP_FILTER_FLAG_TSYNC, 1))
		return 1;
	hit(5);
	return 0;
}

#define ALL	((1ull << 13) - 1)
#define WRITES	(LANDLOCK_ACCESS_FS_WRITE_FILE | 0x1ff << 4)

/* With `flags` that no kernel knows, the call fails. */
static int landlock_from(uint64_t rights, unsigned flags)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = rights };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all),
			      0);
	int ret = (int)syscall(SYS_landlock_restrict_self, fd, flags);
	int error = errno;

	close(fd);
	errno = error;
	return ret;
}

/* Each child has three events of its own. */
static int run_landlock(void)
{
	int i, status;

	STEP(landlock_from(ALL, 1u << 31));
	STEP(landlock_from(ALL, 0));
	STEP(open("/etc/passwd", O_RDONLY));
	STEP(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	for (i = 0; i < 2; i++) {
		fflush(stdout);
		if (!fork()) {
			TAFFRAIL_EVENT(app, child, i);
			TAFFRAIL_EVENT(app, child, i);
			TAFFRAIL_EVENT(app, child, i);
			_exit(0);
		}
		wait(&status);
		printf("child %d\n", status);
	}
	return 0;
}

static int run_landexec(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock_from(WRITES, 0))
		return 1;
	execl("/proc/self/exe", "rights", "hit", NULL);
	return 1;
}

static int run_hit(void)
{
	hit(5);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
	{ "user", run_user },	    { "toggle", run_toggle },
	{ "caps", run_caps },	    { "libcap", run_libcap },
	{ "threads", run_threads }, { "userns", run_userns },
	{ "mountns", run_mountns }, { "raw", run_raw },
	{ "blind", run_blind },	    { "many", run_many },
	{ "filter", run_filter },   { "tsync", run_tsync },
	{ "landlock", run_landlock }, { "landexec", run_landexec },
	{ "hit", run_hit },
};

static int wait_line(const char *word)
{
	char line[16];

	printf("%s\n", word);
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}

int main(int argc, char **argv)
{
	size_t i;
	int ret = 2;

	hit(1);
	if (argc > 2 && wait_line("ready"))
		return 2;
	for (i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(argv[1], programs[i].name))
			ret = programs[i].run();
	if (argc > 2 && wait_line("done"))
		return 2;
	hit(1);
	printf("steps %d\n", steps);
	return ret;
}
