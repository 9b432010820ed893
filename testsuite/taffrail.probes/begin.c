/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that hits app/hit: five times before main(), ten times in main(),
 * and with the word "fork" three times in a child. Ends with 4.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

static void hit(int n)
{
	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

__attribute__((constructor)) static void before(void)
{
	hit(5);
}

int main(int argc, char **argv)
{
	hit(10);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (!fork()) {
			hit(3);
			exit(0);
		}
		wait(NULL);
	}
	return 4;
}
