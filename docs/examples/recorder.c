/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program under a flight recorder: it works until it reads the end of its
 * input, and links the agent, so that a session can be started at any time.
 *
 *	cc -g $(pkg-config --cflags taffrail) recorder.c -o recorder \
 *		$(pkg-config --libs taffrail)
 *	./recorder &
 *	taffrail start rec -p $! --overwrite --buffer-size 256K
 *	taffrail snapshot rec -o first
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include <taffrail/marker.h>

/* Is there input, or its end? */
static int input_ready(int wait_ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, wait_ms) > 0;
}

int main(void)
{
	unsigned long step = 0;
	char c;
	int i;

	puts("ready");
	fflush(stdout);
	for (;;) {
		for (i = 0; i < 1000; i++, step++)
			TAFFRAIL_EVENT(app, step, step);
		if (!input_ready(1))
			continue;
		if (read(STDIN_FILENO, &c, 1) <= 0)
			break;
		TAFFRAIL_EVENT(app, input, c);
	}
	TAFFRAIL_MARK(app, end, "steps %lu", step);
	printf("%lu steps\n", step);
	return 0;
}
