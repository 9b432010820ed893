// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A program whose markers are in many kinds of places. It says "ready" and
// where some of its memory is; each line on its input has it go through all of
// them once, and is answered with "done".
//
// At each hit of app/deep the field `cell` is the address of a local with the
// value of the field `value`.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <taffrail/marker.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 64 << 10, DEPTH = 20 };

// Some pages of the program's own, of which the third cannot be read.
static char own[4 * PAGE] __attribute__((aligned(4096)));

static inline __attribute__((always_inline)) void inlined(long value)
{
	volatile long cell = value;

	TAFFRAIL_EVENT(app, inlined, value, &cell);
	__asm__ volatile("" :: "m"(cell));
}

template <typename T> __attribute__((noinline)) void typed(T value)
{
	volatile T cell = value;
	long size = sizeof(T);
	void *at = const_cast<T *>(&cell);

	TAFFRAIL_EVENT(app, typed, size, at);
	__asm__ volatile("" :: "m"(cell));
}

static __attribute__((noinline)) long deep(long value)
{
	volatile long cell = value;
	long sum = 0;

	TAFFRAIL_EVENT(app, deep, value, &cell);
	if (value % 100)
		sum = deep(value - 1);
	__asm__ volatile("" :: "m"(cell));
	return sum + cell;
}

static ucontext_t outside, coroutine;

static void in_coroutine(void)
{
	deep(1000 + DEPTH);
	swapcontext(&coroutine, &outside);
	deep(2000 + DEPTH);
}

static void coroutines(char *stack)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &outside;
	makecontext(&coroutine, in_coroutine, 0);
	swapcontext(&outside, &coroutine);
	deep(3000 + DEPTH);
	swapcontext(&outside, &coroutine);
}

static void *thread(void *arg)
{
	deep(*static_cast<long *>(arg));
	return arg;
}

static void on_stack(char *stack, long value)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	if (!pthread_create(&id, &attributes, thread, &value))
		pthread_join(id, nullptr);
	pthread_attr_destroy(&attributes);
}

// n bytes of text up to the end of a page, the next of which cannot be read.
static char *border(size_t n)
{
	char *pages = static_cast<char *>(mmap(nullptr, 3 * PAGE,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0));

	memset(pages, 'x', 2 * PAGE);
	mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
	return pages + 2 * PAGE - n;
}

int main()
{
	char line[64];
	char *stacks[2];

	// the page above each stack cannot be read
	for (char *&stack : stacks) {
		stack = static_cast<char *>(mmap(nullptr, STACK + PAGE,
				PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		mprotect(stack + STACK, PAGE, PROT_NONE);
	}
	memset(own, 'o', sizeof(own));
	mprotect(own + 2 * PAGE, PAGE, PROT_NONE);
	printf("ready border=%p own=%p stack=%p\n",
	       static_cast<void *>(border(100)), static_cast<void *>(own),
	       static_cast<void *>(stacks[0]));
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (long i = 0; i < 3; i++)
			inlined(i);
		inlined(10);
		inlined(20);
		typed<char>('c');
		typed<int>(7);
		typed<double>(0.5);
		deep(DEPTH);
		coroutines(stacks[0]);
		on_stack(stacks[1], 4000 + DEPTH);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
