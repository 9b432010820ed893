/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that writes its first event only after a line of input; or with an
 * argument children without end, which write an event.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static int serve(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		if (*line == 'e')
			return 0;
		TAFFRAIL_EVENT(app, child);
		puts("written");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pid_t child;

	(void)argv;
	while (argc > 1) {
		child = fork();
		TAFFRAIL_EVENT(app, child);
		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}

	TAFFRAIL_EVENT(app, parent);
	child = fork();
	if (!child)
		return serve();
	printf("child %d\n", child);
	fflush(stdout);
	return child < 0 || waitpid(child, NULL, 0) != child;
}
