/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where libc keeps a thread's struct rseq, and registers threads that
 * libc does not know.
 */
#include <errno.h>
#include <linux/rseq.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "base/sys.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/write.h"

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE	27
#define AT_RSEQ_ALIGN		28
#endif

long rseq_offset;
uint32_t rseq_bytes;

extern const ptrdiff_t __rseq_offset
	__attribute__((weak, visibility("default")));
extern const unsigned int __rseq_size
	__attribute__((weak, visibility("default")));

/* Tells whether the calling thread is registered with this length: the kernel
 * answers EBUSY to a thread that registers the same area again. */
static bool rseq_length_is(uint32_t bytes)
{
	char *rseq = (char *)__builtin_thread_pointer() + rseq_offset;
	long ret = sys4(SYS_rseq, rseq, bytes, 0, RSEQ_SIGNATURE);

	/* it was not registered, and stays so */
	if (!ret)
		sys4(SYS_rseq, rseq, bytes, RSEQ_UNREGISTER, RSEQ_SIGNATURE);
	if (ret != -EBUSY)
		return false;
	rseq_bytes = bytes;
	return true;
}

extern struct rseq_cs __start_taffrail_rseq_cs[]
	__attribute__((visibility("hidden")));
extern struct rseq_cs __stop_taffrail_rseq_cs[]
	__attribute__((visibility("hidden")));

/* Makes addresses of the distances, once; see SECTION_BEGIN. */
static void sections_locate(void)
{
	static int located;
	struct rseq_cs *cs = __start_taffrail_rseq_cs;

	if (located)
		return;
	for (; (uintptr_t)cs < (uintptr_t)__stop_taffrail_rseq_cs; cs++) {
		cs->start_ip += (uintptr_t)cs;
		cs->abort_ip += (uintptr_t)cs;
	}
	located = 1;
}

bool rseq_learn(void)
{
	const unsigned int *volatile size = &__rseq_size;
	unsigned long fills, align;

	if (!size || *size < 20)
		return false;
	sections_locate();
	rseq_offset = (long)__rseq_offset;
	/* glibc registers the 32 bytes of the first kernels, and from 2.41 on
	 * as many as the running kernel fills, if these are more */
	if (rseq_length_is(RSEQ_BYTES))
		return true;
	fills = getauxval(AT_RSEQ_FEATURE_SIZE);
	align = getauxval(AT_RSEQ_ALIGN);
	fills = align ? (fills + align - 1) / align * align : 0;
	return fills > RSEQ_BYTES && fills <= RSEQ_BYTES_MAX &&
	       rseq_length_is((uint32_t)fills);
}

int write_rseq_register(void *thread_pointer)
{
	struct rseq *rseq = (struct rseq *)((char *)thread_pointer +
					    rseq_offset);

	if (!rseq_offset)
		return -ENOSYS;
	return (int)sys4(SYS_rseq, rseq, rseq_bytes, 0, RSEQ_SIGNATURE);
}
