/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the program's memory whatever the address, from its own threads and
 * signal handlers.
 *
 * Only what is certain to stay mapped is read by a load: the modules that the
 * program started with, which are never unmapped, and the part of the stack
 * that the caller stands on. Nobody reads by loads where the program has asked
 * for pages that cannot be read, even there. Everything else is read in a
 * transaction of the processor's, or, where it has none or that one does not
 * come to its end, by process_vm_readv(2): both fail where a load would kill.
 */
#ifndef TRACEPOINTS_PROGRAM_MEMORY_H
#define TRACEPOINTS_PROGRAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* The calling thread's stack, as far as it is certain. */
struct memory_stack {
	uint64_t low;
	uint64_t high;
};

/*
 * The stack from the caller's frame up to the page of `sp`, the stack pointer
 * of a function further out (or 0); in the first thread, up to its end.
 * SIGSAFE.
 */
void memory_stack_here(struct memory_stack *stack, uint64_t sp);

/*
 * Copies n bytes; returns how many could be read, from the first on. No errno
 * changes. SIGSAFE.
 */
uint64_t memory_copy(void *to, uint64_t address, uint64_t n,
		     const struct memory_stack *stack);

/* What the kernel has read last, from an argument on and within its page, all
 * of which can be read or nothing: others often lie right behind. */
#define MEMORY_LINE_BYTES	64

struct memory_line {
	uint64_t start;
	uint64_t n;		/* 0: nothing */
	uint8_t bytes[MEMORY_LINE_BYTES];
};

/* A number of 1 to 8 bytes; 0 where it cannot be read. `line`: the same for
 * all numbers of a moment, at first of nothing. SIGSAFE. */
uint64_t memory_value(uint64_t address, uint64_t n,
		      const struct memory_stack *stack,
		      struct memory_line *line);

/* Is it in the modules that are never unmapped? SIGSAFE. */
int memory_is_fixed(uint64_t address, uint64_t n);

/*
 * Copies a string up to and including its NUL, at most n bytes. Returns how
 * many. SIGSAFE.
 */
uint64_t memory_copy_string(char *to, uint64_t address, uint64_t n,
			    const struct memory_stack *stack);

/*
 * Learns which modules will never be unmapped: all that are here when the agent
 * is loaded together with the program, else none: it then would not hear of
 * pages that cannot be read. Once, at start, before any of the above; takes
 * the loader's lock.
 */
void memory_learn(void);

/* These n bytes may become unreadable: what they are part of is no longer
 * certain. SIGSAFE. */
void memory_forget(uint64_t address, uint64_t n);

/* Not 0: something has been forgotten; what memory_is_fixed() said before may
 * be true no more. */
extern int memory_has_holes;

#endif
