/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An allocator for LD_PRELOAD that keeps a list of the threads that used it, as
 * jemalloc does. The list goes through their thread-local storage, and a thread
 * leaves it at its end, if libc reports the end.
 */
#include <pthread.h>
#include <stddef.h>

struct node {
	struct node *next, *last;
	size_t calls;
};

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *from, size_t bytes);
void __libc_free(void *from);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node all = { &all, &all, 0 };
static pthread_key_t key;
static int have_key;
static __thread struct node here
	__attribute__((tls_model("initial-exec")));
/* larger than what libc keeps behind a thread's control block */
static __thread char room[3 * 4096]
	__attribute__((tls_model("initial-exec")));

static void leave(void *arg)
{
	struct node *node = arg;

	pthread_mutex_lock(&lock);
	node->next->last = node->last;
	node->last->next = node->next;
	pthread_mutex_unlock(&lock);
}

static void hold(void)
{
	pthread_mutex_lock(&lock);
}

static void let_go(void)
{
	pthread_mutex_unlock(&lock);
}

/* In a child the list is whole, and the lock free. */
__attribute__((constructor)) static void begin(void)
{
	have_key = !pthread_key_create(&key, leave);
	pthread_atfork(hold, let_go, let_go);
}

/* Each call looks at all threads of the list. */
static void come(void)
{
	struct node *node;

	room[here.calls % sizeof(room)]++;
	pthread_mutex_lock(&lock);
	here.calls++;
	if (!here.next) {
		here.next = &all;
		here.last = all.last;
		all.last->next = &here;
		all.last = &here;
		if (have_key)
			pthread_setspecific(key, &here);
	}
	for (node = all.next; node != &all; node = node->next)
		node->calls += node->next->last != node;
	pthread_mutex_unlock(&lock);
}

void *malloc(size_t bytes)
{
	come();
	return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	come();
	return __libc_calloc(n, bytes);
}

void *realloc(void *from, size_t bytes)
{
	come();
	return __libc_realloc(from, bytes);
}

/* libc frees a thread's memory after its destructors have run: a thread that
 * only frees does not enter the list, as with jemalloc. */
void free(void *from)
{
	__libc_free(from);
}
