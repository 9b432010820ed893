/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that hits app/hit: five times before main(), ten times in main(),
 * and with the word "fork" three times in a child. With "plugin FILE" it clears
 * its environment, and calls the library's plugin_hit() instead. With "filter" a
 * seccomp filter then kills it for opening a file. Ends with 4.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

static void hit(int n)
{
	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

__attribute__((constructor)) static void before(void)
{
	hit(5);
}

static int plugin(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*plugin_hit)(void);

	clearenv();
	*(void **)&plugin_hit = library ? dlsym(library, "plugin_hit") : NULL;
	if (!plugin_hit)
		return 9;
	plugin_hit();
	return 4;
}

static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(*code),
				      .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 9;
	return 4;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "plugin"))
		return plugin(argv[2]);
	hit(10);
	if (argc > 1 && !strcmp(argv[1], "filter"))
		return filter();
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (!fork()) {
			hit(3);
			exit(0);
		}
		wait(NULL);
	}
	return 4;
}
