/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters of many threads (buffers/writers/tally.h): no count is doubled or
 * lost, at any interruption.
 */
#include "testsuite/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/sys.h"
#include "buffers/writers/tally.h"
#include "buffers/writers/write.h"

#define THREADS	6
#define TURNS	300000

static struct tally tally;
static uint64_t otherwise;	/* counts that no row took */
static uint64_t handled;

static void count(uint32_t cell)
{
	if (!tally_add(&tally, cell))
		__atomic_fetch_add(&otherwise, 1, __ATOMIC_RELAXED);
}

static void on_signal(int number)
{
	(void)number;
	count(3);
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *count_turns(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < TURNS; i++) {
		count(3);
		if (i % 1000 == 0)
			raise(SIGUSR1);
	}
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[THREADS];
	int i;

	signal(SIGUSR1, on_signal);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count_turns, NULL);
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) <
	       THREADS * TURNS / 1000)
		for (i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGUSR1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unit_equal(tally_sum(&tally, 3) + otherwise,
		   THREADS * TURNS + handled, "threads and handlers");
	unit_equal(tally_sum(&tally, 2) + tally_sum(&tally, 4), 0,
		   "the cells beside it");
}

int main(void)
{
	struct tally none = { 0 };
	int rseq = write_rseq_test();

	unit_equal(tally_add(&none, 0), 0, "no rows");
	unit_equal(tally_sum(&none, 0), 0, "their sum");
	if (rseq) {
		uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

		tally.rows = sys_map_anonymous(cpus * sizeof(tally.rows[0]));
		tally.cpus = tally.rows ? cpus : 0;
	}
	check_threads();
	unit_check(!rseq || otherwise < THREADS * TURNS / 2,
		   "most are counted in rows");
	return unit_end();
}
