# SPDX-License-Identifier: LGPL-2.1-or-later
packages='musl-tools musl'
command=("$work/program")
refused='libc'

prepare()
{
	cat >program.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	static void *worker(void *p)
	{
		long s = 0;
		for (long i = 0; i < 200000000; i++)
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
		fflush(stdout);
		return system("echo child; exit 3") >> 8;
	}
	END
	musl-gcc -O1 -o program program.c
}
