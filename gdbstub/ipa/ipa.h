/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GDB's in-process agent: the part that a stock gdbserver expects in the
 * program that it debugs. gdbserver leads fast tracepoints here through jump
 * pads that it writes.
 *
 * Invariant: gdbserver stops threads wherever they are, and at times runs one
 * thread alone. So no thread waits for another without a bound; a hit in a
 * handler that interrupts the holder is dropped and counted. The agent trusts
 * the data that gdbserver laid out in the heap below, because gdbserver can
 * write everywhere anyway.
 */
#ifndef GDBSTUB_IPA_IPA_H
#define GDBSTUB_IPA_IPA_H

#include <stdint.h>

#include "base/base.h"
#include "control/threads/vectors.h"
#include "gdbstub/ipa/abi.h"
#include "tracepoints/sites/registry.h"

/* The buffer has room for two such frames. */
#define IPA_FRAME_BYTES		((8u << 20) - 4096)
#define IPA_TEXT_BYTES		(256u << 10)
#define IPA_BUFFER_BYTES	(16ull << 20)
#define IPA_MARKERS_MAX		(1u << 16)	/* a power of two */

/* The turn, which counts holders from 1 on, and the thread that makes a frame,
 * or 0. */
#define IPA_HOLD(turn, tid)	((uint64_t)(uint32_t)(turn) << 32 | (tid))
#define IPA_HOLDER(hold)	((uint32_t)(hold))
#define IPA_TURN(hold)		((uint32_t)((hold) >> 32))

/* In memory that fork wipes, because gdbserver does not serve a child. */
struct ipa {
	uint32_t here;			/* not a child */
	uint32_t on;			/* markers call ipa_hit() */
	uint32_t offered;		/* the socket is there */
	uint32_t looks;			/* the thread that looks: site.c */
	uint64_t hold;			/* IPA_HOLD() */
	uint32_t stuck;			/* turn that a waiter gave up on */
	const void *executable;		/* program headers of a module that is
					 * never closed */
	uint32_t nprograms;
	uint32_t program_bytes;		/* of ipa_programs, in use */
};

extern struct ipa *ipa;
extern uint8_t *ipa_frame;		/* being made: IPA_FRAME_BYTES */
extern uint8_t *ipa_text;		/* for static data: IPA_TEXT_BYTES */

/* memory.c: memory for other files, all zeroes. */
struct ipa_rooms {
	uint8_t *buffer;		/* IPA_BUFFER_BYTES */
	struct ipa_marker *markers;	/* IPA_MARKERS_MAX */
	struct ipa_cell *cells;		/* IPA_CELLS */
	struct ipa_kept *kept;
};

/* Maps all memory. Returns the value for `ipa`, or NULL. Called once. */
struct ipa *ipa_memory_map(struct ipa_rooms *rooms);

/*
 * Maps the memory that a gdbserver expects: a heap, a buffer, and room for jump
 * pads near the executable. A gdbserver may attach at any time; until then, no
 * page is touched. Returns 0 or a negative errno. Called once, at start.
 */
int ipa_setup(void);

/*
 * Prepares static data for gdbserver: switches every marker on. The jump that
 * gdbserver moves out of the way then leads to the marker's arguments. Returns
 * 0 or a negative errno. Agent threads only.
 */
int ipa_prepare(void);

/*
 * With `on`, for a gdbserver that is about to attach: prepares, and offers the
 * socket. Without, for one that has detached: puts the program back as it was.
 * Returns 0, -EPERM where the environment forbids it, -ENOTSUP in a forked
 * child, or another negative errno. Agent threads only.
 */
int ipa_serve(int on);

/* Returns true when a gdbserver traces this process, or may do so at any
 * moment. Then a debugger may keep the program's threads from serving a
 * command. */
bool ipa_awaits(void);

/* Takes back all that was done for gdbserver. Returns 0, or -EBUSY when a
 * gdbserver is attached. */
int ipa_undo(void);

/*
 * The socket that a program under GDB's agent has; see socket.c. Only an agent
 * thread may offer it: ipa_socket_offer() returns 0 or a negative errno. Any
 * thread may remove it.
 */
int ipa_socket_offer(void);
void ipa_socket_remove(void);

/*
 * Without a gdbserver, ipa_clean() takes back all that a killed gdbserver has
 * left. ipa_move_on() keeps that gdbserver's pads and heap as they are, and
 * gives the next one others, while there is room. ipa_abandon() does the part
 * of ipa_clean() that does not need the registry's lock; it returns as
 * ipa_traced(). Agent threads only.
 */
void ipa_clean(void);
int ipa_abandon(void *unused);
void ipa_move_on(void);
bool ipa_is_pad(const uint8_t *code);

/* As patch_refused. */
int ipa_site_refused(const struct patcher *patcher, uint8_t *code,
		     const uint8_t *stub, int on);

/* Return true when a tracepoint is not of an earlier gdbserver, and when it
 * also lies in this gdbserver's heap. */
bool ipa_is_current(const struct ipa_point *point);
bool ipa_is_point(const struct ipa_point *point);

/* Returns 1 when the program is debugged now, 0 when it is not, or a negative
 * errno. Agent threads only. */
int ipa_traced(void *unused);

/* Takes a marker of a module that has just been loaded. The registry's lock is
 * held. */
void ipa_module_came(struct object *object, const struct patcher *patcher);

/* A marker, by the address of its site's jump: gdbserver uses that address. */
struct ipa_marker {
	uint64_t address;		/* set last; 0: none */
	struct object *object;
	struct ipa_point *point;	/* that a pad came with */
	int32_t jump;			/* which led to that pad: set last */
	int32_t cell;			/* the cell's number, or -1 */
};

/*
 * marker.c: the table of markers. ipa_marker_add() enters a marker, with a cell
 * if `cell` is set, or changes its object. It returns false when there are too
 * many markers. The registry's lock is held.
 */
extern struct ipa_marker *ipa_markers;
void ipa_marker_setup(struct ipa_marker *room);
bool ipa_marker_add(uint64_t address, struct object *object, int cell);
/* Returns the marker at an address, or NULL. SIGSAFE. */
struct ipa_marker *ipa_marker_find(uint64_t address);

/*
 * cell.c: cells (abi.h), room for IPA_CELLS of them. ipa_cell_give() returns
 * the number of a new cell for a site, or -1 when there are too many. The
 * registry's lock is held.
 */
void ipa_cell_setup(struct ipa_cell *room);
int32_t ipa_cell_give(uint64_t site);
/* Removes the jumps of a gdbserver that is gone. */
void ipa_cells_clean(void);
/* Returns the first of gdbserver's tracepoints on a marker's cell, or NULL.
 * SIGSAFE. */
struct ipa_point *ipa_cell_point(struct ipa_marker *marker);

#define IPA_CELLS	(1u << 15)

extern struct ipa_cells taffrail_ipa_cells
	__attribute__((visibility("default")));

/*
 * kept.c: places for the vector registers of hits whose frames are made later.
 * There is one for each thread of IPA_KEPT that are at a marker whose registers
 * are collected at the same time; others have none.
 */
#define IPA_KEPT		64u

struct ipa_kept {
	uint8_t areas[IPA_KEPT][VECTORS_BYTES];
	uint64_t places[IPA_KEPT];	/* tracepoints/frames/hit-place.h */
	uint32_t used;			/* a place was taken once */
};

/* A site whose pad and whose stub both keep registers has two hits with the
 * same stack pointer. This is added to the one of the pad. */
#define IPA_KEPT_PAD		32u

struct snapshot;

/* Sets where the places are; before the first hit. */
void ipa_kept_setup(struct ipa_kept *room);

/* Takes a place for the snapshot that the thread is about to take, and copies
 * the area of vectors_kept() there. `stack` is the stack pointer at the site,
 * plus IPA_KEPT_PAD in a pad. SIGSAFE. */
int ipa_keep(const uint8_t *stack, void *unused, const uint8_t *area);

/* Returns the area that was kept for a snapshot, or NULL; releases the place,
 * if there still is one. SIGSAFE. */
const uint8_t *ipa_kept(const struct snapshot *snapshot);
void ipa_kept_release(const struct snapshot *snapshot);

/* As snapshot_entry; keeps the vector registers, if they will be collected. */
void ipa_snapshot_entry(void);

/*
 * Returns 1 when the hit of a site, whose stub's call returns to `behind`, may
 * collect registers: a condition that is false now is not looked at again.
 * `general` is in the order of struct registers. ipa_snapshot_entry calls it.
 * SIGSAFE.
 */
int ipa_wants_registers(const uint8_t *behind, const uint64_t *general,
			uint64_t flags);

/* Serves a marker's hit. A marker calls this while gdbserver may have
 * tracepoints there. */
write_fn ipa_hit;

/*
 * Makes the calling thread, whose stack pointer at the site was `stack`, the
 * holder. Returns 0 when another thread stays the holder, when a handler calls
 * this that has interrupted the holder, or when it has ended the trace because
 * the holder will not go on. A caller that is not `patient` waits only for a
 * moment: it is in a jump pad, where gdbserver waits for the thread while
 * others are stopped.
 */
int ipa_hold(int patient, uint64_t stack);
void ipa_release(void);
/* Does the same, but does not wait, and ends no trace. */
bool ipa_hold_free(uint64_t stack);

/* gdbserver sets this number to 0 for each trace, and never reads it. */
extern int32_t gdb_agent_traceframes_created
	__attribute__((visibility("default")));

/*
 * ipa_trace_same() returns 0 when gdbserver has begun another trace since
 * ipa_trace_enter(). The holder only.
 */
static inline void ipa_trace_enter(void)
{
	store_release(&gdb_agent_traceframes_created, 1, IPA_TRACE);
}

static inline int ipa_trace_same(void)
{
	return load_acquire(&gdb_agent_traceframes_created, IPA_TRACE);
}

/*
 * ipa_reserve() returns room for a frame of n bytes, or NULL when the buffer is
 * full or the trace has ended. ipa_commit() shows the frame to gdbserver; it
 * returns false when another trace has replaced the frame's. The holder only.
 */
void ipa_buffer_setup(uint8_t *room);
uint8_t *ipa_reserve(uint32_t n);
bool ipa_commit(void);
/* Returns true when no room was reserved since gdbserver began the trace. The
 * holder only. */
bool ipa_buffer_is_new(void);

/*
 * limits.c. ipa_limits_room() returns the size of the largest frame that
 * gdbserver can keep. ipa_limits_fit() returns false when n more bytes do not
 * fit into gdbserver's buffer, so the trace must end. ipa_limits_add() counts a
 * frame, which may be cut, once gdbserver can see it; ipa_limits_fail() counts
 * a hit without one, because the condition failed. The holder only.
 */
uint32_t ipa_limits_room(void);
bool ipa_limits_fit(uint32_t n);
void ipa_limits_add(uint32_t n, int cut);
void ipa_limits_fail(void);
/* Counts a hit that did not get its turn. */
void ipa_limits_drop(void);
/* Notes why the trace ends. SIGSAFE. */
void ipa_limits_end(enum ipa_end why);

/* Maps the variables for a program that begins under the filter; see trace.c.
 * Called at start. */
void ipa_far_setup(void);

/* Ends the trace of a gdbserver that has gone. The next one would take the
 * frames in the buffer, and abort, because it does not know their tracepoints.
 */
void ipa_forget(void);

/* Returns an expression verified for the machine, which is always the same; or
 * NULL and an error. The holder only. */
const struct ax_program *ipa_program(const struct ipa_expression *expression,
				     const struct ax_machine *machine,
				     int want_result, int *error);
/* Forgets all expressions: another thread may have left the table as it was
 * changing it. The holder only. */
void ipa_program_forget(void);

/* Trace state variables. Both return 0, or -1 when none has that number. */
int ipa_variable_get(uint32_t number, int64_t *value);
int ipa_variable_set(uint32_t number, int64_t value);

/* hooks-x86_64.S: functions on whose first bytes gdbserver puts breakpoints. */
void ipa_stop_tracing(void);
void ipa_flush(void);
void ipa_request(void);

/*
 * Calls one of the three and returns true. When a gdbserver that has gone left
 * a breakpoint there, which would kill the program, ends the trace instead, and
 * returns false.
 */
bool ipa_call(void (*hook)(void));

/* Ends a trace that runs, before the program executes another or exits. So
 * gdbserver gets the frames that were collected. Does nothing in a child that
 * shares its parent's memory. SIGSAFE. */
void ipa_end(enum ipa_end why);

/*
 * block-x86_64.c: the block of registers in a frame for gdbserver. It has all
 * registers of the target description, which depends on the machine, the
 * processor and the release.
 */

/* Registers at a tracepoint. */
struct ipa_state {
	const uint64_t *general;	/* in the order of struct registers */
	uint64_t address;
	uint64_t flags;
	const uint8_t *vectors;		/* area of vectors_kept() */
};

/* Returns the size that gdbserver expects of the block, for the number of its
 * description (gdb_agent_ipa_tdesc_idx). */
uint32_t ipa_block_bytes(uint32_t description);

/* Called at start. */
void ipa_block_setup(void);

/* Fills a block of that size. Takes data that the state lacks, such as segments
 * and their bases, from the calling thread, which was hit. SIGSAFE. */
void ipa_block_fill(uint8_t *block, uint32_t description,
		    const struct ipa_state *state);

/* Serves a call from a jump pad; keeps the vector registers. */
void ipa_collect_entry(struct ipa_point *point, struct ipa_registers *regs);

#pragma GCC visibility push(default)
extern struct ipa_point *gdb_agent_stopping_tracepoint;
extern struct ipa_point *gdb_agent_error_tracepoint;
extern int32_t gdb_agent_tracing;
extern int32_t gdb_agent_trace_buffer_is_full;
extern int32_t gdb_agent_expr_eval_result;
extern uint8_t *gdb_agent_trace_buffer_lo;
#pragma GCC visibility pop

#endif
