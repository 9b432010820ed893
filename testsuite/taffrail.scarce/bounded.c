/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Emits far more than a recorded directory may hold: argv[1] events in each of
 * argv[2] processes, the first process last, slowly enough to lose none if the
 * machine is not too busy. argv[3] "together": the others run at the same time;
 * "kill": the program kills itself in the end.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void emit(int child, int count)
{
	const char *text = "forty characters that fill a disk in time";
	int n;

	for (n = 0; n < count; n++) {
		TAFFRAIL_EVENT(app, hit, child, n, TAFFRAIL_STR(text));
		if (n % 200 == 0)
			usleep(1000);
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100000;
	int children = argc > 2 ? atoi(argv[2]) : 1;
	const char *how = argc > 3 ? argv[3] : "";
	int i;

	for (i = 1; i < children; i++) {
		if (!fork()) {
			emit(i, count);
			_exit(0);
		}
		if (strcmp(how, "together"))
			wait(NULL);
	}
	while (wait(NULL) > 0)
		;
	emit(0, count);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	return 0;
}
