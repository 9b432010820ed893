/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls every wrapped function on private objects, and prints for each call, in
 * order, the two events that it must write: "NAME OBJECT RET". There is one
 * thread, so nothing may wait: calls with a time-out get a time that has
 * passed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define CALL(name, object, ...)						\
	do {								\
		int ret_;						\
									\
		errno = 4711;						\
		ret_ = pthread_##name(__VA_ARGS__);			\
		printf("%s 0x%lX %d\n", #name, (unsigned long)(object),	\
		       ret_);						\
		if (errno != 4711)					\
			printf("errno %d after %s\n", errno, #name);	\
	} while (0)

static const struct timespec past = { 1, 0 };

static void mutexes(void)
{
	static pthread_mutex_t m;

	CALL(mutex_init, &m, &m, NULL);
	CALL(mutex_lock, &m, &m);
	CALL(mutex_trylock, &m, &m);
	CALL(mutex_timedlock, &m, &m, &past);
	CALL(mutex_clocklock, &m, &m, CLOCK_MONOTONIC, &past);
	CALL(mutex_unlock, &m, &m);
	CALL(mutex_destroy, &m, &m);
}

static void rwlocks(void)
{
	static pthread_rwlock_t rw;

	CALL(rwlock_init, &rw, &rw, NULL);
	CALL(rwlock_rdlock, &rw, &rw);
	CALL(rwlock_tryrdlock, &rw, &rw);
	CALL(rwlock_timedrdlock, &rw, &rw, &past);
	CALL(rwlock_clockrdlock, &rw, &rw, CLOCK_MONOTONIC, &past);
	CALL(rwlock_trywrlock, &rw, &rw);
	CALL(rwlock_timedwrlock, &rw, &rw, &past);
	CALL(rwlock_clockwrlock, &rw, &rw, CLOCK_MONOTONIC, &past);
	CALL(rwlock_unlock, &rw, &rw);
	CALL(rwlock_unlock, &rw, &rw);
	CALL(rwlock_unlock, &rw, &rw);
	CALL(rwlock_unlock, &rw, &rw);
	CALL(rwlock_wrlock, &rw, &rw);
	CALL(rwlock_unlock, &rw, &rw);
	CALL(rwlock_destroy, &rw, &rw);
}

static void conditions(void)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c;

	CALL(cond_init, &c, &c, NULL);
	CALL(mutex_lock, &m, &m);
	CALL(cond_timedwait, &c, &c, &m, &past);
	CALL(cond_clockwait, &c, &c, &m, CLOCK_MONOTONIC, &past);
	CALL(mutex_unlock, &m, &m);
	CALL(cond_signal, &c, &c);
	CALL(cond_broadcast, &c, &c);
	CALL(cond_destroy, &c, &c);
}

static void barriers_and_spins(void)
{
	static pthread_barrier_t b;
	static pthread_spinlock_t s;

	CALL(barrier_init, &b, &b, NULL, 0);
	CALL(barrier_init, &b, &b, NULL, 1);
	CALL(barrier_wait, &b, &b);
	CALL(barrier_destroy, &b, &b);
	CALL(spin_init, &s, &s, PTHREAD_PROCESS_PRIVATE);
	CALL(spin_lock, &s, &s);
	CALL(spin_trylock, &s, &s);
	CALL(spin_unlock, &s, &s);
	CALL(spin_destroy, &s, &s);
}

int main(void)
{
	mutexes();
	rwlocks();
	conditions();
	barriers_and_spins();
	return 0;
}
