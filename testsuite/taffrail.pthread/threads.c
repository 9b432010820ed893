/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that end in each possible way: return, pthread_exit() below another
 * frame, cancellation inside pthread_cond_wait(), detached. Checks what the
 * program must see; prints "THREAD RETVAL" for each thread.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)							\
	do {								\
		if (!(what)) {						\
			fprintf(stderr, "%d: not %s\n", __LINE__, #what); \
			exit(1);					\
		}							\
	} while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static int waiting;
static int unlocked;
static int left;

static void *returns(void *arg)
{
	return arg;
}

static void leave(void *value)
{
	pthread_cleanup_push((void (*)(void *))free, malloc(16));
	left++;
	pthread_exit(value);
	pthread_cleanup_pop(0);
}

static void *exits(void *arg)
{
	leave(arg);
	return NULL;
}

static void unlock(void *locked)
{
	unlocked++;
	pthread_mutex_unlock(locked);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	waiting = 1;
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}

static void *detached(void *arg)
{
	CHECK(pthread_detach(pthread_self()) == 0);
	printf("0x%lX 0x%lX\n", (unsigned long)pthread_self(),
	       (unsigned long)arg);
	sem_post(&ready);
	return arg;
}

static void end(pthread_t thread, void *expected)
{
	void *value;

	CHECK(pthread_join(thread, &value) == 0);
	CHECK(value == expected);
	printf("0x%lX 0x%lX\n", (unsigned long)thread, (unsigned long)value);
}

int main(void)
{
	pthread_t thread;

	sem_init(&ready, 0, 0);
	CHECK(!pthread_create(&thread, NULL, returns, (void *)0x11));
	end(thread, (void *)0x11);
	CHECK(!pthread_create(&thread, NULL, exits, (void *)0x22));
	end(thread, (void *)0x22);
	CHECK(left == 1);
	CHECK(!pthread_create(&thread, NULL, waits, (void *)0x33));
	pthread_mutex_lock(&mutex);
	while (!waiting) {
		pthread_mutex_unlock(&mutex);
		sched_yield();
		pthread_mutex_lock(&mutex);
	}
	/* It released the mutex, so it is inside pthread_cond_wait(). */
	pthread_mutex_unlock(&mutex);
	CHECK(!pthread_cancel(thread));
	end(thread, PTHREAD_CANCELED);
	CHECK(unlocked == 1);
	CHECK(!pthread_create(&thread, NULL, detached, (void *)0x44));
	sem_wait(&ready);
	/* The process outlives the thread, so its end is recorded, too. */
	fflush(stdout);
	pthread_exit(NULL);
}
