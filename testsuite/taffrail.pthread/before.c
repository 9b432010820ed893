/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that tries a lock for each line that it reads, and prints what the
 * call returned; and a library to preload (-DLIBRARY), which has the function,
 * too, and looks up the next one when it is first called.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef LIBRARY
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	return next(mutex);
}
#else
int main(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	char line[64];

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		printf("tried %d\n", pthread_mutex_trylock(&mutex));
		fflush(stdout);
	}
	puts("right");
	return 0;
}
#endif
