/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fills a disk with events, waits until the recorder has said so in the file
 * that argv[1] names, removes the file argv[2] if there is one, and goes on.
 * Prints how many events there were.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <taffrail/marker.h>
#include <unistd.h>

static int n;

static void hit(int count)
{
	const char *text = "forty characters that fill a disk in time";

	while (count--) {
		TAFFRAIL_EVENT(app, hit, n, TAFFRAIL_STR(text));
		n++;	/* not in an argument: counts also when off */
	}
}

int main(int argc, char **argv)
{
	struct stat st = { 0 };
	int i;

	hit(100000);
	for (i = 0; i < 3000 && argc > 1 && !st.st_size; i++) {
		usleep(10000);
		hit(100);
		stat(argv[1], &st);
	}
	if (argc > 2)
		unlink(argv[2]);
	hit(100000);
	printf("%d\n", n);
	return 0;
}
