/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forks at bad times for what stands in for LTTng, where that is not installed.
 *
 *	nested fault LIBRARY	loads the provider LIBRARY, and forks in a
 *				handler of the fault that a list of call sites
 *				causes
 *	nested loop LIBRARY	forks until its input ends
 *	nested plugin LIBRARY PLUGIN	calls a function of PLUGIN's, which
 *				binds one of LTTng's then
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "every.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *page;
static int failed;

static void fork_once(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		lttng_ust_tracepoint(every, one, 2, "child");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	failed |= status;
}

static void on_fault(int number)
{
	(void)number;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	fork_once();
}

/* A list of one call site, which is none, in memory that faults. */
static void fault_raise(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	void *library = dlopen("liblttng-ust-tracepoint.so.1", RTLD_NOW);
	int (*module_register)(void *, int);

	*(void **)&module_register =
		library ? dlsym(library, "lttng_ust_tracepoint_module_register")
			: NULL;
	if (!module_register) {
		puts(dlerror());
		exit(1);
	}
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	module_register(page, 1);
}

static void loop_read(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	fcntl(0, F_SETFL, O_NONBLOCK);
	while (read(0, &byte, 1) < 0)
		fork_once();
}

static void plugin_load(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY);
	void (*function)(void);

	*(void **)&function = library ? dlsym(library, "plug") : NULL;
	if (function)
		function();
	else
		puts(dlerror());
}

int main(int argc, char **argv)
{
	if (argc < 3 || !dlopen(argv[2], RTLD_NOW)) {
		puts(argc < 3 ? "which?" : dlerror());
		return 1;
	}
	lttng_ust_tracepoint(every, one, 1, "before");
	if (argc > 3)
		plugin_load(argv[3]);
	else if (!strcmp(argv[1], "fault"))
		fault_raise();
	else
		loop_read();
	lttng_ust_tracepoint(every, one, 3, "behind");
	puts(failed ? "a child failed" : "right");
	return 0;
}
