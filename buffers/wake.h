/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a command makes the service thread of a process that has none.
 *
 *	NONE ------> OFFERED ------> TAKEN ------> NONE, and `came` is one more
 *	  ^  process    |  ^   maker   |  the thread
 *	  |             |  |           |
 *	  +-------------+  +-----------+
 *	      process      maker, when it fails
 *
 * The command stops one thread (ptrace), checks that the process still runs the
 * program whose page it has read, puts a frame on the thread's stack, leads the
 * thread to WAKE_ENTRY_GO bytes behind `entry`, and lets it go. The code there
 * makes the service thread, and takes the program's thread back to where it
 * was, as the frame says. Where the command may not trace the process, it sends
 * a signal, and the handler makes the service thread.
 *
 * A system call that the stop interrupted is left to the kernel: the thread
 * keeps the number and the result (-ERESTART...). If no handler runs, the
 * kernel takes two bytes from the address and puts the number in the result's
 * place. So the thread begins at `entry`: a jump of two bytes there leads to
 * code that takes two bytes from the frame's address as well. If a handler
 * runs, the result is -EINTR.
 *
 * Invariant: only code of the process changes `state`, and a maker of
 * the thread changes it from OFFERED to TAKEN first. So there is one service
 * thread at a time, whatever commands do and wherever they are killed.
 *
 * This file is for C and for assembly.
 */
#ifndef BUFFERS_WAKE_H
#define BUFFERS_WAKE_H

/* States, as macros for assembly. */
#define WAKE_NONE	0	/* a thread is there, or none may be made */
#define WAKE_OFFERED	1
#define WAKE_TAKEN	2	/* a thread is being made */
#define WAKE_SIGNALLED	3	/* there is no thread: requests come by a signal
				 * (below) */

#define WAKE_SIGNAL	32	/* glibc's SIGCANCEL */

#define WAKE_ENTRY_GO	2

/* Words of the frame, from the stack pointer at `entry` upwards. Behind the
 * last are the 128 bytes that a function may use below the stack pointer. The
 * code at `entry` fills in the signal mask and rax. */
#define WAKE_MASK	0
#define WAKE_R15	1
#define WAKE_R14	2
#define WAKE_R13	3
#define WAKE_R12	4
#define WAKE_R11	5
#define WAKE_R10	6
#define WAKE_R9		7
#define WAKE_R8		8
#define WAKE_RBP	9
#define WAKE_RBX	10
#define WAKE_RDX	11
#define WAKE_RCX	12
#define WAKE_RAX	13
#define WAKE_RSI	14
#define WAKE_RDI	15
#define WAKE_FLAGS	16
#define WAKE_RIP	17
#define WAKE_WORDS	18
#define WAKE_RED_ZONE	128

#ifndef __ASSEMBLER__
#include <stdint.h>

/*
 * Requests by a signal (TAFFRAIL_SERVICE=signal): a command writes the request
 * to the file CALL_FILE of the process's directory, stores the command's ids in
 * `entry` and CALL_ASKED in `request`, and queues `signal` with the value
 * CALL_COOKIE. The handler changes `request` to CALL_SERVED, obeys, and writes
 * the answer in the request's place: both begin with a struct message
 * (control/protocol.h). Then it counts in `came`, or stores why it could not in
 * `error`, and stores 0 in `request`; a command waits for that word (futex).
 *
 *	      command           handler
 *	0 ------------> ASKED ----------> SERVED
 *	^   command, when it    |            | handler
 *	+------- gives up ------+------------+
 *
 * Commands take turns by a lock (flock) on the file. The handler does not obey
 * a command that no longer has the lock.
 *
 * A command that sends the signal, perhaps once more, first stores 1 in
 * `sending`, and sends it only if `state` and `request` still allow it. A
 * process that executes another program takes the offer back, and then waits
 * while `sending` is 1: the signal would end the new program.
 */
#define CALL_FILE	"call"
#define CALL_ASKED	1
#define CALL_SERVED	2
#define CALL_COOKIE	0x6c696172666661ffull

/* Commands write `request` alone, and in WAKE_SIGNALLED `sending` and `entry`;
 * the rest is the process's. They take turns by a lock (flock) on the process's
 * directory. */
struct process_wake {
	uint32_t state;
	int32_t error;		/* OFFERED: why the last try failed, or 0;
				 * NONE: ENOTSUP with TAFFRAIL_SERVICE=off,
				 * ENOSYS while a thread's system calls are
				 * dispatched (prctl(2)); TAKEN and NONE: EMFILE
				 * while the service thread lacks a
				 * descriptor */
	uint32_t request;	/* 1: a command sends the next `signal` */
	uint32_t came;		/* how many service threads have begun, or
				 * requests were answered */
	uint32_t signal;	/* WAKE_SIGNAL; 0: it has no handler */
	uint32_t rseq_bytes;	/* 0: the program has no rseq area */
	uint32_t filters;	/* threads with more seccomp filters are not
				 * asked */
	uint32_t sending;	/* SIGNALLED: a command sends `signal` */
	int64_t rseq_offset;	/* from a thread pointer */
	uint64_t entry;		/* SIGNALLED: the caller's pid << 32 | uid */
	uint64_t page;		/* where the process has this page */
};
#endif

#endif
