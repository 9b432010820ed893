/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads probe libraries, connects, enables, disables and disconnects their
 * callbacks and unloads them again, as commands do, while other threads hit the
 * markers: "rounds N LIBRARY LIBRARY".
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

#include <taffrail/marker.h>
#include <taffrail/probe.h>

#include "../../control/request.h"
#include "../shared/results.h"

#define HITTERS	4

/* What the libraries find: they count here, since they are gone in the end. */
struct found {
	atomic_long hits;	/* of callbacks that were called */
	atomic_long late;	/* the part that was called when closed */
	atomic_long open;	/* connections */
};
struct found rounds_found;

static const char *(*request_run)(struct request *request);
static atomic_int stop;
static atomic_int failed;
static int rounds;

static int ask_once(struct request *request)
{
	int ret;

	request->over = 0;
	request_run(request);
	ret = request->status;
	if (ret && ret != -EBUSY && !atomic_fetch_add(&failed, 1))
		printf("# %s# answers %d: %.*s\n", request->text, ret,
		       (int)request->answer_bytes, (char *)request->answer);
	request->over = 1;
	request_run(request);
	return ret;
}

/* Runs a request. Returns its status. On a machine that is busy, the other
 * library may have the turn for long, or a thread stay in a callback. */
static int ask(const char *format, ...)
{
	struct request request = { 0 };
	va_list args;
	int ret;

	va_start(args, format);
	vsnprintf(request.text, sizeof(request.text), format, args);
	va_end(args);
	do
		ret = ask_once(&request);
	while (ret == -EBUSY);
	return ret;
}

/* Sleeps between bursts: a thread that the scheduler interrupts in a hit holds
 * up each grace period. */
static void *hits(void *arg)
{
	const struct timespec pause = { .tv_nsec = 10000 };

	(void)arg;
	while (!stop) {
		for (int i = 40; i < 60; i++) {
			TAFFRAIL_EVENT(app, hit, i);
			TAFFRAIL_EVENT(app, other, i);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

struct library {
	const char *path;
	const char *name;
};

/* One way through the life of a library; every other one unloads it while its
 * callbacks are enabled. */
static int one_round(const struct library *l, int i)
{
	if (ask("do=load\npath=%s\n", l->path) ||
	    ask("do=connect\nrule=app/*\nfunction=%s:count\nenable=1\n",
		l->name) ||
	    ask("do=connect\nrule=app/hit if i > 50\nfunction=%s:count\n",
		l->name) ||
	    ask("do=enable\nrule=app/hit if i > 50\n"))
		return -1;
	if (i & 1)
		return ask("do=unload\npath=%s\n", l->path);
	return ask("do=disable\nrule=app/hit if i > 50\n") ||
	       ask("do=disconnect\nrule=app/hit if i > 50\n"
		   "function=%s:count\n", l->name) ||
	       ask("do=disconnect\nrule=app/*\nfunction=%s:count\n",
		   l->name) ||
	       ask("do=unload\npath=%s\n", l->path);
}

static void *lives(void *library)
{
	for (int i = 0; i < rounds && !failed; i++)
		one_round(library, i);
	return NULL;
}

int main(int argc, char **argv)
{
	struct library libraries[2] = { { .name = "one" }, { .name = "two" } };
	pthread_t hitters[HITTERS], others[2];
	int i;

	if (argc != 4)
		return 2;
	rounds = atoi(argv[1]);
	*(void **)&request_run = dlsym(RTLD_DEFAULT, REQUEST_FUNCTION);
	if (!check("the library takes requests",
		   !taffrail_probe_unavailable() && request_run))
		return 1;
	for (i = 0; i < HITTERS; i++)
		pthread_create(&hitters[i], NULL, hits, NULL);
	for (i = 0; i < 2; i++) {
		libraries[i].path = argv[2 + i];
		pthread_create(&others[i], NULL, lives, &libraries[i]);
	}
	for (i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	stop = 1;
	for (i = 0; i < HITTERS; i++)
		pthread_join(hitters[i], NULL);
	check_equal("requests that failed", failed, 0);
	check("callbacks were called", rounds_found.hits > 0);
	check_equal("connections that are open", rounds_found.open, 0);
	check_equal("callbacks that were called when closed",
		    rounds_found.late, 0);
	return 0;
}
