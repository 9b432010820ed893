/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child of vfork() that waits for a line, and writes events, while another
 * thread of the program writes as well. Then the program waits for a line.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define EVENTS	2000

static void line_read(void)
{
	char c = 0;

	while (c != '\n' && read(0, &c, 1) == 1)
		;
}

static void work(const char *who)
{
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static void say(const char *word)
{
	printf("%s\n", word);
	fflush(stdout);
}

static void *in_thread(void *arg)
{
	static volatile int *go;

	go = arg;
	while (!*go)
		usleep(1000);
	work("thread");
	return NULL;
}

int main(void)
{
	static volatile int go;
	pthread_t thread;
	volatile pid_t pid;
	int status;

	if (pthread_create(&thread, NULL, in_thread, (void *)&go))
		return 1;
	say("ready");
	pid = vfork();
	if (!pid) {
		line_read();
		go = 1;
		work("child");
		_exit(3);
	}
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
		return 1;
	pthread_join(thread, NULL);
	say("childless");
	line_read();
	work("parent");
	say("written");
	line_read();
	return 7;
}
