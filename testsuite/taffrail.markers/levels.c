/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers with levels, and with texts for people, in C and C++. With an
 * argument, the program prints "ready" and hits its markers until its input
 * ends.
 */
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

/* names of levels that a program may have as macros, of its own */
#define debug	1
#define err	(2

#define TAFFRAIL_LEVEL_net	TAFFRAIL_LEVEL(notice)
#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static void work(int id, const char *peer)
{
	TAFFRAIL_EVENT(app, plain, id, (id) + 1);
	TAFFRAIL_EVENT(app, empty);
	TAFFRAIL_EVENT(app, bare, TAFFRAIL_LEVEL(debug));
	TAFFRAIL_EVENT(app, low, TAFFRAIL_LEVEL(emerg), id);
	TAFFRAIL_EVENT(app, warn, TAFFRAIL_LEVEL(warning), peer, id * 2);
	TAFFRAIL_EVENT(app, deep, TAFFRAIL_LEVEL(debug_function),
		       TAFFRAIL_FIELD(level, id));
	TAFFRAIL_EVENT(net, in, TAFFRAIL_LEVEL(err),
		       TAFFRAIL_MESSAGE("from {peer}, {{id {id}}: "
					"\"{bytes}\" {none}"),
		       peer, TAFFRAIL_HEX(id),
		       TAFFRAIL_FIELD(bytes, TAFFRAIL_BYTES("ab", 2)));
	TAFFRAIL_EVENT(net, out, TAFFRAIL_MESSAGE("to {peer}"), peer);
	TAFFRAIL_EVENT(net, shut, id);
	LOG(TAFFRAIL_MESSAGE("wrapped {id}"), TAFFRAIL_LEVEL(crit), id);
	TAFFRAIL_MARK(app, mark, TAFFRAIL_LEVEL(info), "id %d", id);
	TAFFRAIL_MARK(net, mark, "id %d peer %s", id, peer);
	TAFFRAIL_MARK(app, words, "no field");
}

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };

	(void)argv;
	work(7, "host");
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			work(8, "host");
	}
	return 0;
}
