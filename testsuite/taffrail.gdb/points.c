/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program without markers: serves as many requests as each line of input
 * says, in each of two threads. The values of a request follow from the number.
 * gdb sets a breakpoint of its own in the function for code made at run time.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct request {
	int id;
	const char *url;
	struct request *next;
};

typedef struct request *request_pointer;
struct {
	request_pointer to;
} linked;

static const char *const urls[] = { "/", "/index", "/about" };
static pthread_barrier_t begin, end;
static int count;
volatile long served, total;

/* gdb's documentation, "JIT Interface" */
struct {
	uint32_t version, action;
	void *relevant, *first;
} __jit_debug_descriptor = { .version = 1 };

__attribute__((noinline)) void __jit_debug_register_code(void)
{
}

__attribute__((noinline)) static void empty(void)
{
}

__attribute__((noinline)) static long handle(struct request *r, int length)
{
	long sum = 0;
	int i;

	for (i = 0; i < length; i++) {
		sum += r->id * i;	/* loop */
		total += sum;		/* short */
	}
	empty();
	return sum;			/* end */
}

static void *serve_requests(void *arg)
{
	struct request first = { 0, urls[0], NULL };
	struct request r = { 0, urls[1], &first };
	int i;

	for (;;) {
		pthread_barrier_wait(&begin);
		for (i = 0; i < count; i++) {
			r.id = i;
			r.url = urls[i % 3];
			handle(&r, 3);
			__atomic_fetch_add(&served, 1, __ATOMIC_SEQ_CST);
		}
		pthread_barrier_wait(&end);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	int i;

	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, serve_requests, NULL);
	puts("ready");
	fflush(stdout);
	while (scanf("%d", &count) == 1) {
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		printf("served %ld\n", served);
		fflush(stdout);
	}
	return 0;
}
