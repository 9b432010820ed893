/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells how much of its limit of address space is left, before and after ten
 * events, and the same in a forked child. Prints a line each: WHO, bytes left,
 * bytes of the limit, and whether a mapping of 12M, which the program needs
 * now, was refused. With an argument it waits for a line of input first.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define NEED	(12u << 20)

static void tell(const char *who)
{
	unsigned long pages = 0;
	struct rlimit limit;
	FILE *f = fopen("/proc/self/statm", "r");
	void *p;

	if (!f || fscanf(f, "%lu", &pages) != 1 ||
	    getrlimit(RLIMIT_AS, &limit))
		_exit(2);
	fclose(f);
	p = mmap(NULL, NEED, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("%s %lu of %lu %s\n", who,
	       (unsigned long)limit.rlim_cur - pages * 4096,
	       (unsigned long)limit.rlim_cur,
	       p == MAP_FAILED ? "refused" : "mapped");
	fflush(stdout);
	if (p != MAP_FAILED)
		munmap(p, NEED);
}

static void emit(const char *who)
{
	int n;

	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, hit, n);
	tell(who);
}

int main(int argc, char **argv)
{
	(void)argv;
	tell("begins");
	if (argc > 1)
		getchar();
	emit("program");
	if (!fork()) {
		emit("child");
		_exit(0);
	}
	return wait(NULL) < 0;
}
