/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose first thread changes what the kernel keeps for each thread.
 * It reads lines "WORD DIRECTORY", does what WORD says, and says "did WORD
 * ERRNO", until "end". Only "landlock" uses the directory. With the argument
 * "pair" it has a second thread from its start, which a command would rather
 * stop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/mempolicy.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define IOPRIO_BEST_EFFORT_7	(2 << 13 | 7)

int capset(cap_user_header_t head, const cap_user_data_t data);
int capget(cap_user_header_t head, cap_user_data_t data);

/* Makes one capability inheritable, or drops one. */
static int caps_change(unsigned inherit, unsigned drop)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (capget(&head, data))
		return -1;
	data[0].inheritable |= inherit;
	data[0].effective &= ~drop;
	data[0].permitted &= ~drop;
	return capset(&head, data);
}

static int ambient(void)
{
	return caps_change(1u << CAP_CHOWN, 0) ||
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_CHOWN, 0, 0);
}

static int affinity(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

static int policy(void)
{
	const struct sched_param none = { 0 };

	return sched_setscheduler(0, SCHED_BATCH, &none);
}

static int mempolicy(void)
{
	unsigned long node = 1;

	return (int)syscall(SYS_set_mempolicy, MPOL_PREFERRED, &node, 2);
}

static int filter(void)
{
	struct sock_filter allow =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Forbids itself all files but those below `allowed`. */
static int landlock(const char *allowed)
{
	struct landlock_ruleset_attr all = {
		.handled_access_fs = (1ull << 13) - 1,
	};
	struct landlock_path_beneath_attr rule = {
		.allowed_access = all.handled_access_fs,
	};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all),
			      0);
	int ret;

	if (fd < 0)
		return -1;
	rule.parent_fd = open(allowed, O_PATH | O_CLOEXEC);
	if (rule.parent_fd >= 0)
		syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH,
			&rule, 0);
	ret = (int)syscall(SYS_landlock_restrict_self, fd, 0);
	close(rule.parent_fd);
	close(fd);
	return ret;
}

static int change(const char *word, const char *argument)
{
	static const char *const words[] = {
		"securebits", "no_new_privs", "bounding", "ambient", "caps",
		"groups", "dumpable", "mempolicy", "nice", "policy", "ioprio",
		"slack", "affinity", "pkeys", "personality", "namespace",
		"keyring", "seccomp", "umask",
	};
	static const gid_t group = 7;
	size_t i;

	if (!strcmp(word, "landlock"))
		return landlock(argument);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			break;
	switch (i) {
	case 0:
		return prctl(PR_SET_SECUREBITS, SECBIT_NOROOT, 0, 0, 0);
	case 1:
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	case 2:
		return prctl(PR_CAPBSET_DROP, CAP_SYS_TIME, 0, 0, 0);
	case 3:
		return ambient();
	case 4:
		return caps_change(0, 1u << CAP_SYS_TIME);
	case 5:
		return setgroups(1, &group);
	case 6:
		return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	case 7:
		return mempolicy();
	case 8:
		/* another one than this run may have been given */
		return setpriority(PRIO_PROCESS, 0,
				   getpriority(PRIO_PROCESS, 0) == 5 ? 6 : 5);
	case 9:
		return policy();
	case 10:
		return (int)syscall(SYS_ioprio_set, 1, 0, IOPRIO_BEST_EFFORT_7);
	case 11:
		return prctl(PR_SET_TIMERSLACK, 123456, 0, 0, 0);
	case 12:
		return affinity();
	case 13:
		/* a thread has no rights by keys that are not allocated */
		return pkey_alloc(0, 0) > 0 ? 0 : -1;
	case 14:
		return personality(ADDR_NO_RANDOMIZE) < 0;
	case 15:
		return unshare(CLONE_NEWUTS);
	case 16:
		return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING,
			       NULL) < 0;
	case 17:
		return filter();
	case 18:
		umask(0123);
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

static void *wait_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	char line[256], word[32], argument[200];
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "pair") &&
	    pthread_create(&thread, NULL, wait_on, NULL))
		return 2;
	epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("ready");
	fflush(stdout);
	/* attach does not know this wait, but the second thread's */
	while (epoll_wait(epoll, &event, 1, -1) == 1 || errno == EINTR) {
		if (!fgets(line, sizeof(line), stdin) ||
		    !strcmp(line, "end\n"))
			break;
		*argument = '\0';
		sscanf(line, "%31s %199s", word, argument);
		TAFFRAIL_EVENT(app, change, 1);
		printf("did %s %d\n", word, !change(word, argument) ? 0 : errno);
		fflush(stdout);
		errno = EINTR;
	}
	puts("right");
	return 0;
}
