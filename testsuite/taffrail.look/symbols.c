/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pointers that are shown with their symbol, in C and C++. Usage: symbols
 * [MODE [LIBRARY [LIBRARY]]]. Compiled with LIBRARY, it is a library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

#define KEPT	__attribute__((noinline, used))
#ifdef __cplusplus
#define BARE	extern "C"
#else
#define BARE	extern
#endif

#ifdef LIBRARY
#define JOINED(a, b)	a##b
#define NAME(a, b)	JOINED(a, b)

static KEPT int NAME(hidden_, LIBRARY)(int x)
{
	return x * 3;
}

static KEPT int NAME(second_, LIBRARY)(int x)
{
	return x * 5;
}

BARE const void *give(int second);
const void *give(int second)
{
	return second ? (const void *)NAME(second_, LIBRARY) :
			(const void *)NAME(hidden_, LIBRARY);
}
#else

typedef void callback(int);
typedef const void *giver(int second);

static KEPT void on_reply(int x)
{
	printf("%d", x);
}

BARE KEPT void on_open(int x);
KEPT void on_open(int x)
{
	printf("%d.", x);
}

static struct {
	int first;
	callback *second;
} table[4];
static const char *text = "text";

static void hit(const char *what, const void *p)
{
	TAFFRAIL_EVENT(app, hit, what, TAFFRAIL_SYMBOL(p));
}

/* Functions, of their own type and as other pointers; data; what has no
 * name. */
static void plain(void)
{
	callback *call = on_reply;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int local = 1;

	TAFFRAIL_EVENT(app, call, TAFFRAIL_MESSAGE("{call}, {name}, {none}"),
		       TAFFRAIL_SYMBOL(call),
		       TAFFRAIL_FIELD(name, TAFFRAIL_SYMBOL(on_open)),
		       TAFFRAIL_FIELD(inside,
				      TAFFRAIL_SYMBOL((char *)on_reply + 1)),
		       TAFFRAIL_FIELD(number, 7), text,
		       TAFFRAIL_SYMBOL(TAFFRAIL_FIELD(data, &table[2].first)),
		       TAFFRAIL_FIELD(library, TAFFRAIL_SYMBOL(getenv)),
		       TAFFRAIL_FIELD(none, TAFFRAIL_SYMBOL(NULL)));
	hit("page", page);
	hit("stack", &local);
	hit("high", (const void *)~0ul);
}

static void *load(const char *path, const void **first, const void **second)
{
	void *library = dlopen(path, RTLD_NOW);
	giver *give = library ? (giver *)dlsym(library, "give") : NULL;

	if (!give) {
		printf("%s\n", dlerror());
		exit(1);
	}
	*first = give(0);
	*second = give(1);
	return library;
}

/* A library that is loaded after the marker was switched on. */
static void libraries(const char *one, const char *other)
{
	const void *first, *second, *third, *fourth;
	void *library = load(one, &first, &second);

	hit("loaded", first);
	dlclose(library);
	hit("unloaded", second);
	library = load(one, &third, &fourth);
	hit("again", third);
	dlclose(library);
	/* mostly where the first one was */
	library = load(other, &third, &fourth);
	hit("other", fourth);
	if (third == first)
		printf("same place\n");
	hit("same", third);
}

static void children(const char *one)
{
	const void *first, *second;
	int status;

	load(one, &first, &second);
	hit("parent", first);
	if (!fork()) {
		hit("child", first);
		hit("own", (const void *)on_reply);
		_exit(0);
	}
	wait(&status);
}

/* Lets the clock of files tick. */
static void tick(void)
{
	struct timespec then, now;

	for (int i = 0; i < 2; i++) {
		clock_gettime(CLOCK_REALTIME_COARSE, &then);
		do
			clock_gettime(CLOCK_REALTIME_COARSE, &now);
		while (now.tv_nsec == then.tv_nsec);
	}
}

/* Waits, for a second at most, until the clock of files is late by more than a
 * tick, as it is on machines whose ticks come late. */
static void late(void)
{
	struct timespec tick, files, now;
	time_t begin = time(NULL);
	long ns;

	clock_getres(CLOCK_REALTIME_COARSE, &tick);
	do {
		clock_gettime(CLOCK_REALTIME_COARSE, &files);
		clock_gettime(CLOCK_REALTIME, &now);
		ns = (now.tv_sec - files.tv_sec) * 1000000000L + now.tv_nsec -
		     files.tv_nsec;
	} while (ns < tick.tv_nsec + 300000 && now.tv_sec < begin + 2);
}

/* The library's file changes while it is loaded, or at once: then the time of
 * the change is often that of the tick before. */
static void changed(const char *path, const char *when)
{
	const void *first, *second;
	FILE *file;

	tick();
	if (when && !strcmp(when, "late"))
		late();
	load(path, &first, &second);
	hit("before", first);
	hit("own", (const void *)on_reply);
	if (!when)
		tick();
	file = fopen(path, "ab");
	if (!file || putc(0, file) == EOF || fclose(file))
		exit(1);
}

/* Code of a file that is no library, but that a library tells of. */
static void mapped(const char *path, const char *one)
{
	const void *first, *second;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  open(path, O_RDONLY | O_CLOEXEC), 0);

	load(one, &first, &second);
	hit("mapped", code);
	hit("loaded", first);
}

/* Code of a file that is open as descriptor 3; hits when a line has come. */
static void given(const char *one)
{
	const void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				3, 4096);
	const void *first, *second;
	char line[16];

	load(one, &first, &second);
	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	hit("given", code);
	hit("loaded", first);
	hit("own", (const void *)on_reply);
	printf("right\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/* Addresses of which each is another one. */
static void many(int n)
{
	static char bytes[200000];

	for (int i = 0; i < n; i++)
		hit(i == 50000 ? "code" : "many",
		    i == 50000 ? (const void *)on_reply : bytes + i);
	hit("last", (const void *)on_open);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	struct pollfd input = { 0, POLLIN, 0 };

	if (!strcmp(mode, "plain"))
		plain();
	else if (!strcmp(mode, "libraries"))
		libraries(argv[2], argv[3]);
	else if (!strcmp(mode, "children"))
		children(argv[2]);
	else if (!strcmp(mode, "mapped"))
		mapped(argv[2], argv[3]);
	else if (!strcmp(mode, "given"))
		given(argv[2]);
	else if (!strcmp(mode, "many"))
		many(atoi(argv[2]));
	else if (!strcmp(mode, "changed"))
		changed(argv[2], argv[3]);
	if (!strcmp(mode, "killed") || !strcmp(mode, "executed") ||
	    !strcmp(mode, "replaced"))
		hit("before", (const void *)on_reply);
	fflush(stdout);
	if (!strcmp(mode, "killed"))
		raise(SIGKILL);
	if (!strcmp(mode, "executed"))
		execl(argv[0], argv[0], "plain", (char *)NULL);
	if (!strcmp(mode, "replaced"))
		return !!rename(argv[2], argv[3]);
	if (!strcmp(mode, "looping")) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit("loop", (const void *)on_reply);
	}
	return 0;
}
#endif
