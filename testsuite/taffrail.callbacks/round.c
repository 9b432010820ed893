/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe library of rounds.c. Each connection has memory of its own, which is
 * freed when no thread may be in the callback.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include <taffrail/probe-library.h>

extern struct found {
	atomic_long hits;
	atomic_long late;
	atomic_long open;
} rounds_found;

struct connection {
	int alive;
};

static int count_connect(struct taffrail_call *call, void **priv)
{
	struct connection *connection = malloc(sizeof(*connection));

	(void)call;
	if (!connection)
		return 1;
	*connection = (struct connection){ .alive = 1 };
	atomic_fetch_add(&rounds_found.open, 1);
	*priv = connection;
	return 0;
}

static void count_disconnect(void *priv)
{
	struct connection *connection = priv;

	connection->alive = 0;
	free(connection);
	atomic_fetch_sub(&rounds_found.open, 1);
}

static void count(const struct taffrail_event *event, void *priv)
{
	const struct connection *connection = priv;
	int64_t value;

	if (!taffrail_field_i64(event, taffrail_field(event, "i"), &value) ||
	    !connection->alive)
		atomic_fetch_add(&rounds_found.late, 1);
	atomic_fetch_add_explicit(&rounds_found.hits, 1, memory_order_relaxed);
}

#define LIBRARY(name)	TAFFRAIL_PROBE_LIBRARY(name)
LIBRARY(NAME);
TAFFRAIL_PROBE_CALLBACK_WITH(count, 0, count_connect, count_disconnect);
