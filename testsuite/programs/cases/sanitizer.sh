# SPDX-License-Identifier: LGPL-2.1-or-later
packages='gcc clang libclang-rt-dev'
variants='gcc-address gcc-undefined gcc-thread gcc-leak clang-address
	clang-undefined clang-thread clang-leak clang-memory'
compiler=${variant%%-*}
sanitizer=${variant#*-}
varies=descriptors	# a symbolizer comes and goes
command=("$work/program")
case $sanitizer in
thread) refused=ThreadSanitizer ;;
memory) refused=MemorySanitizer ;;
esac

# A program with one fault of each kind at its end; a sanitizer tells of its own.
prepare()
{
	cat >program.c <<-'END'
	#include <limits.h>
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static long sum, racy;
	static void *worker(void *p)
	{
		for (int i = 0; i < 100000; i++) {
			pthread_mutex_lock(&lock);
			sum += i % 7;
			pthread_mutex_unlock(&lock);
			char *a = malloc(i % 100 + 1);
			memset(a, i, i % 100 + 1);
			free(a);
	#if SAN_thread
			racy++;
	#endif
		}
		return p;
	}
	int main(int argc, char **argv)
	{
		pthread_t t[4];
		(void)argv;
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, worker, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		printf("%ld\n", sum);
		fflush(stdout);
		usleep(300000);
	#if SAN_undefined
		volatile int big = INT_MAX;
		big += argc;
	#endif
	#if SAN_leak
		*(volatile long *)malloc(argc * 77) = 1;
	#endif
		char *a = malloc(10);
	#if SAN_memory
		if (a[argc]) puts("branch");
	#endif
	#if SAN_address
		((volatile char *)a)[9 + argc] = 1;
	#endif
		free(a);
		return 3;
	}
	END
	"$compiler" -g -O1 -fno-omit-frame-pointer "-fsanitize=$sanitizer" \
		"-DSAN_$sanitizer" -o program program.c -pthread
}

version()
{
	"$compiler" -dumpversion
}

# What is found, and where, without numbers.
filter()
{
	grep -aE '^[0-9]+$|ERROR|WARNING|runtime error|SUMMARY|^taffrail|ld.so|does not come' |
		grep -v '^ *#' |
		sed -E 's/==[0-9]+==//; s/0x[0-9a-f]+/ADDRESS/g; s/pid=[0-9]+//
			s/\(\/[^)]*\)//g'
}
