/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obeys lines of input:
 *	hit	writes app:hit
 *	stick	a thread writes app:bytes of memory that cannot be read; its
 *		handler of SIGSEGV prints "stuck", and waits in the middle of
 *		the write
 *	go on	lets that thread read the memory, and prints "went"
 * Ends with its input.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <taffrail/marker.h>
#include <unistd.h>

static uint8_t *page;
static int turn[2];		/* a pipe */

static void on_fault(int number)
{
	char byte;

	(void)number;
	if (write(1, "stuck\n", 6) != 6 || read(turn[0], &byte, 1) != 1)
		_exit(3);
	mprotect(page, 4096, PROT_READ);
}

static void *stick(void *arg)
{
	TAFFRAIL_EVENT(app, bytes, TAFFRAIL_BYTES(page, 16));
	return arg;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	pthread_t thread;
	char line[64];

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe(turn) ||
	    sigaction(SIGSEGV, &action, NULL))
		return 2;
	setlinebuf(stdout);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "hit\n")) {
			TAFFRAIL_EVENT(app, hit);
			puts("hits");
		} else if (!strcmp(line, "stick\n")) {
			pthread_create(&thread, NULL, stick, NULL);
		} else if (!strcmp(line, "go on\n")) {
			if (write(turn[1], "", 1) != 1)
				return 4;
			pthread_join(thread, NULL);
			puts("went");
		} else {
			return 0;
		}
	}
	return 0;
}
