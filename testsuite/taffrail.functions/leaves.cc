// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions that are left otherwise than by their exits: by exceptions,
// longjmp() and pthread_exit(); a deep recursion; and coroutines, which leave a
// stack and come back to it.
#include <csetjmp>
#include <cstdio>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <ucontext.h>

#define KEEP __attribute__((noinline, noclone))

static long sum;
static jmp_buf jumped;
static ucontext_t here, there;
static char stack[65536];

KEEP static void throws(int n)
{
	if (n % 3)
		throw std::runtime_error("three");
	sum += n;
}

KEEP static int catches(int n)
{
	try {
		throws(n);
		return 1;
	} catch (const std::runtime_error &) {
		return 2;
	}
}

KEEP static void jumps(int n)
{
	sum += n;
	if (n % 2)
		longjmp(jumped, n);
	sum += 1;
}

KEEP static long deep(long n)
{
	long below = n ? deep(n - 1) + 1 : 0;

	__asm__ volatile("" : "+r"(below));
	return below;
}

KEEP static void coroutine()
{
	for (;;) {
		sum += 7;
		swapcontext(&there, &here);
	}
}

KEEP static void resume()
{
	swapcontext(&here, &there);
}

KEEP static void *ends(void *n)
{
	pthread_exit(n);
}

KEEP static int frames()
{
	void *list[64];
	int n = backtrace(list, 64);

	__asm__ volatile("");
	return n;
}

int main()
{
	long caught = 0;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	makecontext(&there, coroutine, 0);
	for (int i = 1; i <= 300; i++) {
		caught += catches(i);
		if (!setjmp(jumped))
			jumps(i);
		resume();
	}
	for (long i = 1; i <= 50; i++) {
		pthread_t thread;
		void *value;

		pthread_create(&thread, nullptr, ends, (void *)i);
		pthread_join(thread, &value);
		sum += (long)value;
	}
	std::printf("%ld %ld %ld %d\n", sum, caught, deep(20000), frames());
	return 0;
}
