/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that LTTng's wrappers tell, each as often as it says; -DLOGS: tracef()
 * and tracelog() of all levels. Compiled with -finstrument-functions. Prints
 * the addresses by which events are known.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LOGS
#include <lttng/tracef.h>
#include <lttng/tracelog.h>

#define LOG(level)							\
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_##level,	\
			   "of %s, %d", #level, __LINE__)

static void log_all(void)
{
	int i;

	for (i = 0; i < 7; i++)
		lttng_ust_tracef("formatted %d %s", i, "x");
	LOG(EMERG);
	LOG(ALERT);
	LOG(CRIT);
	LOG(ERR);
	LOG(WARNING);
	LOG(NOTICE);
	LOG(INFO);
	LOG(DEBUG_SYSTEM);
	LOG(DEBUG_PROGRAM);
	LOG(DEBUG_PROCESS);
	LOG(DEBUG_MODULE);
	LOG(DEBUG_UNIT);
	LOG(DEBUG_FUNCTION);
	LOG(DEBUG_LINE);
	LOG(DEBUG);
}
#else
static void log_all(void)
{
}
#endif

__attribute__((noinline)) int called_often(int n)
{
	return n + 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void calls_make(int n)
{
	volatile int sum = 0;
	void *p;
	int i;

	for (i = 0; i < n; i++) {
		p = malloc(12345);
		p = realloc(p, 54321);
		free(p);
		free(calloc(3, 4321));
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		sum += called_often(i);
	}
	(void)sum;
}

int main(void)
{
	void *library;
	int i;

	printf("%p %p\n", (void *)called_often, (void *)&mutex);
	log_all();
	calls_make(100);
	for (i = 0; i < 3; i++) {
		library = dlopen("libm.so.6", RTLD_NOW);
		if (library)
			dlclose(library);
	}
	if (!fork()) {
		calls_make(10);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
