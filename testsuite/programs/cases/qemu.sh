# SPDX-License-Identifier: LGPL-2.1-or-later
packages='qemu-user gcc libc6-dev'
variants='static dynamic'
command=(qemu-x86_64 "$work/program")

prepare()
{
	local static=
	test "$variant" != static || static=-static
	cat >program.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <unistd.h>
	static void *worker(void *p)
	{
		long s = 0;
		for (long i = 0; i < 100000000; i++)
			s += i % 7;
		printf("%ld\n", s);
		return p;
	}
	int main(void)
	{
		pthread_t t[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, worker, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		return 7;
	}
	END
	gcc $static -O1 -o program program.c -pthread
}
