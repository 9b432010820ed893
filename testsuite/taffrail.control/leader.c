/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Its first thread ends by pthread_exit(). Another thread obeys lines of input:
 * "nobody" gives up root, "hit" writes app:hit; each is answered. Ends with its
 * input. "sleep" sleeps for a second, and says whether that was interrupted.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

static void nap_shortly(void)
{
	const struct timespec wanted = { .tv_sec = 1 };

	puts("sleeps");
	puts(nanosleep(&wanted, NULL) ? "interrupted" : "slept");
}

static void *obey(void *arg)
{
	char line[64];

	(void)arg;
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "hit\n"))
			TAFFRAIL_EVENT(app, hit);
		else if (!strcmp(line, "sleep\n"))
			nap_shortly();
		else if (strcmp(line, "nobody\n"))
			break;
		else if (setgid(65534) || setuid(65534))
			exit(3);
		puts(line);
	}
	exit(0);
}

int main(void)
{
	pthread_t thread;

	setlinebuf(stdout);
	if (pthread_create(&thread, NULL, obey, NULL))
		return 2;
	pthread_exit(NULL);
}
