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
stdout: ^late.c:14 not traced: an instruction there may fault,
stdout: ^ *4 late.c:13$

group: two rules of one place that cannot be had, both told, and by later commands
before:
	cat >short.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		int n;
		static void handle(int n) { (void)n; }
		__attribute__((noinline)) int fetch(int *i)
		{
			return *i;
		}
		int main(void)
		{
			signal(SIGSEGV, handle);
			puts("ready");
			fflush(stdout);
			while (getchar() != EOF)
				n += fetch(&n);
			return 0;
		}
	END
	gcc -O1 -g -Wl,--build-id -o short short.c || exit 77
	refused() { sed -n 's/.*line.\(.*\) at 0x[0-9a-f]* is/\1/p' | sort; }
	start short ./short
	wait_for grep -q ready short.out
case: both rules of a command
run: taffrail start s -p $pid -e short.c:7 -e 'fetch:+2(*i)' -e 'fetch:+1' -e short.c:16 2>&1 | refused
whole stdout:
	fetch:+1 not traced: its code ends within five bytes
	fetch:+2 not traced: its code ends within five bytes
	short.c:7 not traced: its code ends within five bytes
case: a rule of a later command
run: taffrail destroy s; taffrail start t -p $pid -e 'short.c:6(*i)' -e short.c:16 2>&1 | refused; taffrail enable t 'fetch:+2(i)' -p $pid 2>&1 | refused
whole stdout:
	short.c:6 not traced: its code ends within five bytes
	fetch:+2 not traced: its code ends within five bytes
case: without places that can be had
run: taffrail destroy t; taffrail start u -p $pid -e short.c:7 -e 'fetch:+2(*i)' 2>&1 | grep -c 'no marker'; true
whole stdout: 0
