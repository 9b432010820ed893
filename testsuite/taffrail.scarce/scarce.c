/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scarce FILE: hits a marker 100 times. Then it removes FILE, which took the
 * room for buffers, and hits another one 40 times in at least 400 ms.
 *
 * scarce FILE N: hits a marker 100 times, and ends when N processes have.
 *
 * scarce -: prints "ready", and waits for the end of its input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <taffrail/marker.h>

/* Adds a byte to the file, and waits until it has `n`. */
static int together(const char *file, int n)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct stat st = { 0 };

	if (fd < 0 || write(fd, "", 1) != 1)
		return 1;
	while (!fstat(fd, &st) && st.st_size < n)
		usleep(1000);
	return st.st_size < n;
}

int main(int argc, char **argv)
{
	int n;

	if (argc > 1 && !strcmp(argv[1], "-")) {
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
		return 0;
	}
	for (n = 0; n < 100; n++)
		TAFFRAIL_EVENT(app, hit, n);
	if (argc > 2)
		return together(argv[1], atoi(argv[2]));
	if (argc < 2 || unlink(argv[1]))
		return 0;
	for (n = 0; n < 40; n++) {
		TAFFRAIL_EVENT(app, again, n);
		usleep(10000);
	}
	return 0;
}
