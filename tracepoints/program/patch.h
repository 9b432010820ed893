/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switches sites on and off by one byte of code: a9 (test) <-> e9 (jmp).
 *
 * A write of one byte is atomic for any number of running threads, whatever the
 * alignment. A breakpoint or a uprobe on the nop before it is not disturbed.
 */
#ifndef TRACEPOINTS_PROGRAM_PATCH_H
#define TRACEPOINTS_PROGRAM_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* A way to write code, opened for a number of writes. */
struct patcher {
	int mem;		/* /proc/self/mem; -1: by mprotect;
				 * PATCH_UNOPENED before the first write */
	int *opened;		/* that word */
};

#define PATCH_UNOPENED	(-2)

/*
 * Registers for the membarrier commands that the writers and the patcher
 * need. Called once in a process, before the first patch. Returns 0, or a
 * negative errno when the kernel is older than 5.10 or a filter refuses the
 * command: there is then no grace period for restartable sequences, and no
 * event may be written in one.
 */
int patch_setup(void);

/*
 * Prepares writes by the calling process, which calls it each time (an
 * inherited descriptor writes to the parent's memory), in a thread that has
 * private descriptors: the first write opens the memory of the process. Never
 * fails: without /proc, code is written through mprotect.
 */
void patch_open(struct patcher *patcher);

/* Returns the descriptor of the process's memory, or -1. */
int patch_memory(const struct patcher *patcher);

/* Closes the patcher. Returns when every thread fetches the new code. */
void patch_close(struct patcher *patcher);

#define SITE_OFF	0xa9	/* test $imm32, %eax */
#define SITE_ON		0xe9	/* jmp rel32 */

/* Returns true when `code`, label 990 of a site, leads to a stub that is so far
 * behind it. */
static inline bool patch_leads(const uint8_t *code, int64_t distance)
{
	int32_t operand;

	__builtin_memcpy(&operand, code + 2, 4);
	return (code[1] == SITE_ON || code[1] == SITE_OFF) &&
	       operand + 6 == distance;
}

/*
 * Writes a site's byte. `code` is label 990, `stub` the target that the jump
 * must have. Returns 0; -EBUSY when another program's code is there;
 * -EINPROGRESS when it is, and the site works as if it had been switched
 * (patch_refused); another negative errno when the byte cannot be written. The
 * module must not go away meanwhile.
 */
int patch_site(const struct patcher *patcher, uint8_t *code,
	       const uint8_t *stub, int on);

/*
 * Restores a site whose jump another program has written, when that program is
 * gone. The site is off for a moment.
 */
int patch_restore(const struct patcher *patcher, uint8_t *code,
		  const uint8_t *stub, int on);

/* Writes one byte of code that threads may be executing: the code must be valid
 * with the old value and with the new. Returns 0 or a negative errno. */
int patch_byte(const struct patcher *patcher, uint8_t *code, uint8_t value);

/*
 * Writes code bytes that no thread can be executing, and their first byte last:
 * for patches other than sites, such as after a single-byte instruction.
 * Returns 0 or a negative errno.
 */
int patch_bytes(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n);

/*
 * Writes code. Threads may fetch old bytes beside new ones meanwhile: the
 * caller must know that this does no harm. Returns 0 or a negative errno.
 */
int patch_write(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n);

/*
 * Replaces a word of code at once: a thread fetches all of the old bytes or all
 * of the new ones. The kernel promises that of no write to /proc/self/mem, so
 * the page is writable for a moment, or from then on where it cannot be
 * protected again. Returns 0; or a negative errno, and nothing is written.
 * -EBUSY: it is not `was` any more, as a debugger or the kernel has put a
 * breakpoint there or removed one.
 */
int patch_word(uint64_t *word, uint64_t was, uint64_t value);

/*
 * Does the writes that wait until a patcher is closed; or NULL.
 */
extern void (*patch_flush)(const struct patcher *patcher);

/*
 * Called for each site that could not be switched because another program's
 * code is there; or NULL. Returns 1 when the site works as if it had been
 * switched. Set before the first site is on.
 */
extern int (*patch_refused)(const struct patcher *patcher, uint8_t *code,
			    const uint8_t *stub, int on);

/*
 * Waits until each thread of the process executes the code that memory holds
 * now. Returns 0, or a negative errno: running threads may then have fetched
 * older code.
 */
int patch_sync(void);

/* Waits until no thread is in a section that it entered before the call
 * (membarrier). */
void patch_grace(void);

#endif
