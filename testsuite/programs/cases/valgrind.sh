# SPDX-License-Identifier: LGPL-2.1-or-later
packages='valgrind gcc libc6-dbg'
command=(valgrind --error-exitcode=5 --leak-check=full "$work/program")
refused='static'
ours=1
remark='a service thread from the start; valgrind itself is a static program'

prepare()
{
	cat >program.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	static void *worker(void *p)
	{
		char *lost = malloc(100);
		long s = 0;
		for (long i = 0; i < 3000000; i++)
			s += i % 7;
		memset(lost, (int)s, 100);
		return p;
	}
	int main(void)
	{
		pthread_t t[3];
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, worker, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		puts("done");
		return 0;
	}
	END
	gcc -g -O1 -o program program.c
}

filter()
{
	sed 's/^==[0-9]*== //' | grep -v 'total heap usage\|^Command\|in use at exit'
}
