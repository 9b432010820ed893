/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks that do not return, that block, that fork; threads that come and
 * go; detach at any time. Nothing hangs, and no callback is called after its
 * detach.
 *
 *	leave ROUNDS all|steady|threads LIBRARY
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>
#include <taffrail/probe.h>
#include <urcu-bp.h>

#include "../shared/results.h"

#define JUMPS_LEAST	10000

static int rounds;

static void hit(void)
{
	TAFFRAIL_EVENT(app, hit, rounds);
}

/* What a callback is attached with; freed, and filled with rubbish, at once
 * when it is detached. */
struct priv {
	atomic_int called;
	int valid;
};

static atomic_int called_late;

static struct priv *priv_new(void)
{
	struct priv *priv = calloc(1, sizeof(*priv));

	priv->valid = 4711;
	return priv;
}

static void priv_free(struct priv *priv)
{
	priv->valid = 0;
	free(priv);
}

static void priv_use(struct priv *priv)
{
	if (priv->valid != 4711)
		atomic_fetch_add(&called_late, 1);
	atomic_fetch_add(&priv->called, 1);
}

static __thread sigjmp_buf out;
static __thread int way;

enum { RETURNS, JUMPS, SIGJUMPS, EXITS, CANCELLED, WAYS };

static void callback(const struct taffrail_event *event, void *arg)
{
	(void)event;
	priv_use(arg);
	switch (way) {
	case JUMPS:
		longjmp(out, 1);
	case SIGJUMPS:
		siglongjmp(out, 1);
	case EXITS:
		pthread_exit(NULL);
	case CANCELLED:
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}

static void *one_hit(void *arg)
{
	way = *(int *)arg;
	if (!sigsetjmp(out, 1))
		hit();
	return NULL;
}

static void jumps(int n)
{
	struct priv *priv = priv_new();
	volatile int i;

	for (i = 0; i < n; i++) {
		if (taffrail_probe_attach("app/hit", callback, priv) < 1)
			break;
		way = SIGJUMPS;
		if (!sigsetjmp(out, 1))
			hit();
		way = JUMPS;
		if (!sigsetjmp(out, 1))
			hit();
		way = RETURNS;
		hit();
		if (taffrail_probe_detach("app/hit", callback, priv))
			break;
		hit();
	}
	check_equal("jumps out of callbacks, with a detach in between", i, n);
	check_equal("each was called", priv->called, 3 * n);
	check_equal("no section of liburcu stays open",
		    urcu_bp_read_ongoing(), 0);
	priv_free(priv);
}

/* The jump leaves a read-side section of the program's own as it is. */
static void sections(void)
{
	struct priv *priv = priv_new();

	taffrail_probe_attach("app/hit", callback, priv);
	urcu_bp_read_lock();
	way = SIGJUMPS;
	if (!sigsetjmp(out, 1))
		hit();
	way = RETURNS;
	check_equal("the program's own section stays",
		    urcu_bp_read_ongoing(), 1);
	urcu_bp_read_unlock();
	taffrail_probe_detach("app/hit", callback, priv);
	check_equal("called in the program's own section", priv->called, 1);
	priv_free(priv);
}

static void exits(void)
{
	struct priv *priv = priv_new();
	int n = rounds / 10;
	pthread_t thread;
	int i;

	taffrail_probe_attach("app/hit", callback, priv);
	for (i = 0; i < n; i++) {
		int how = i & 1 ? EXITS : CANCELLED;

		pthread_create(&thread, NULL, one_hit, &how);
		pthread_join(thread, NULL);
	}
	check_equal("threads that end in a callback", priv->called, n);
	check_equal("detach after them",
		    taffrail_probe_detach("app/hit", callback, priv), 0);
	priv_free(priv);
}

static sem_t entered, leave;
static atomic_int tid;

static void blocks(const struct taffrail_event *event, void *priv)
{
	(void)event;
	(void)priv;
	tid = (int)syscall(SYS_gettid);
	sem_post(&entered);
	sem_wait(&leave);
}

static void *hit_thread(void *arg)
{
	(void)arg;
	hit();
	return NULL;
}

static void timeouts(void)
{
	pthread_t thread;
	struct priv *other = priv_new();
	int who = 0;

	sem_init(&entered, 0, 0);
	sem_init(&leave, 0, 0);
	taffrail_probe_attach("app/hit", blocks, NULL);
	pthread_create(&thread, NULL, hit_thread, NULL);
	sem_wait(&entered);
	check_equal("a thread in the callback",
		    taffrail_probe_detach_within("app/hit", blocks, NULL, 20,
						 &who), -ETIMEDOUT);
	check_equal("which one", who, tid);
	hit();
	check("it is not called any more", sem_trywait(&entered));
	check_equal("another callback is attached beside it",
		    taffrail_probe_attach("app/hit", callback, other), 1);
	hit();
	check_equal("and detached",
		    taffrail_probe_detach("app/hit", callback, other), 0);
	check_equal("it was called", other->called, 1);
	check_equal("the same again",
		    taffrail_probe_attach("app/hit", blocks, NULL), 1);
	check_equal("cannot be detached while its first thread is inside",
		    taffrail_probe_detach_within("app/hit", blocks, NULL, 20,
						 &who), -ETIMEDOUT);
	check_equal("which is still that one", who, tid);
	check_equal("the first again",
		    taffrail_probe_detach_within("app/hit", blocks, NULL, 0,
						 NULL), -ETIMEDOUT);
	sem_post(&leave);
	check_equal("it has left",
		    taffrail_probe_detach("app/hit", blocks, NULL), 0);
	check_equal("then it is gone",
		    taffrail_probe_detach("app/hit", blocks, NULL), -ENOENT);
	pthread_join(thread, NULL);
	priv_free(other);
}

static int child_status(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* In a child: callbacks go on, are detached, and attached. */
static int child(struct priv *priv)
{
	struct priv *other = priv_new();
	int before = priv->called;
	int bad = 0;

	hit();
	bad |= priv->called != before + 1;
	bad |= taffrail_probe_attach("app/hit", callback, other) != 1 ? 2 : 0;
	hit();
	bad |= other->called != 1 ? 4 : 0;
	bad |= taffrail_probe_detach("app/hit", callback, priv) ? 8 : 0;
	bad |= taffrail_probe_detach("app/hit", callback, other) ? 16 : 0;
	hit();
	bad |= priv->called != before + 2 || other->called != 1 ? 32 : 0;
	return bad;
}

static void forks_inside(const struct taffrail_event *event, void *arg)
{
	pid_t *pid = arg;

	(void)event;
	*pid = fork();
}

static int waits(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	(void)unused;
	sem_post(&entered);
	sem_wait(&leave);
	return 1;
}

static void *holds_list(void *unused)
{
	dl_iterate_phdr(waits, NULL);
	return unused;
}

/* A thread has the lock of the linker's list, and so has the child. */
static void forks_locked(struct priv *priv)
{
	pthread_t thread;
	pid_t pid;

	pthread_create(&thread, NULL, holds_list, NULL);
	sem_wait(&entered);
	pid = fork();
	if (!pid) {
		alarm(60);
		_exit(child(priv));
	}
	check_equal("a child of which the linker's list is locked",
		    child_status(pid), 0);
	sem_post(&leave);
	pthread_join(thread, NULL);
}

static void forks(void)
{
	struct priv *priv = priv_new();
	pthread_t thread;
	pid_t pid;

	taffrail_probe_attach("app/hit", callback, priv);
	pid = fork();
	if (!pid)
		_exit(child(priv));
	check_equal("a child", child_status(pid), 0);
	hit();
	check_equal("its parent", priv->called, 1);

	/* a thread is in a callback, which the child does not have */
	taffrail_probe_attach("app/hit", blocks, NULL);
	pthread_create(&thread, NULL, hit_thread, NULL);
	sem_wait(&entered);
	pid = fork();
	if (!pid)
		_exit(taffrail_probe_detach("app/hit", blocks, NULL) ?
			      64 : child(priv));
	check_equal("a child beside a thread in a callback",
		    child_status(pid), 0);
	sem_post(&leave);
	pthread_join(thread, NULL);
	taffrail_probe_detach("app/hit", blocks, NULL);

	forks_locked(priv);

	taffrail_probe_attach_with("app/hit", forks_inside, &pid, 5, 0);
	hit();
	if (!pid)
		_exit(taffrail_probe_detach("app/hit", forks_inside, &pid) ?
			      64 : child(priv));
	check_equal("a child of a callback", child_status(pid), 0);
	taffrail_probe_detach("app/hit", forks_inside, &pid);
	taffrail_probe_detach("app/hit", callback, priv);
	check_equal("no child has called its parent's", priv->called, 3);
	priv_free(priv);
}

static atomic_int stop;

static void *hits(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;

	while (!stop) {
		way = rand_r(&seed) % 16 ? RETURNS : SIGJUMPS;
		if (!sigsetjmp(out, 0))
			hit();
	}
	return NULL;
}

static atomic_int detach_errors;

static void *attaches(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < rounds; i++) {
		struct priv *priv = priv_new();

		if (taffrail_probe_attach(i & 1 ? "app/hit" : "app/*",
					  callback, priv) < 1 ||
		    taffrail_probe_detach(i & 1 ? "app/hit" : "app/*",
					  callback, priv))
			atomic_fetch_add(&detach_errors, 1);
		priv_free(priv);
	}
	return NULL;
}

static const char *library;

static void *loads(void *arg)
{
	void *handle;

	(void)arg;
	while (library && !stop) {
		handle = dlopen(library, RTLD_NOW);
		if (!handle) {
			atomic_fetch_add(&detach_errors, 1);
			break;
		}
		dlclose(handle);
	}
	return NULL;
}

static void *forks_children(void *arg)
{
	int *bad = arg;
	struct priv *priv = priv_new();
	int i;

	for (i = 0; i < rounds / 100 && !*bad; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(20);
			if (taffrail_probe_attach("app/hit", callback,
						  priv) < 1)
				_exit(1);
			hit();
			_exit(taffrail_probe_detach("app/hit", callback,
						    priv) ? 2 : 0);
		}
		*bad = child_status(pid);
	}
	priv_free(priv);
	return NULL;
}

/* Threads hit, jump, attach, detach and fork, all at the same time. */
static void threads(int with_forks)
{
	pthread_t hitters[4], attachers[4], forker, loader;
	int bad = 0;
	int i;

	stop = 0;
	for (i = 0; i < 4; i++) {
		pthread_create(&hitters[i], NULL, hits, (void *)(uintptr_t)i);
		pthread_create(&attachers[i], NULL, attaches, NULL);
	}
	if (with_forks)
		pthread_create(&forker, NULL, forks_children, &bad);
	else
		pthread_create(&loader, NULL, loads, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(attachers[i], NULL);
	if (with_forks)
		pthread_join(forker, NULL);
	stop = 1;
	if (!with_forks)
		pthread_join(loader, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(hitters[i], NULL);
	check_equal(with_forks ? "threads and forks: no error" :
				 "threads: no error", detach_errors, 0);
	if (with_forks)
		check_equal("children beside threads", bad, 0);
	check_equal("no callback was called after its detach", called_late,
		    0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "all";

	rounds = argc > 1 ? atoi(argv[1]) : 1000;
	library = argc > 3 ? argv[3] : NULL;
	if (!strcmp(what, "threads")) {
		threads(0);
		return 0;
	}
	jumps(strcmp(what, "all") || rounds > JUMPS_LEAST ? rounds :
							    JUMPS_LEAST);
	sections();
	exits();
	timeouts();
	forks();
	threads(0);
	/* a child beside threads that allocate may hang in a sanitizer */
	if (strcmp(what, "steady"))
		threads(1);
	return 0;
}
