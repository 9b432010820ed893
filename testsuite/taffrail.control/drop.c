/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Servers that start as root and give root up; the first argument says which.
 *	workers	children change their user before their first event, and then
 *		write on each CPU in turn; so does a child of theirs
 *	alone	it changes its own user, then a child writes
 *	vfork	children of vfork() change theirs, and exec
 *	switch	changes its effective user all the time, children write
 *	thread	a thread changes the effective group all the time, children
 *		of another write
 *	contain	before their first event, children go to a separate user and pid
 *		namespace, in which no thread can be made any more
 *	filter	children get a seccomp filter before their first event
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define NOBODY	65534

static void hit(const char *who, int first, int count)
{
	int n;

	for (n = first; n < first + count; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

/* 10 events on each CPU, as often as it takes: 100 in all. */
static int hit_everywhere(const char *who)
{
	cpu_set_t all;
	cpu_set_t one;
	int done = 0;
	int cpu;

	if (sched_getaffinity(0, sizeof(all), &all))
		return 1;
	while (done < 100) {
		for (cpu = 0; cpu < CPU_SETSIZE && done < 100; cpu++) {
			if (!CPU_ISSET(cpu, &all))
				continue;
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			hit(who, done, 10);
			done += 10;
		}
	}
	return 0;
}

static int await(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int become_nobody(void)
{
	return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY);
}

static int run_worker(int number)
{
	char who[16];
	pid_t child;

	snprintf(who, sizeof(who), "worker%d", number);
	if (become_nobody() || hit_everywhere(who))
		return 1;
	child = fork();
	if (!child) {
		hit("lost", 0, 5);
		_exit(0);
	}
	return await(child);
}

static int run_workers(void)
{
	pid_t child;
	int i;

	for (i = 0; i < 3; i++) {
		child = fork();
		if (!child)
			_exit(run_worker(i));
		if (await(child))
			return 1;
	}
	hit("main", 0, 10);
	return 0;
}

static int run_alone(void)
{
	pid_t child;

	hit("main", 0, 10);
	if (become_nobody())
		return 1;
	child = fork();
	if (!child) {
		hit("lost", 0, 7);
		_exit(0);
	}
	if (await(child))
		return 1;
	hit("main", 10, 10);
	return 0;
}

/* The child must not change anything of its parent. */
static int run_vfork(void)
{
	pid_t child;
	int i;

	hit("main", 0, 10);
	for (i = 0; i < 3; i++) {
		child = vfork();
		if (!child) {
			if (setresuid(NOBODY, NOBODY, NOBODY))
				_exit(1);
			execl("/bin/true", "true", NULL);
			_exit(errno);
		}
		if (await(child))
			return 1;
	}
	hit("main", 10, 10);
	return 0;
}

static int run_switch(void)
{
	char who[16];
	pid_t child;
	int i;

	for (i = 0; i < 20; i++) {
		if (seteuid(NOBODY) || seteuid(0))
			return 1;
		snprintf(who, sizeof(who), "child%d", i);
		child = fork();
		if (!child) {
			if (seteuid(NOBODY))
				_exit(1);
			hit(who, 0, 10);
			if (seteuid(0))
				_exit(1);
			hit(who, 10, 10);
			_exit(0);
		}
		if (await(child))
			return 1;
		hit("main", i, 1);
	}
	return 0;
}

static volatile int over;

static void *change_group(void *arg)
{
	while (!over)
		if (setegid(NOBODY) || setegid(0))
			return arg;
	return NULL;
}

static int run_thread(void)
{
	pthread_t thread;
	void *failed;
	char who[16];
	pid_t child;
	int i;

	if (pthread_create(&thread, NULL, change_group, who))
		return 1;
	for (i = 0; i < 50; i++) {
		snprintf(who, sizeof(who), "child%d", i);
		child = fork();
		if (!child) {
			if (setegid(5))
				_exit(1);
			hit(who, 0, 20);
			_exit(setegid(0));
		}
		if (await(child))
			return 1;
		hit("main", i, 1);
	}
	over = 1;
	return pthread_join(thread, &failed) || failed;
}

static int run_contain(void)
{
	pid_t child;

	hit("main", 0, 10);
	child = fork();
	if (!child) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(1);
		_exit(hit_everywhere("contained"));
	}
	return await(child);
}

static int filter_install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 1,
			 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int run_filter(void)
{
	cpu_set_t all;
	pid_t child;

	hit("main", 0, 10);
	child = fork();
	if (!child) {
		if (sched_getaffinity(0, sizeof(all), &all) ||
		    filter_install())
			_exit(1);
		hit("filtered", 0, 50);
		sched_setaffinity(0, sizeof(all), &all);
		hit("filtered", 50, 50);
		_exit(0);
	}
	return await(child);
}

static const struct {
	const char *name;
	int (*run)(void);
} servers[] = {
	{ "workers", run_workers },
	{ "alone", run_alone },
	{ "vfork", run_vfork },
	{ "switch", run_switch },
	{ "thread", run_thread },
	{ "contain", run_contain },
	{ "filter", run_filter },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(servers) / sizeof(*servers); i++)
		if (!strcmp(argv[1], servers[i].name))
			return servers[i].run();
	return 2;
}
