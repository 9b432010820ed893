/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Serving a request: what gdb traces (server.h).
 */
#include <taffrail/marker.h>

#include "server.h"

static __attribute__((noinline)) long reply(int id, const char *url)
{
	long length = 0;

	while (url[length])
		length++;
	TAFFRAIL_MARK(app, reply, "id %d url %s length %ld", id, url, length);
	return length;
}

void serve(int id, struct conn *conn, const char *url)
{
	volatile long weight = id * 2L;
	struct conn *nobody = id % 2 ? conn : (struct conn *)8;

	TAFFRAIL_EVENT(app, request, id, conn->fd, TAFFRAIL_STR(url));
	__atomic_fetch_add(&server.stats.requests, 1, __ATOMIC_RELAXED);
	if (TAFFRAIL_ENABLED(app, heavy))
		TAFFRAIL_EVENT(app, heavy, weight);
	weight += reply(id, url);
	if (nobody == conn)
		__atomic_fetch_add(&server.stats.bytes, weight,
				   __ATOMIC_RELAXED);
}
