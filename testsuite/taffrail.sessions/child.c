/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that writes its first event only after a line of input.
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

int main(void)
{
	pid_t child;

	TAFFRAIL_EVENT(app, parent);
	child = fork();
	if (!child)
		return serve();
	printf("child %d\n", child);
	fflush(stdout);
	return child < 0 || waitpid(child, NULL, 0) != child;
}
