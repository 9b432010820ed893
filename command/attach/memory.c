/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds the memory that the process gets for the time of an attach.
 *
 *	code | block | thread-local storage of the helper |
 *	thread pointer: control block | its stack | its table of modules |
 *	library
 *
 * The helper is a thread that libc does not know, but it calls libc. So it has
 * all that libc gives a new thread: the initial thread-local variables of the
 * modules that were there at the start, and a control block with the thread's
 * id and the process's guards. The table of modules (dtv) is empty; libc fills
 * the table on demand, and never has to enlarge it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rseq.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/attach/steps.h"

#define STACK_BYTES	65536u
#define CONTROL_BYTES	8192u
#define DTV_SLOTS	1100u
#define DTV_BYTES	((DTV_SLOTS + 2) * 16u)
#define TLS_MAX_BYTES	(8u << 20)
/* For static storage that libc gives a library while the helper lives. */
#define TLS_LATER_BYTES	4096u
#define RSEQ_BYTES	32	/* every kernel accepts this size */
#define PAGE_BYTES	4096u
#define HEAD_BYTES	(ATTACH_CODE_BYTES + ATTACH_BLOCK_BYTES)

/* The control block of x86-64 (tcbhead_t of glibc's nptl/descr.h). */
#define TCB_SELF		0
#define TCB_DTV			8
#define TCB_SELF_AGAIN		16
#define TCB_MULTIPLE_THREADS	24	/* 4 bytes, then 4 of zeros */
#define TCB_INHERITED		32	/* sysinfo, two guards */
#define TCB_INHERITED_BYTES	24

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Returns the module's offset below the thread pointer; 0 for storage that is
 * allocated when used. */
static uint64_t tls_offset(const struct attach_target *t,
			   const struct attach_module *m)
{
	uint64_t offset;

	if (!m->tls_bytes ||
	    attach_read(t, m->map + t->at_tls_offset, &offset, 8) ||
	    offset > TLS_MAX_BYTES || offset < m->tls_image_bytes)
		return 0;
	return offset;
}

/* Writes a path of ATTACH_FD that no module of the process came by: the linker
 * takes a library with the path of another one for that one. */
static void fileless_path(char *path, size_t room,
			  const struct attach_target *t)
{
	size_t n = (size_t)snprintf(path, room, "%s", ATTACH_FILELESS);

	for (size_t i = 0; i < t->nmodules && n < room / 2; i++)
		if (t->modules[i].fileless)
			path[n++] = '/';
	snprintf(path + n, room - n, "%d", ATTACH_FD);
}

/* Fills in the words of the block that do not depend on where it will be. */
static void fill_block(struct attach_memory *memory,
		       const struct attach_target *t,
		       const struct attach_plan *plan)
{
	struct attach_block *block = memory->block;
	const struct attach_names *n = &t->names;

	block->helper = 1;
	block->pauses = ATTACH_PAUSES_LOAD;
	block->dlclose = plan->unloads ? n->dlclose : 0;
	block->handle = plan->unloads;
	block->finalize = n->finalize;
	/* the agent can be unloaded, see unload.c */
	block->flags = RTLD_NOW | (plan->request ? RTLD_NODELETE : 0);
	block->create = n->create;
	block->detach = n->detach;
	block->dlopen = n->dlopen;
	block->dlsym = n->dlsym;
	block->dlerror = n->dlerror;
	block->atfork = n->atfork;
	block->attach = plan->function;
	block->leave = plan->function ? n->munmap : 0;
	snprintf(block->entry, sizeof(block->entry), "%s", plan->entry);
	if (plan->request) {
		block->again = !!plan->function;
		snprintf(block->request.text, sizeof(block->request.text),
			 "%s", plan->request);
	}
	if (memory->image_bytes)
		fileless_path(block->path, sizeof(block->path), t);
	else
		snprintf(block->path, sizeof(block->path), "%s", plan->library);
}

int attach_memory_build(struct attach_memory *memory,
			const struct attach_target *t,
			const struct attach_plan *plan)
{
	uint64_t below = 0, offset, *dtv;
	struct stat st;
	int ret = 0;

	memset(memory, 0, sizeof(*memory));
	if (strlen(plan->library) >= ATTACH_TEXT_BYTES)
		return -ENAMETOOLONG;
	if (t->rseq_bytes && (t->rseq_offset < -(int64_t)TLS_MAX_BYTES ||
			      t->rseq_offset > CONTROL_BYTES - RSEQ_BYTES))
		return -ENOTSUP;
	if (plan->foreign && !plan->function) {
		if (stat(plan->library, &st))
			return -errno;
		memory->image_bytes = (size_t)st.st_size;
	}
	/* below the thread pointer: the storage of all modules, and the rseq
	 * area, which glibc has below them since 2.41 */
	for (size_t i = 0; i < t->nmodules; i++) {
		offset = tls_offset(t, &t->modules[i]);
		below = offset > below ? offset : below;
	}
	if (t->rseq_offset < 0 && t->rseq_offset >= -(int64_t)TLS_MAX_BYTES &&
	    (uint64_t)-t->rseq_offset > below)
		below = (uint64_t)-t->rseq_offset;
	memory->thread_pointer = HEAD_BYTES +
				 whole_pages(below + TLS_LATER_BYTES);
	memory->stack_top = memory->thread_pointer + CONTROL_BYTES +
			    STACK_BYTES;
	memory->dtv = memory->stack_top;
	memory->end = whole_pages(memory->dtv + DTV_BYTES);
	memory->size = memory->end + whole_pages(memory->image_bytes);
	memory->bytes = calloc(1, memory->end);
	if (!memory->bytes)
		return -ENOMEM;
	memory->asks = !!plan->request;
	memory->block = (struct attach_block *)(memory->bytes +
						ATTACH_CODE_BYTES);
	memcpy(memory->bytes, attach_stub_start,
	       (size_t)(attach_stub_end - attach_stub_start));
	fill_block(memory, t, plan);
	/* TLS_DTV_UNALLOCATED in each slot; generation 0: libc looks up each
	 * module */
	dtv = (uint64_t *)(memory->bytes + memory->dtv);
	memset(dtv, 0xff, DTV_BYTES);
	dtv[0] = DTV_SLOTS;
	dtv[1] = dtv[2] = dtv[3] = 0;
	for (size_t i = 2; i < DTV_SLOTS + 2; i++)
		dtv[2 * i + 1] = 0;	/* nothing to free */
	for (size_t i = 0; i < t->nmodules && !ret; i++) {
		const struct attach_module *m = &t->modules[i];

		offset = tls_offset(t, m);
		if (offset)
			ret = attach_read(t, m->tls_image, memory->bytes +
					  memory->thread_pointer - offset,
					  m->tls_image_bytes);
	}
	return ret;
}

void attach_memory_release(struct attach_memory *memory)
{
	free(memory->bytes);
}

int attach_memory_place(struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const uint8_t header[ATTACH_HEADER_BYTES],
			size_t placed)
{
	uint64_t *control = (uint64_t *)(memory->bytes +
					 memory->thread_pointer);
	uint64_t tp = base + memory->thread_pointer;
	struct attach_block *block = memory->block;
	size_t stack = memory->thread_pointer + CONTROL_BYTES;
	int64_t rseq = (int64_t)memory->thread_pointer + t->rseq_offset;
	uint32_t failed = (uint32_t)RSEQ_CPU_ID_REGISTRATION_FAILED;
	int ret;

	control[TCB_SELF / 8] = tp;
	control[TCB_DTV / 8] = base + memory->dtv + 16;
	control[TCB_SELF_AGAIN / 8] = tp;
	control[TCB_MULTIPLE_THREADS / 8] = 1;
	memcpy(&control[TCB_INHERITED / 8], header + TCB_INHERITED,
	       TCB_INHERITED_BYTES);
	/*
	 * libc registers a new thread with rseq if the creating thread is
	 * registered, and ends the process if that fails. So the helper is
	 * marked as not registered until the kernel has registered it. If libc
	 * was told not to use rseq (a size of 0), the helper does not use it
	 * either.
	 */
	if (t->rseq_offset && rseq >= (int64_t)HEAD_BYTES &&
	    t->rseq_offset <= CONTROL_BYTES - RSEQ_BYTES) {
		memcpy(memory->bytes + rseq + offsetof(struct rseq, cpu_id),
		       &failed, sizeof(failed));
		block->rseq = t->rseq_bytes ? base + (uint64_t)rseq : 0;
		block->rseq_bytes = t->rseq_bytes ? RSEQ_BYTES : 0;
	}
	block->image = memory->image_bytes ? base + memory->end : 0;
	block->image_bytes = memory->image_bytes;
	block->argument = base + ATTACH_CODE_BYTES +
			  (memory->asks ? ATTACH_REQUEST : ATTACH_FORKS);
	block->kept = t->names.foreign_malloc ? (uint32_t)(stack - HEAD_BYTES) :
						0;
	block->spare = base + HEAD_BYTES + block->kept;
	block->spare_bytes = memory->size - HEAD_BYTES - block->kept;
	/* the stack is zeros already */
	ret = attach_write(t, base + placed, memory->bytes + placed,
			   stack - placed);
	return ret ? ret : attach_write(t, base + memory->stack_top,
					memory->bytes + memory->stack_top,
					memory->end - memory->stack_top);
}

int attach_memory_image(const struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const char *library)
{
	void *bytes;
	int ret, fd;

	if (!memory->image_bytes)
		return 0;
	fd = open(library, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	bytes = mmap(NULL, memory->image_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -errno;
	ret = attach_write(t, base + memory->end, bytes, memory->image_bytes);
	munmap(bytes, memory->image_bytes);
	return ret;
}
