/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lives of threads: one returns, one calls pthread_exit(), one is cancelled in
 * pthread_cond_wait(), and one still runs when the process exits.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t ready;

static void *returns(void *arg)
{
	return arg;
}

static void *exits(void *arg)
{
	pthread_exit(arg);
}

static void unlock(void *locked)
{
	pthread_mutex_unlock(locked);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}

static void *stays(void *arg)
{
	sem_post(&ready);
	for (;;)
		pause();
	return arg;
}

static void join_one(void *(*routine)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, NULL) ||
	    pthread_join(thread, NULL))
		abort();
}

int main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	if (pthread_create(&thread, NULL, stays, NULL))
		abort();
	while (sem_wait(&ready))
		;
	join_one(returns);
	join_one(exits);
	if (pthread_create(&thread, NULL, waits, NULL))
		abort();
	while (sem_wait(&ready))
		;
	pthread_mutex_lock(&mutex);
	/* It released the mutex, so it is inside pthread_cond_wait(). */
	pthread_mutex_unlock(&mutex);
	if (pthread_cancel(thread) || pthread_join(thread, NULL))
		abort();
	exit(0);
}
