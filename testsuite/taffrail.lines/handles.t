# SPDX-License-Identifier: LGPL-2.1-or-later
# Lines of a program that handles SIGSEGV, before it does so and later.

group: the same lines from the start on and later
before:
	cat >late.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		struct item { int price, n; struct item *next; };
		static void handle(int n) { (void)n; }
		__attribute__((noinline, noclone)) int add(struct item *i, int n)
		{
			asm volatile("nop; nop; nop; nop; nop; nop");
			asm volatile("xor $1, %0" : "+r"(n));
			n += i->price;
			for (; i; i = i->next) {
				n ^= 5;
				n += i->price;
				if (n & 1)
					n += i->n;
			}
			return n;
		}
		int main(void)
		{
			struct item two = { 3, 4, 0 }, one = { 1, 2, &two };
			puts("ready");
			fflush(stdout);
			signal(SIGSEGV, handle);
			for (int i = 0; getchar() == '\n'; fflush(stdout))
				printf("%d: %d\n", i++, add(&one, 2));
			return 0;
		}
	END
	gcc -O2 -g -Wl,--build-id -o late late.c || exit 77
	rules=$(printf ' -e late.c:%s(i)' 7 8 9 10 11 12 13 14)
	told() { taffrail view $1 | grep -o 'late.c:[0-9]*' | sort | uniq -c; sed -n 's/.*line.\(late.c.*\) at.* is/\1/p' $1.err | sort; }
	early() { rm -rf early; printf '\n\n' | taffrail record $1 -o early $rules -- ./late >out 2>early.err; told early >early.told; cat early.told; }
	later() { rm -rf later; start late ./late; wait_for grep -q ready late.out; taffrail start s $1 -p $pid $rules 2>later.err; say late '' 0: && say late '' 1:; taffrail snapshot s -o later 2>out; taffrail destroy s; kill $pid; told later | diff - early.told; }
cases:
	0 early '' && later ''
	0 early --int3 && later --int3
case: some by another jump, or one with bytes of the next instruction
run: early '' && early --int3
stdout: ^ *2 late.c:8$
stdout: ^late.c:14 not traced: an instruction after it may fault,
stdout: ^ *4 late.c:13$
