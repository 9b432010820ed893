/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions with jumps through registers and memory: tail calls by a table and
 * by a member, jumps to labels. With an argument it waits for a line.
 * Nothing follows last() in the code.
 */
#include <stdio.h>

#define KEEP __attribute__((noinline, noclone))
/* as long as a jump */
#define LONG "nop; nop; nop; nop; nop; nop"

typedef long function(long);

KEEP static long one(long n)
{
	__asm__ volatile("");
	return n + 1;
}

KEEP static long two(long n)
{
	__asm__ volatile("");
	return n + 2;
}

static function *functions[] = { one, two, one, two };

struct object {
	function *members[2];
};

KEEP static long by_table(long i, long n)
{
	__asm__ volatile(LONG ::: "memory");
	return functions[i & 3](n);
}

KEEP static long by_member(struct object *o, long i, long n)
{
	__asm__ volatile(LONG ::: "memory");
	return o->members[i](n);
}

/* The exits are so close that the jumps have only one place each. */
KEEP static long two_ways(long i, long n)
{
	__asm__ volatile(LONG ::: "memory");
	if (i & 4)
		return n * 3;
	return functions[i & 3](n);
}

static void **labels, **framed_labels;

/* Begins at a label of `to`; without it, tells all labels. */
KEEP static long by_label(void **to, long n)
{
	static void *all[] = { &&add, &&multiply, &&end };

	if (!to) {
		labels = all;
		return 0;
	}
	goto **to++;
add:
	n += 1;
	__asm__ volatile(LONG : "+r"(n));
	goto **to++;
multiply:
	n *= 3;
	__asm__ volatile(LONG : "+r"(n));
	goto **to++;
end:
	__asm__ volatile(LONG : "+r"(n));
	return n;
}

/* The same, with a frame. */
KEEP static long framed(void **to, long n)
{
	static void *all[] = { &&call, &&end };

	__asm__ volatile(LONG ::: "memory", "rbx", "rbp", "r12");
	if (!to) {
		framed_labels = all;
		return n;
	}
	goto **to++;
call:
	n += one(n);
	goto **to++;
end:
	__asm__ volatile(LONG : "+r"(n) : : "memory");
	return n;
}

KEEP long last(long n);

int main(int argc, char **argv)
{
	struct object o = { { one, two } };
	void *program[4], *calls[3];
	long sum = 0;

	if (argc > 1 && argv[1]) {
		puts("waits");
		fflush(stdout);
		while (getchar() != '\n')
			;
	}
	by_label(NULL, 0);
	framed(NULL, 0);
	program[0] = program[2] = labels[0];
	program[1] = labels[1];
	program[3] = labels[2];
	calls[0] = calls[1] = framed_labels[0];
	calls[2] = framed_labels[1];
	for (long i = 0; i < 100; i++)
		sum += by_table(i, i) + two_ways(i, i) +
		       by_member(&o, i & 1, i) + last(i) +
		       (i ? by_label(program, i) + framed(calls, i) : 0);
	printf("%ld\n", sum);
	return 0;
}

KEEP long last(long n)
{
	__asm__ volatile(LONG ::: "memory");
	return n - 1;
}
