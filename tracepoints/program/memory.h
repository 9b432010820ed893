/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the program's memory at any address, from the program's threads and
 * signal handlers.
 *
 * Only memory that is certain to stay mapped is read by a load: the modules
 * that the program started with, which are never unloaded, and the part of the
 * stack that the caller runs on; of these, not memory in which the program has
 * asked for pages that cannot be read, or has unmapped or replaced some.
 * Everything else is read in a transaction of the processor. If it has none,
 * or the transaction fails, process_vm_readv(2) reads: both fail where a load
 * would kill the program.
 */
#ifndef TRACEPOINTS_PROGRAM_MEMORY_H
#define TRACEPOINTS_PROGRAM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of the calling thread's stack that is certain to be mapped. */
struct memory_stack {
	uint64_t low;
	uint64_t high;
};

/*
 * Finds the stack from the caller's frame up to the page of `sp`, the stack
 * pointer of a function further out (or 0); in the first thread, up to the
 * stack's end. SIGSAFE.
 */
void memory_stack_here(struct memory_stack *stack, uint64_t sp);

/* Returns true for an address on the stack that the system or the C library
 * made for the thread. 0: it may be on a small one, of a coroutine or a signal
 * handler; or it is deep. SIGSAFE. */
bool memory_stack_is_own(uint64_t here);

/* Returns true for an address of a frame, which may be left, that a load can
 * read: on the first thread's stack. SIGSAFE. */
bool memory_stack_stays(uint64_t here);

/*
 * Copies n bytes. Returns how many could be read, from the first on. Does not
 * change errno. SIGSAFE.
 */
uint64_t memory_copy(void *to, uint64_t address, uint64_t n,
		     const struct memory_stack *stack);

/* Bytes that the kernel has read last, from an argument on. Other arguments
 * often lie in them. They end with the argument's page: a page can be read as a
 * whole or not at all. */
#define MEMORY_LINE_BYTES	64

struct memory_line {
	uint64_t start;
	uint64_t n;		/* 0: nothing */
	uint8_t bytes[MEMORY_LINE_BYTES];
};

/* Returns a number of 1 to 8 bytes; bytes that cannot be read are 0. The caller
 * passes the same `line`, at first empty, for all numbers of one moment.
 * SIGSAFE. */
uint64_t memory_value(uint64_t address, uint64_t n,
		      const struct memory_stack *stack,
		      struct memory_line *line);

/* Returns true when the n bytes are in a module that is never unmapped, and are
 * certain to be readable. SIGSAFE. */
bool memory_is_fixed(uint64_t address, uint64_t n);

/*
 * Copies a string up to and including the NUL, at most n bytes. Returns how
 * many. SIGSAFE.
 */
uint64_t memory_copy_string(char *to, uint64_t address, uint64_t n,
			    const struct memory_stack *stack);

/*
 * Learns which modules will never be unmapped: all present ones if the agent
 * was loaded together with the program. Else none: the agent would not learn of
 * pages that cannot be read. Called once, at start, before any of the above;
 * takes the loader's lock.
 */
void memory_learn(void);

/* Forgets all modules: what becomes of their memory is not told. Called at
 * start, by one thread. */
void memory_unlearn(void);

/* Forgets the ranges that these n bytes are part of: the bytes may become
 * unreadable, so the ranges are no longer certain. SIGSAFE. */
void memory_forget(uint64_t address, uint64_t n);

/* Not 0: a range has been forgotten; an earlier answer of memory_is_fixed() may
 * be wrong now. */
extern int memory_has_holes;

#endif
