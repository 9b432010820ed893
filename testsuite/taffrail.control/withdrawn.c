/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes back the agent's offer of a service thread when it is told to; each
 * line of its input is one order:
 *
 *	unshare		for the time of an unshare(2): "unshared"
 *	exec FILE	for a second: a program that calls execve(2) waits as
 *			long for a command that is about to send a signal. FILE
 *			is the process's page, where the order pretends such a
 *			command. "withdrawn", and when the exec has failed,
 *			"offered"
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffers/layout.h"

static volatile struct process_wake *wake;

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

static void *watch(void *arg)
{
	while (wake->state != WAKE_NONE)
		usleep(100);
	say("withdrawn");
	return arg;
}

static int exec_fails(const char *file)
{
	char *args[] = { "program", NULL };
	struct process_page *page;
	pthread_t watcher;
	int fd = open(file, O_RDWR);

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (page == MAP_FAILED)
		return 1;
	wake = &page->wake;
	pthread_create(&watcher, NULL, watch, NULL);
	wake->request = 1;
	execv("/nonexistent/program", args);
	pthread_join(watcher, NULL);
	say("offered");
	return 0;
}

int main(void)
{
	char line[1024];

	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "exec ", 5) && exec_fails(line + 5))
			return 1;
		if (!strcmp(line, "unshare")) {
			if (unshare(CLONE_FS))
				return 1;
			say("unshared");
		}
	}
	return 0;
}
