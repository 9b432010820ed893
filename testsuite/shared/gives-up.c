/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that gives up a right or a resource before a command calls it:
 * "gives-up WORD" does what WORD says, says "ready", and goes on as pass.c does
 * until the line "end".
 */
#define _GNU_SOURCE
#include <linux/landlock.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define NOBODY	65533

static int limit(__rlimit_resource_t resource, rlim_t bytes)
{
	const struct rlimit both = { bytes, bytes };

	return setrlimit(resource, &both);
}

/* All files. "unseen": past libc, where the agent cannot follow. */
static int landlock(int unseen)
{
	struct landlock_ruleset_attr all = {
		.handled_access_fs = (1ull << 13) - 1,
	};
	long fd = syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	long ret = SYS_landlock_restrict_self;

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (!unseen)
		return (int)syscall(SYS_landlock_restrict_self, fd, 0);
	__asm__ volatile("syscall" : "+a"(ret) : "D"(fd), "S"(0l)
			 : "rcx", "r11", "memory");
	return (int)ret;
}

static int give_up(const char *word)
{
	if (!strcmp(word, "user"))
		return setgid(NOBODY) ? -1 : setuid(NOBODY);
	if (!strcmp(word, "children"))
		return unshare(CLONE_NEWPID);
	if (!strcmp(word, "root"))
		return chroot("/proc/self/fdinfo");
	if (!strcmp(word, "data"))
		return limit(RLIMIT_DATA, 0);
	if (!strcmp(word, "space"))
		return limit(RLIMIT_AS, 6 << 20);
	if (!strcmp(word, "landlock"))
		return landlock(0);
	if (!strcmp(word, "unseen"))
		return landlock(1);
	return 0;
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc < 2 || give_up(argv[1]))
		return 2;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		TAFFRAIL_MARK(app, pass, "line %s", line);
	puts("right");
	return 0;
}
