/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switching sites on and off by one byte of code: a9 (test) <-> e9 (jmp).
 *
 * One byte is atomic under any number of running threads, whatever its
 * alignment; a breakpoint or a uprobe on the nop before it stays sane.
 */
#ifndef TRACEPOINTS_PROGRAM_PATCH_H
#define TRACEPOINTS_PROGRAM_PATCH_H

#include <stdint.h>

/* One way to write code, for a number of writes. */
struct patcher {
	int mem;		/* /proc/self/mem, or -1: by mprotect */
};

/*
 * Registers for the membarrier commands that the writers and the patcher
 * need. Once a process, before the first patch. Returns 0, or a negative errno
 * when the kernel (before 5.10, or a filter of system calls) has no grace
 * period for restartable sequences: then nothing may be written through them.
 */
int patch_setup(void);

/*
 * Opens the memory of the calling process: in the process that writes, each
 * time (an inherited descriptor writes the parent), and by a thread whose
 * descriptors are its own. Never fails: without /proc it writes by mprotect.
 */
void patch_open(struct patcher *patcher);

/* Closes, and returns after every thread fetches the new code. */
void patch_close(struct patcher *patcher);

/*
 * Writes a site's byte. `code` is label 990, `stub` what its jump must lead
 * to. Returns 0; -EBUSY when somebody else's code is there; another negative
 * errno when it cannot be written. The module must not go away meanwhile.
 */
int patch_site(const struct patcher *patcher, uint8_t *code,
	       const uint8_t *stub, int on);

/*
 * Puts a site right whose jump somebody else has written, and who is gone. For
 * a moment it is off.
 */
int patch_restore(const struct patcher *patcher, uint8_t *code,
		  const uint8_t *stub, int on);

/* Writes one byte of code that threads may be executing; either value must do
 * there. Returns 0 or a negative errno. */
int patch_byte(const struct patcher *patcher, uint8_t *code, uint8_t value);

/*
 * Writes code bytes that no thread can be executing, then its first byte:
 * for patches other than sites, e.g. behind a single-byte instruction.
 * Returns 0 or a negative errno.
 */
int patch_bytes(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n);

/*
 * Writes code. What threads may fetch meanwhile, old bytes beside new ones, is
 * the caller's to know. Returns 0 or a negative errno.
 */
int patch_write(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n);

/*
 * Does what was put off until a patcher is closed; or NULL.
 */
extern void (*patch_flush)(const struct patcher *patcher);

/*
 * Is told of each site that could not be switched because of somebody else's
 * code; or NULL. Set before the first site is on.
 */
extern void (*patch_refused)(const struct patcher *patcher, uint8_t *code,
			     const uint8_t *stub, int on);

/*
 * Returns 0 when each thread of the process executes what memory holds now, or
 * a negative errno: threads that run may have fetched what was there before.
 */
int patch_sync(void);

/* Waits until no thread is in a section it entered before (membarrier). */
void patch_grace(void);

#endif
