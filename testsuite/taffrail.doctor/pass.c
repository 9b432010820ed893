/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes a marker ten times. With an argument, says "ready", and passes it ten
 * times more for each line of its input, until the line "end". At the line
 * "fork" it makes a child, which waits until it is killed.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <taffrail/marker.h>

static void pass(void)
{
	int i;

	for (i = 0; i < 10; i++)
		TAFFRAIL_MARK(app, pass, "i %d", i);
}

static pid_t child_make(void)
{
	pid_t child = fork();

	while (!child)
		pause();
	printf("child %d\n", (int)child);
	fflush(stdout);
	return child;
}

int main(int argc, char **argv)
{
	char line[64];
	pid_t child = 0;

	(void)argv;
	pass();
	if (argc < 2)
		return 0;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		if (!strcmp(line, "fork\n"))
			child = child_make();
		else
			pass();
	if (child > 0)
		kill(child, SIGKILL);
	puts("right");
	return 0;
}
