/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe library for a program that knows nothing of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <taffrail/probe-library.h>

static uint64_t hits;
static uint64_t sum;
static int blocks;
static int inside;
static int closed;
static int left;
static int forked = -1;

/* A library may fork while it is loaded. */
__attribute__((constructor)) static void loaded(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(7);
	if (pid > 0 && waitpid(pid, &status, 0) == pid)
		forked = WEXITSTATUS(status);
}

static void count(const struct taffrail_event *event, void *priv)
{
	int64_t value = 0;

	(void)priv;
	taffrail_field_i64(event, 0, &value);
	__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum, (uint64_t)value, __ATOMIC_RELAXED);
}

/* Stays in the callback until told. */
static void block(const struct taffrail_event *event, void *priv)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	(void)event;
	(void)priv;
	__atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&blocks, __ATOMIC_SEQ_CST))
		nanosleep(&pause, NULL);
	__atomic_store_n(&inside, 0, __ATOMIC_SEQ_CST);
}

/* Counts the values from `least` on. */
static int every_connect(struct taffrail_call *call, void **priv)
{
	const char *least = taffrail_call_value(call, "least");
	int64_t *at;

	if (!least) {
		taffrail_call_printf(call, "every needs least=NUMBER\n");
		return 1;
	}
	at = malloc(sizeof(*at));
	*at = atoll(least);
	*priv = at;
	return 0;
}

static void every_disconnect(void *priv)
{
	__atomic_fetch_add(&closed, 1, __ATOMIC_RELAXED);
	free(priv);
}

static void every(const struct taffrail_event *event, void *priv)
{
	int64_t value = 0;

	if (taffrail_field_i64(event, 0, &value) && value >= *(int64_t *)priv)
		__atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static int print(struct taffrail_call *call)
{
	taffrail_call_printf(call, "hits %" PRIu64 " sum %" PRIu64
			     " forked %d inside %d%s closed %d\n", hits, sum,
			     forked, inside, left ? " left" : "", closed);
	return 0;
}

static int set(struct taffrail_call *call)
{
	const char *value = taffrail_call_value(call, "blocks");

	if (!value)
		return 3;
	__atomic_store_n(&blocks, atoi(value), __ATOMIC_SEQ_CST);
	return 0;
}

/* Makes a child that waits to be killed. */
static int child(struct taffrail_call *call)
{
	pid_t pid = fork();

	while (!pid)
		pause();
	taffrail_call_printf(call, "%d\n", pid);
	return pid < 0;
}

/* Ends it. */
static int reap(struct taffrail_call *call)
{
	pid_t pid = atoi(taffrail_call_word(call, 0));
	int status;

	return kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid;
}

static int words(struct taffrail_call *call)
{
	for (int i = 0; i < taffrail_call_words(call); i++)
		taffrail_call_printf(call, "<%s>\n",
				     taffrail_call_word(call, i));
	return taffrail_call_word(call, taffrail_call_words(call)) != NULL;
}

static int much(struct taffrail_call *call)
{
	const char *lines = taffrail_call_word(call, 0);

	for (int i = 0; i < atoi(lines); i++)
		taffrail_call_printf(call, "%099d\n", i);
	return 0;
}

static int leave(struct taffrail_call *call)
{
	(void)call;
	left = 1;
	pthread_exit(NULL);
}

TAFFRAIL_PROBE_LIBRARY(loaded);
TAFFRAIL_PROBE_CALLBACK(count);
TAFFRAIL_PROBE_CALLBACK(block);
TAFFRAIL_PROBE_CALLBACK_WITH(every, TAFFRAIL_PROBE_SIGNAL, every_connect,
			     every_disconnect);
TAFFRAIL_PROBE_CALL(print);
TAFFRAIL_PROBE_CALL(set);
TAFFRAIL_PROBE_CALL(words);
TAFFRAIL_PROBE_CALL(child);
TAFFRAIL_PROBE_CALL(reap);
TAFFRAIL_PROBE_CALL(much);
TAFFRAIL_PROBE_CALL(leave);
