/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes locks of all places: variables, of the heap, of the stack. A lock
 * without a variable is known by the function that made it, or wanted it first.
 * Prints the addresses; with an argument, a second thread waits for the lock
 * that the first took in hold_long(). No function ends with the call that
 * counts, so each is the call's caller.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define APART	__attribute__((noinline, noclone))

pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[4] = { [3] = PTHREAD_MUTEX_INITIALIZER };
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t *made, *bare;
static volatile int count;
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static APART void make_lock(pthread_mutex_t *lock)
{
	pthread_mutex_init(lock, NULL);
	count++;
}

static APART void make_again(pthread_mutex_t *lock)
{
	pthread_mutex_destroy(lock);
	pthread_mutex_init(lock, NULL);
	count++;
}

static APART void want_first(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	count++;
	pthread_mutex_unlock(lock);
}

static APART void want_then(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	count += 2;
	pthread_mutex_unlock(lock);
}

static APART void want_table(void)
{
	pthread_rwlock_rdlock(&table_lock);
	count++;
	pthread_rwlock_unlock(&table_lock);
}

/* Holds the lock until the other thread has wanted it for a while. */
static APART void hold_long(void)
{
	volatile int spent = 0;

	pthread_mutex_lock(&queue_lock);
	pthread_mutex_lock(&state);
	count = -1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&state);
	while (spent < 50000000)
		spent++;
	pthread_mutex_unlock(&queue_lock);
}

static APART void wait_held(void)
{
	pthread_mutex_lock(&state);
	while (count >= 0)
		pthread_cond_wait(&changed, &state);
	pthread_mutex_unlock(&state);
}

static void *hold_beside(void *arg)
{
	wait_held();
	want_then(&queue_lock);
	return arg;
}

int main(int argc, char **argv)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t local = fresh;
	pthread_t thread;

	made = malloc(2 * sizeof(*made));
	bare = malloc(sizeof(*bare));
	if (!made || !bare)
		return 1;
	*bare = fresh;
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	make_lock(&made[0]);
	want_then(&made[0]);
	make_lock(&made[1]);
	make_again(&made[1]);
	want_then(&made[1]);
	want_first(bare);
	want_then(bare);
	want_first(&local);
	want_then(&queue_lock);
	want_then(&locks[3]);
	want_table();
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	if (argc > 1) {
		if (pthread_create(&thread, NULL, hold_beside, NULL))
			return 1;
		hold_long();
		pthread_join(thread, NULL);
	}
	printf("made 0x%lX again 0x%lX bare 0x%lX local 0x%lX\n",
	       (unsigned long)&made[0], (unsigned long)&made[1],
	       (unsigned long)bare, (unsigned long)&local);
	return argv[0] ? 0 : 1;
}
