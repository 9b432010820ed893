/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * At a site a debugger sees only the names of the program. C and C++.
 */
#include <taffrail/marker.h>

struct conn {
	int fd;
	const char *peer;
};

__attribute__((noinline))
static int serve(int id, struct conn *conn, const char *url)
{
	double ms = id * 0.5;
	int status = id & 7;

	TAFFRAIL_EVENT(app, first, id, conn->fd, url, ms);
	if (id) {
		long bytes = id * 10L;

		TAFFRAIL_EVENT(app, second, bytes, TAFFRAIL_STR(conn->peer),
			       TAFFRAIL_BYTES(url, 1));
		TAFFRAIL_MARK(app, third, "status %d", status);
	}
	TAFFRAIL_EVENT(app, fourth);
	if (TAFFRAIL_ENABLED(app, fifth))
		TAFFRAIL_EVENT(app, fifth, ms);
	return status + (int)ms;
}

int main(int argc, char **argv)
{
	struct conn conn = { argc, argv[0] };

	return serve(argc, &conn, "/") == 77;
}
