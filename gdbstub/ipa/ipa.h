/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GDB's in-process agent: what a stock gdbserver wants in the program that it
 * debugs. It leads fast tracepoints here by jump pads of its own making.
 *
 * What must stay true: gdbserver stops threads wherever they are, and runs
 * one alone at times; so nobody waits for another without a bound, and a
 * thread that interrupts itself gives up and is counted. What it laid out in
 * the heap below is believed: it can write everywhere anyway.
 */
#ifndef GDBSTUB_IPA_IPA_H
#define GDBSTUB_IPA_IPA_H

#include <stdint.h>

#include "base/base.h"
#include "gdbstub/ipa/abi.h"
#include "tracepoints/sites/registry.h"

/* The buffer has room for two. */
#define IPA_FRAME_BYTES		((8u << 20) - 4096)
#define IPA_TEXT_BYTES		(256u << 10)
#define IPA_BUFFER_BYTES	(16ull << 20)
#define IPA_MARKERS_MAX		(1u << 16)	/* a power of two */

/* Holders are counted from 1 on; the thread that makes a frame, or 0. */
#define IPA_HOLD(turn, tid)	((uint64_t)(uint32_t)(turn) << 32 | (tid))
#define IPA_HOLDER(hold)	((uint32_t)(hold))
#define IPA_TURN(hold)		((uint32_t)((hold) >> 32))

/* In memory that fork wipes: a child is not debugged. */
struct ipa {
	uint32_t here;			/* not a child */
	uint32_t on;			/* markers call ipa_hit() */
	uint32_t offered;		/* the socket is there */
	uint32_t looks;			/* thread that does: site.c */
	uint64_t hold;			/* IPA_HOLD() */
	uint32_t stuck;			/* turn that was waited for in vain */
	uint64_t dropped;		/* hits that could not */
	uint32_t nprograms;
	uint32_t program_bytes;		/* of ipa_programs, in use */
};

extern struct ipa *ipa;
extern uint8_t *ipa_frame;		/* being made: IPA_FRAME_BYTES */
extern uint8_t *ipa_text;		/* for static data: IPA_TEXT_BYTES */

/* memory.c: memory that other files keep things in, all zeroes. */
struct ipa_rooms {
	uint8_t *buffer;		/* IPA_BUFFER_BYTES */
	struct ipa_marker *markers;	/* IPA_MARKERS_MAX */
	struct ipa_cell *cells;		/* IPA_CELLS */
};

/* Maps all memory. Returns what `ipa` shall point to, or NULL. Once. */
struct ipa *ipa_memory_map(struct ipa_rooms *rooms);

/*
 * Maps what a gdbserver that attaches at any time takes for granted: a heap, a
 * buffer, and room for jump pads near the executable. No page of it is used
 * until then. Returns 0 or a negative errno. Once, at start.
 */
int ipa_setup(void);

/*
 * Has static data for gdbserver: every marker is switched on, so that the jump
 * which gdbserver moves out of the way leads to the marker's arguments. Returns
 * 0 or a negative errno. A thread of the agent's own.
 */
int ipa_prepare(void);

/*
 * For a gdbserver that is about to attach: prepares, and offers the socket; and
 * for one that has detached: the program is as it was before. Returns 0,
 * -EPERM where the environment forbids it, -ENOTSUP in a forked child, or
 * another negative errno. A thread of the agent's own.
 */
int ipa_serve(int on);

/* Does a gdbserver trace this process, or may one at any moment? A debugger
 * keeps the program's threads from serving a command then. */
int ipa_awaits(void);

/* Takes all back that was for gdbserver. Returns 0, or -EBUSY: one is
 * attached. */
int ipa_undo(void);

/*
 * The socket that a program under GDB's agent has; see socket.c. To offer
 * it is for a thread of the agent's own: returns 0 or a negative errno. Any
 * thread removes it.
 */
int ipa_socket_offer(void);
void ipa_socket_remove(void);

/*
 * Where no gdbserver is, takes back what one has left that was killed. Then
 * ipa_move_on() leaves its pads and its heap as they are, and gives the next
 * one others, as often as there is room. ipa_abandon() does it without what
 * needs the registry's lock; it returns as ipa_traced(). A thread of the
 * agent's own.
 */
void ipa_clean(void);
int ipa_abandon(void *unused);
void ipa_move_on(void);
int ipa_is_pad(const uint8_t *code);

/* As patch_refused. */
void ipa_site_refused(const struct patcher *patcher, uint8_t *code,
		      const uint8_t *stub, int on);

/* Of this gdbserver, not of one before? And anything of its heap at all? */
int ipa_is_current(const struct ipa_point *point);
int ipa_is_point(const struct ipa_point *point);

/* Is the program debugged now? 1, 0, or a negative errno. In a thread of the
 * agent's own. */
int ipa_traced(void *unused);

/* A marker of a module that has just been loaded; the lock is held. */
void ipa_module_came(struct object *object, const struct patcher *patcher);

/* A marker, by the address that gdbserver knows its site by: its jump's. */
struct ipa_marker {
	uint64_t address;		/* set last; 0: none */
	struct object *object;
	struct ipa_point *point;	/* that a pad came with */
	int32_t jump;			/* which led to that pad: set last */
	int32_t cell;			/* its number, or -1 */
};

/*
 * marker.c: the table of markers. ipa_marker_add() enters a marker, with a cell
 * if `cell` says so, or changes its object; it returns 0 when there are too
 * many. The registry's lock is held.
 */
void ipa_marker_setup(struct ipa_marker *room);
int ipa_marker_add(uint64_t address, struct object *object, int cell);
/* The marker at an address, or NULL. SIGSAFE. */
struct ipa_marker *ipa_marker_find(uint64_t address);

/*
 * cell.c: cells (abi.h), room for IPA_CELLS of them. One for a site:
 * its number, or -1 when there are too many. The registry's lock is held.
 */
void ipa_cell_setup(struct ipa_cell *room);
int32_t ipa_cell_give(uint64_t site);
/* Of a gdbserver that is gone: nobody's jumps any more. */
void ipa_cells_clean(void);
/* The first of gdbserver's tracepoints on a marker's cell, or NULL. SIGSAFE. */
struct ipa_point *ipa_cell_point(struct ipa_marker *marker);

#define IPA_CELLS	(1u << 15)

extern struct ipa_cells taffrail_ipa_cells;

/* What a marker calls while gdbserver may have tracepoints there. */
write_fn ipa_hit;

/*
 * Makes the calling thread the holder. Returns 0 when another one stays it, or
 * when the thread itself is it, interrupted by a handler. Who is not patient
 * waits for a moment only: in a jump pad, where gdbserver waits for the thread
 * while others are stopped.
 */
int ipa_hold(int patient);
void ipa_release(void);

/* gdbserver sets this number to 0 for each trace, and never reads it. */
extern int32_t gdb_agent_traceframes_created;

/*
 * From ipa_trace_enter() on, ipa_trace_same() tells whether gdbserver has not
 * begun another trace since. The holder only.
 */
static inline void ipa_trace_enter(void)
{
	store_release(&gdb_agent_traceframes_created, 1);
}

static inline int ipa_trace_same(void)
{
	return load_acquire(&gdb_agent_traceframes_created);
}

/*
 * Room for a frame of n bytes, or NULL: the buffer is full, or the trace has
 * ended. ipa_commit() shows the frame to gdbserver, unless it is of a trace
 * that has been replaced: then it returns 0. The holder only.
 */
void ipa_buffer_setup(uint8_t *room);
uint8_t *ipa_reserve(uint32_t n);
int ipa_commit(void);

/*
 * limits.c: the largest frame that gdbserver can keep. Returns 0 when n
 * bytes more do not fit into gdbserver's buffer, and the trace must end. Counts
 * a frame, which may be cut, once gdbserver can see it. The holder only.
 */
uint32_t ipa_limits_room(void);
int ipa_limits_fit(uint32_t n);
void ipa_limits_add(uint32_t n, int cut);
/* Says why the trace ends. SIGSAFE. */
void ipa_limits_end(enum ipa_end why);

/* For a program that begins under the filter; see trace.c. At start. */
void ipa_far_setup(void);

/* Ends the trace of a gdbserver that has gone. The next one would take what is
 * in the buffer, and abort: it knows no such tracepoint. */
void ipa_forget(void);

/* An expression that is verified for the machine, which is always the same, or
 * NULL and an error. The holder only. */
const struct ax_program *ipa_program(const struct ipa_expression *expression,
				     const struct ax_machine *machine,
				     int want_result, int *error);

/* Trace state variables: 0, or -1 when there is none of that number. */
int ipa_variable_get(uint32_t number, int64_t *value);
int ipa_variable_set(uint32_t number, int64_t value);

/* hooks-x86_64.S: gdbserver puts breakpoints on their first bytes. */
void ipa_stop_tracing(void);
void ipa_flush(void);
void ipa_request(void);

/*
 * Calls one of the three. Where the breakpoint of a gdbserver is left that is
 * gone, it ends the trace instead, and returns 0: the breakpoint would kill.
 */
int ipa_call(void (*hook)(void));

/* Ends a trace that runs, so that gdbserver has what was collected: the program
 * is about to become another, or to exit. Not a child that shares its parent's
 * memory. SIGSAFE. */
void ipa_end(enum ipa_end why);

/* What a jump pad calls; keeps the vector registers. */
void ipa_collect_entry(struct ipa_point *point, struct ipa_registers *regs);

extern struct ipa_point *gdb_agent_stopping_tracepoint;
extern struct ipa_point *gdb_agent_error_tracepoint;
extern int32_t gdb_agent_tracing;
extern int32_t gdb_agent_trace_buffer_is_full;
extern int32_t gdb_agent_expr_eval_result;
extern uint8_t *gdb_agent_trace_buffer_lo;

#endif
