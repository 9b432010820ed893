# SPDX-License-Identifier: LGPL-2.1-or-later
packages='gdb gcc libc6-dbg'
ours=1
varies=descriptors	# one for each library of the program
remark='the program in it has a service thread from the start'
command=(gdb -q -nx -batch -ex 'break work' -ex run -ex bt -ex 'print n'
	-ex 'info threads' -ex 'tbreak after_work' -ex 'delete 1' -ex 'continue' -ex finish
	-ex 'info inferiors' -ex 'continue' -ex 'print $_exitcode' "$work/program")

prepare()
{
	cat >program.c <<-'END'
	#include <pthread.h>
	#include <stdio.h>
	#include <unistd.h>
	int after_work(int n) { return n + 1; }
	int work(int n) { return n * 2; }
	static void *worker(void *p) { usleep(300000); return p; }
	int main(void)
	{
		pthread_t t;
		int n = work(21);
		pthread_create(&t, NULL, worker, NULL);
		pthread_join(t, NULL);
		printf("%d\n", after_work(n));
		return 7;
	}
	END
	gcc -g -o program program.c
}

filter()
{
	sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/(LWP|process) [0-9]+/\1 N/g'
}
