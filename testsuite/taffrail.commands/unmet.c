/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unmet [SECONDS [HITS]]: has app/hit and, after that time, hits it. Ends with
 * 3 at SIGINT; if its name has "deaf", only at SIGTERM, with 4.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void end_by_signal(int number)
{
	_exit(number == SIGINT ? 3 : 4);
}

int main(int argc, char **argv)
{
	int hits = argc > 2 ? atoi(argv[2]) : 0;

	signal(SIGINT, strstr(argv[0], "deaf") ? SIG_IGN : end_by_signal);
	signal(SIGTERM, end_by_signal);
	if (argc > 1)
		usleep((useconds_t)(atof(argv[1]) * 1e6));
	for (int i = 0; i < hits; i++)
		TAFFRAIL_EVENT(app, hit, i);
	return 0;
}
