/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets its umask, if there is an argument. Then for each line of input it
 * writes ten events, as do two forked children; with "children" as the second
 * argument it does so once, at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void emit(void)
{
	int n;

	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, hit, n);
}

static int round_of_events(void)
{
	int i, status, wrong = 0;

	emit();
	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		emit();
		_exit(0);
	}
	while (wait(&status) > 0)
		wrong |= status;
	return wrong;
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc > 1)
		umask((mode_t)strtol(argv[1], NULL, 8));
	if (argc > 2)
		return round_of_events();
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (round_of_events())
			return 1;
		puts("round");
		fflush(stdout);
	}
	return 0;
}
