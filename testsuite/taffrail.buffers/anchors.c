/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the time into its events, for most of a second, then kills itself:
 *	anchors seldom		some events each millisecond
 *	anchors often		the same and as many of 1 KiB, so that
 *				sub-buffers are switched
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { RUN_MS = 600 };

static int64_t now_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	int often = argc > 1 && !strcmp(argv[1], "often");
	static uint64_t block[128];
	int64_t start = now_ns(CLOCK_MONOTONIC);
	int ms;
	int i;

	for (ms = 0; ms < RUN_MS; ms++) {
		for (i = 0; i < 4; i++) {
			int64_t ns = now_ns(CLOCK_REALTIME);

			TAFFRAIL_EVENT(app, now, ns);
			if (often)
				TAFFRAIL_EVENT(fill, block,
					       TAFFRAIL_ARRAY(block, 128));
		}
		while (now_ns(CLOCK_MONOTONIC) - start < ms * 1000000ll)
			;
	}
	return kill(getpid(), SIGKILL);
}
