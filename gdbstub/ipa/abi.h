/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GDB's in-process agent ABI on x86-64: the data that a stock gdbserver finds
 * by symbol in the program that it debugs, and writes and reads there. Read
 * from gdbserver/tracepoint.cc and gdbserver/linux-x86-low.cc of GDB 13.1 and
 * 16.3, which agree. gdbserver decides all of it, except where a comment says
 * otherwise.
 *
 * gdbserver lays out the objects below in the heap that the agent gives it, in
 * this process's memory, while all threads are stopped.
 */
#ifndef GDBSTUB_IPA_ABI_H
#define GDBSTUB_IPA_ABI_H

#include <stddef.h>
#include <stdint.h>

struct ipa_expression {
	int32_t length;
	const uint8_t *bytes;
};

enum ipa_action_type {
	IPA_ACTION_MEMORY = 'M',
	IPA_ACTION_REGISTERS = 'R',
	IPA_ACTION_EXPRESSION = 'X',
	IPA_ACTION_STATIC = 'L',
};

/* Only the first byte of an action counts; the rest depends on it. */
struct ipa_action {
	uint8_t type;
};

struct ipa_action_memory {
	uint8_t type;
	uint64_t address;
	uint64_t bytes;
	int32_t base;			/* register, or -1 */
};

struct ipa_action_expression {
	uint8_t type;
	const struct ipa_expression *expression;
};

enum ipa_point_type { IPA_TRAP = 0, IPA_FAST = 1, IPA_STATIC = 2 };

/* A tracepoint. Behind it gdbserver keeps data that the agent does not use. */
struct ipa_point {
	uint32_t number;
	uint64_t address;
	int32_t type;			/* enum ipa_point_type */
	int8_t enabled;			/* changes while a trace runs */
	uint64_t step_count;
	uint64_t pass_count;
	const struct ipa_expression *condition;	/* or NULL */
	uint32_t nactions;
	const struct ipa_action *const *actions;
	uint64_t hit_count;		/* counted by the agent */
	uint64_t usage;
	uint64_t compiled_condition;	/* not used: the agent runs bytecode */
	struct ipa_point *next;
};

#define IPA_AT(type, member, offset)                                      \
	_Static_assert(offsetof(struct type, member) == (offset), "gdbserver")

IPA_AT(ipa_expression, length, 0);
IPA_AT(ipa_expression, bytes, 8);
_Static_assert(sizeof(struct ipa_expression) == 16, "gdbserver");
_Static_assert(sizeof(struct ipa_action) == 1, "gdbserver");
IPA_AT(ipa_action_memory, address, 8);
IPA_AT(ipa_action_memory, bytes, 16);
IPA_AT(ipa_action_memory, base, 24);
_Static_assert(sizeof(struct ipa_action_memory) == 32, "gdbserver");
IPA_AT(ipa_action_expression, expression, 8);
_Static_assert(sizeof(struct ipa_action_expression) == 16, "gdbserver");
IPA_AT(ipa_point, number, 0);
IPA_AT(ipa_point, address, 8);
IPA_AT(ipa_point, type, 16);
IPA_AT(ipa_point, enabled, 20);
IPA_AT(ipa_point, step_count, 24);
IPA_AT(ipa_point, pass_count, 32);
IPA_AT(ipa_point, condition, 40);
IPA_AT(ipa_point, nactions, 48);
IPA_AT(ipa_point, actions, 56);
IPA_AT(ipa_point, hit_count, 64);
IPA_AT(ipa_point, usage, 72);
IPA_AT(ipa_point, compiled_condition, 80);
IPA_AT(ipa_point, next, 88);
_Static_assert(sizeof(struct ipa_point) == 96, "gdbserver");

struct ipa_variable {
	const char *name;
	int32_t number;
	int64_t initial;
	int64_t value;
	int64_t (*getter)(void);
	struct ipa_variable *next;
};

IPA_AT(ipa_variable, name, 0);
IPA_AT(ipa_variable, number, 8);
IPA_AT(ipa_variable, initial, 16);
IPA_AT(ipa_variable, value, 24);
IPA_AT(ipa_variable, getter, 32);
IPA_AT(ipa_variable, next, 40);
_Static_assert(sizeof(struct ipa_variable) == 48, "gdbserver");

/* Errors of an expression. 8 and more are beyond GDB 13's table of names. */
enum ipa_error {
	IPA_NO_ERROR = 0, IPA_EMPTY_EXPRESSION = 1, IPA_UNHANDLED_OPCODE = 5,
	IPA_UNRECOGNIZED_OPCODE = 6, IPA_DIVIDED_BY_ZERO = 7,
};

/*
 * The trace buffer, a circle of frames:
 *
 *	u16 tracepoint | u32 bytes | blocks		no gap, no alignment
 *	u16 0 | u32 0					its end
 *
 * One of three control blocks is the current one: block 0 when gdbserver begins
 * a trace, later the one that the agent wrote last. The token names the current
 * block, and the counters tell two changes at the same time apart:
 *
 *	bit 31: by gdbserver; 30-20: counter before; 18-8: counter; 1-0: turn
 */
struct ipa_control {
	uint8_t *start;
	uint8_t *free;
	uint8_t *end_free;
	uint8_t *wrap;
};

IPA_AT(ipa_control, start, 0);
IPA_AT(ipa_control, free, 8);
IPA_AT(ipa_control, end_free, 16);
IPA_AT(ipa_control, wrap, 24);
_Static_assert(sizeof(struct ipa_control) == 32, "gdbserver");

#define IPA_CONTROLS		3u
#define IPA_TOKEN_TURN		0x0000000fu
#define IPA_TOKEN_COUNTER	0x0007ff00u
#define IPA_TOKEN_BEFORE	0x7ff00000u
#define IPA_TOKEN_BEFORE_SHIFT	12
#define IPA_TOKEN_STEP		0x00000100u

struct ipa_frame {
	uint16_t number;
	uint32_t bytes;
} __attribute__((packed));

IPA_AT(ipa_frame, bytes, 2);
_Static_assert(sizeof(struct ipa_frame) == 6, "gdbserver");

/* The registers at the tracepoint, which a jump pad passes to the agent. */
struct ipa_registers {
	uint64_t rip;
	uint64_t flags;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp;
};

IPA_AT(ipa_registers, flags, 8);
IPA_AT(ipa_registers, r8, 16);
IPA_AT(ipa_registers, r15, 72);
IPA_AT(ipa_registers, rax, 80);
IPA_AT(ipa_registers, rbx, 88);
IPA_AT(ipa_registers, rcx, 96);
IPA_AT(ipa_registers, rdx, 104);
IPA_AT(ipa_registers, rsi, 112);
IPA_AT(ipa_registers, rdi, 120);
IPA_AT(ipa_registers, rbp, 128);
IPA_AT(ipa_registers, rsp, 136);
_Static_assert(sizeof(struct ipa_registers) == 144, "gdbserver");

/* The smallest block of registers in a frame; see block-x86_64.c. */
#define IPA_BLOCK_BASE_BYTES	560u	/* core, x87, SSE, orig_rax, segments */

/*
 * Not part of gdbserver's ABI: taffrail_ipa_far points to three variables that
 * the filter makes gdbserver use in place of the agent's own.
 */
struct ipa_far {
	uint32_t read_count;
	uint32_t write_count;
	void *collecting;
};

/*
 * Not part of gdbserver's ABI: a cell for each site, near the pads wherever the
 * site is. The filter makes gdbserver put the tracepoints of the site's marker
 * on the cell. No thread runs the cell: the agent follows gdbserver's jump to
 * find the tracepoints. taffrail_ipa_cells lists the cells; a program that
 * serves no gdbserver has none.
 */
struct ipa_cell {
	uint8_t code[8];		/* of which gdbserver moves five */
	uint64_t site;
};

struct ipa_cells {
	struct ipa_cell *cells;
	uint32_t n;
	uint32_t on;
};

#define IPA_CELL_CODE	{ 0x0f, 0x1f, 0x44, 0, 0, 0x0f, 0x1f, 0 } /* nops */

/*
 * Not part of gdbserver's ABI: taffrail_ipa_limits. The filter writes all of it
 * when gdb starts a trace: how large gdbserver's buffer is (0: unknown),
 * whether it is a circle, and zeros for the rest. The agent then writes the
 * rest.
 */
enum ipa_end {
	IPA_END_OTHER, IPA_END_FULL, IPA_END_EXEC, IPA_END_EXIT,
	IPA_END_LEFT,			/* a thread has left a hit */
};

struct ipa_limits {
	uint64_t bytes;
	uint32_t circular;
	uint32_t reason;		/* enum ipa_end, by the agent */
	uint64_t used;			/* bytes of the frames made so far */
	uint64_t cut;			/* frames that lack something */
	uint64_t failed;		/* hits whose condition failed */
	uint64_t dropped;		/* hits that did not get their turn */
};

#define IPA_COMMAND_BYTES	1024
#define IPA_SOCKET		"/tmp/gdb_ust"	/* and the process's ID */

#endif
