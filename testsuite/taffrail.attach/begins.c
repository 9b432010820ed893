/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * begins N: executes itself N times, then says "right" and ends with 9. With
 * -DWAITS the dynamic linker binds one of its functions before main through
 * code that prints "ready" and waits for a byte on standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int one(void)
{
	return 1;
}

/* Nothing is relocated yet, so use no function and no variable of libc. */
#ifdef WAITS
static long bare(long number, long fd, const void *text, long bytes)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			  : "0"(number), "D"(fd), "S"(text), "d"(bytes)
			  : "rcx", "r11", "memory");
	return ret;
}

__attribute__((no_sanitize("all"), optimize("no-stack-protector")))
static int (*bind(void))(void)
{
	char word[1];

	bare(SYS_write, 1, "ready\n", 6);
	bare(SYS_read, 0, word, 1);
	return one;
}

static int bound(void) __attribute__((ifunc("bind")));
#else
#define bound one
#endif

int main(int argc, char **argv)
{
	char left[16];
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (n > 0) {
		snprintf(left, sizeof(left), "%d", n - 1);
		execl(argv[0], argv[0], left, (char *)NULL);
		return 1;
	}
	if (bound() == 1)
		puts("right");
	return 9;
}
