/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe library that tells at the end of the program what it has counted.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <taffrail/probe-library.h>

static atomic_long hits;
static atomic_long sum;

__attribute__((constructor)) static void begun(void)
{
	if (getenv("BEGUN_ENDS"))
		_exit(3);
}

static void count(const struct taffrail_event *event, void *priv)
{
	int64_t value = 0;

	(void)priv;
	taffrail_field_i64(event, 0, &value);
	atomic_fetch_add(&hits, 1);
	atomic_fetch_add(&sum, value);
}

static void with(const struct taffrail_event *event, void *priv)
{
	(void)event;
	(void)priv;
}

/* Has a setting, told as it came. */
static int with_connect(struct taffrail_call *call, void **priv)
{
	const char *unit = taffrail_call_value(call, "unit");

	(void)priv;
	if (!unit) {
		taffrail_call_printf(call, "with needs unit=WORD\n");
		return 1;
	}
	fprintf(stderr, "unit %s\n", unit);
	return 0;
}

__attribute__((destructor)) static void tell(void)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "hits %ld sum %ld\n",
			 (long)hits, (long)sum);

	/* a child of the program may have its output unflushed */
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(9);
}

TAFFRAIL_PROBE_LIBRARY(begun);
TAFFRAIL_PROBE_CALLBACK(count);
TAFFRAIL_PROBE_CALLBACK_WITH(with, 0, with_connect, NULL);
