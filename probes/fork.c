/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fork(2): parent and child go on with their callbacks.
 *
 * liburcu-bp wants to be told of forks. It is one library for the whole
 * program, and its functions may not be called twice round one fork: so a
 * program that calls them itself is left to do so.
 */
#define _LGPL_SOURCE
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <urcu-bp.h>

#include "base/base.h"
#include "probes/private.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* 1: the program's own code tells liburcu-bp. */
static int theirs;
static int told;	/* between a fork's handlers */

void probe_lock(void)
{
	pthread_mutex_lock(&lock);
}

void probe_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static int names_it(const struct dl_phdr_info *info)
{
	const char *base = (const char *)info->dlpi_addr;
	const ElfW(Dyn) *d = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL;
	uint32_t i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(base + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_GNU_HASH)
			hash = (const void *)d->d_un.d_ptr;
	}
	/* the vdso's addresses are not relocated; it names nothing */
	if (!symbols || !strings || !hash || (const char *)hash < base)
		return 0;
	/* what a module needs stands before what its table can find */
	for (i = 0; i < hash[1]; i++)
		if (!symbols[i].st_shndx &&
		    !strcmp(strings + symbols[i].st_name,
			    "urcu_bp_before_fork"))
			return 1;
	return 0;
}

static int has(const struct dl_phdr_info *info, const void *address)
{
	uint64_t at = (uint64_t)address - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    at - info->dlpi_phdr[i].p_vaddr <
			    info->dlpi_phdr[i].p_memsz)
			return 1;
	return 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	return !has(info, (const void *)fork_look) && names_it(info);
}

void fork_look(void)
{
	if (dl_iterate_phdr(look, NULL))
		store_relaxed(&theirs, 1);
}

static void forking(void)
{
	pthread_mutex_lock(&lock);
	told = !load_relaxed(&theirs);
	if (told)
		urcu_bp_before_fork();
}

static void forked_parent(void)
{
	if (told)
		urcu_bp_after_fork_parent();
	pthread_mutex_unlock(&lock);
}

static void forked_child(void)
{
	reader_forked();
	if (told)
		urcu_bp_after_fork_child();
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void fork_setup(void)
{
	pthread_atfork(forking, forked_parent, forked_child);
}
