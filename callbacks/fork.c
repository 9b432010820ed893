/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fork(2): parent and child go on with their callbacks.
 *
 * liburcu-bp has functions that must be called before and after a fork. It is
 * one library for the whole program, and a second call of them around one fork
 * is a fault. So this library does not call them if the program does: if a
 * module of the program has the symbol urcu_bp_before_fork undefined.
 *
 *	before		loads, lock		then liburcu's locks
 *	in the parent	liburcu's locks		then lock, loads
 *	in the child	the other threads' records are free, then the same
 *
 * Invariant: whether liburcu is told is decided before the fork, and the same
 * in parent and child (`told`).
 */
#define _LGPL_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <urcu-bp.h>

#include "base/base.h"
#include "buffers/gnu-hash.h"
#include "callbacks/private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Which of the two calls liburcu-bp's functions. Before the first attachment,
 * this library does not. */
enum teller { TELLER_NONE, TELLER_OURS, TELLER_THEIRS };
static enum teller teller;
static enum teller found;	/* by the last look */
/* between a fork's handlers */
static int told;
static int crowded;	/* the program has other threads */

/* Another thread of a parent may have held the lock of the linker's list at the
 * fork. That thread does not exist in the child, and glibc does not reset the
 * lock: dl_iterate_phdr() would wait for ever. */
static int list_locked;

/* glibc 2.32 and later */
extern char __libc_single_threaded __attribute__((weak));

void callback_lock(void)
{
	pthread_mutex_lock(&lock);
}

void callback_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* The tables of a module's dynamic section. */
struct table {
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *gnu;
	const uint32_t *sysv;
};

/* Returns 1 when another module than this library needs the function. */
static int module_needs_urcu(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *base = (const char *)info->dlpi_addr;
	uint64_t own = (uint64_t)fork_look - info->dlpi_addr;
	struct table table = { 0 };
	const ElfW(Dyn) *d = NULL;
	uint32_t n;

	for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && own - ph->p_vaddr < ph->p_memsz)
			return 0;
		if (ph->p_type == PT_DYNAMIC)
			d = (const void *)(base + ph->p_vaddr);
	}
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		/* the vdso's addresses are not relocated; it needs nothing */
		if ((const char *)at < base)
			continue;
		if (d->d_tag == DT_SYMTAB)
			table.symbols = at;
		else if (d->d_tag == DT_STRTAB)
			table.strings = at;
		else if (d->d_tag == DT_GNU_HASH)
			table.gnu = at;
		else if (d->d_tag == DT_HASH)
			table.sysv = at;
	}
	n = !table.symbols || !table.strings ? 0 :
	    table.sysv ? table.sysv[1] :
	    table.gnu  ? gnu_hash_count(table.gnu) : 0;
	for (uint32_t i = 0; i < n; i++)
		if (!table.symbols[i].st_shndx &&
		    !strcmp(table.strings + table.symbols[i].st_name,
			    "urcu_bp_before_fork"))
			return 1;
	return 0;
}

/* Learns which of the two calls liburcu-bp's functions around a fork. */
static void look_at_modules(void)
{
	store_relaxed(&found, dl_iterate_phdr(module_needs_urcu, NULL) ?
				      TELLER_THEIRS : TELLER_OURS);
}

void fork_look(void)
{
	if (!list_locked)
		look_at_modules();
	store_relaxed(&teller, load_relaxed(&found));
}

/* Returns true when libc knows that the process has one thread. Older versions
 * of libc do not tell. */
static bool is_alone(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

static pthread_mutex_t loads = PTHREAD_MUTEX_INITIALIZER;
static __thread int loading;

/* Held by a request: one runs at a time. */
static pthread_mutex_t timed_lock = PTHREAD_MUTEX_INITIALIZER;

int timed_lock_take(unsigned int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	return -pthread_mutex_timedlock(&timed_lock, &until);
}

void timed_lock_release(void)
{
	pthread_mutex_unlock(&timed_lock);
}

void fork_hold(void)
{
	pthread_mutex_lock(&loads);
	loading = 1;
}

void fork_leave(void)
{
	if (loading)
		fork_release();
}

void fork_release(void)
{
	loading = 0;
	pthread_mutex_unlock(&loads);
}

/* Before a fork: takes the locks in an order that no other function reverses,
 * the agent's for LTTng, loads, attachments. */
static void forking_begin(void)
{
	if (callback_host.forking)
		callback_host.forking();
	/* the child may not be able to look */
	if (!load_relaxed(&found) && !list_locked && !is_alone())
		look_at_modules();
	/* a library that is being loaded may fork itself */
	if (!loading)
		pthread_mutex_lock(&loads);
	pthread_mutex_lock(&lock);
	crowded = !is_alone();
	told = load_relaxed(&teller) == TELLER_OURS;
	if (!told)
		return;
	/* a handler after this one may hit a marker: while liburcu's locks are
	 * held, the thread must not have to make itself known */
	reader_take();
	urcu_bp_before_fork();
}

/* The reverse order of forking_begin(). */
static void forked_parent(void)
{
	if (told)
		urcu_bp_after_fork_parent();
	pthread_mutex_unlock(&lock);
	if (!loading)
		pthread_mutex_unlock(&loads);
}

/* Only the forking thread exists here: the locks are this thread's. The lock of
 * requests is made anew, because its holder may not exist. */
static void forked_child(void)
{
	list_locked |= crowded;
	/* the request that ran is the parent's */
	pthread_mutex_init(&timed_lock, NULL);
	reader_forked();
	if (told)
		urcu_bp_after_fork_child();
	pthread_mutex_unlock(&lock);
	if (!loading)
		pthread_mutex_unlock(&loads);
}

void fork_setup(void)
{
	pthread_atfork(forking_begin, forked_parent, forked_child);
}
