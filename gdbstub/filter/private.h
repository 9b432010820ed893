/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of the filter (filter.h).
 */
#ifndef GDBSTUB_FILTER_PRIVATE_H
#define GDBSTUB_FILTER_PRIVATE_H

#include "gdbstub/filter/filter.h"
#include "gdbstub/wire/packet.h"

/* The kind of a request's answer decides how the filter treats it. */
enum filter_kind {
	KIND_PLAIN, KIND_SUPPORTED, KIND_NO_ACK,
	KIND_UPLOAD,			/* a line of a tracepoint */
	KIND_FRAME,			/* the trace frame selected now */
	KIND_WALK,			/* the same, in a walk to find one */
	KIND_REGISTERS,			/* all registers of a frame */
	KIND_PC,
	KIND_BUFFER,			/* a part of the trace buffer */
	KIND_END,			/* of a process, if it is OK */
	KIND_SYMBOL,			/* may be a question itself */
	KIND_INTRODUCE,			/* the same, in a talk */
	KIND_INSTALL,			/* the same, for tracepoints */
	KIND_DEFINE,			/* may be a refusal */
	KIND_STATUS,			/* of the trace */
	KIND_RESTART,			/* of a talk */
	KIND_STOP,			/* a talk may follow it */
	KIND_STATIC,			/* static data, as memory */
	KIND_HOLDINGS,			/* of a trace frame */
	KIND_KILL,			/* to the request before vKill */
	KIND_NONE,			/* there is no answer */
};

enum filter_verdict {
	VERDICT_PASS,			/* as it came */
	VERDICT_CHANGED,		/* `out` goes in its place */
	VERDICT_ANSWERED,		/* by the filter: `out` */
	VERDICT_MORE,			/* first another request: `out` */
};

/* request.c: returns true when a request that begins with these n bytes can be
 * one that the filter looks at. */
bool filter_request_matters(const struct filter *f, const char *p, uint32_t n);

/* Serves a whole request. Sets f->kind to the kind of the answer. */
enum filter_verdict filter_request(struct filter *f, const char *p,
				   struct packet *out);

/* Refuses a request with a text; reads a thread's id as gdb writes it,
 * and returns false when the packet names none. */
enum filter_verdict filter_refuse(struct packet *out, const char *why);
bool filter_read_thread(const char **p, struct filter_thread *thread);
/* Refuses a marker that is only listed. */
enum filter_verdict filter_unserved(struct filter *f,
				    const struct filter_marker *marker,
				    struct packet *out);
/* Returns true for a hex digit as servers write it. */
bool filter_is_hex(char c);

/* define.c: serve requests that define tracepoints, or name one; and the
 * server's answer to the present definition. */
enum filter_verdict filter_define(struct filter *f, const char *p,
				  struct packet *out);
enum filter_verdict filter_source(struct filter *f, const char *p,
				  struct packet *out);
enum filter_verdict filter_enable(struct filter *f, const char *p,
				  struct packet *out);
enum filter_verdict filter_disable(struct filter *f, const char *p,
				   struct packet *out);
enum filter_verdict filter_status(struct filter *f, const char *p,
				  struct packet *out);
void filter_defined(struct filter *f, const char *answer);

/* frames.c: serve requests for trace frames at an address; the answers of a
 * walk; an answer that says which frame is selected now; and registers of a
 * frame, with the program counter at an offset. */
enum filter_verdict filter_frame_pc(struct filter *f, const char *p,
				    struct packet *out);
enum filter_verdict filter_frame_inside(struct filter *f, const char *p,
					struct packet *out);
enum filter_verdict filter_frame_outside(struct filter *f, const char *p,
					 struct packet *out);
enum filter_verdict filter_walk(struct filter *f, const char *p,
				struct packet *out);
void filter_frame_selected(struct filter *f, const char *p);
enum filter_verdict filter_frame_registers(struct filter *f, const char *p,
					   uint32_t offset, struct packet *out);

/* answer.c: returns true when an answer of this kind is kept until it is whole.
 */
bool filter_answer_held(enum filter_kind kind);

/* Serves a held answer, whose repetitions are written out. */
enum filter_verdict filter_answer(struct filter *f, enum filter_kind kind,
				  const char *p, struct packet *out);

/* Looks at an answer or a notification that has passed, or at the beginning of
 * one. */
void filter_answer_note(struct filter *f, enum filter_kind kind, const char *p);

/* buffer.c: serve a request for a part of the trace buffer, and the answer. */
enum filter_verdict filter_buffer_request(struct filter *f, const char *p,
					  struct packet *out);
enum filter_verdict filter_buffer_answer(struct filter *f, const char *p,
					 struct packet *out);

/*
 * static.c: static data, which is memory at an address reserved for it. The
 * functions return true when actions want static data; add these actions as the
 * server understands them; return true when an action that the server gives
 * back wants static data, or when a whole block of a frame holds it.
 */
bool filter_static_wanted(const char *actions);
void filter_static_want(struct packet *out, const char *actions);
bool filter_static_is_action(const char *action);
bool filter_static_is_block(const uint8_t *block);
/* Serve gdb's request for static data, and the answer with that memory; gdb's
 * request for the list of a frame's contents, and the answer with the list. */
enum filter_verdict filter_static_request(struct filter *f, const char *p,
					  struct packet *out);
enum filter_verdict filter_static_stamp(struct filter *f, const char *p,
					struct packet *out);
enum filter_verdict filter_static_name(struct filter *f, const char *p,
				       struct packet *out);
enum filter_verdict filter_static_answer(struct filter *f, const char *p,
					 struct packet *out);
enum filter_verdict filter_static_list(struct filter *f, const char *p,
				       struct packet *out);
enum filter_verdict filter_static_hide(const char *p, struct packet *out);

/*
 * talk.c: requests to the server beside gdb's. filter_introduce() is called for
 * a request before it goes out: if the request needs the agent, the server is
 * told of the agent first. Returns `verdict`, VERDICT_CHANGED, or
 * VERDICT_ANSWERED when it is too early.
 */
enum filter_verdict filter_introduce(struct filter *f, const char *p,
				     enum filter_verdict verdict,
				     struct packet *out);
/* Serves D; `p` is the rest of it. */
enum filter_verdict filter_detach(struct filter *f, const char *p,
				  struct packet *out);
/* Serves an answer of one of the kinds of talk.c. With VERDICT_MORE, f->kind is
 * the kind of the next answer. */
enum filter_verdict filter_talk(struct filter *f, enum filter_kind kind,
				const char *p, struct packet *out);

/*
 * gone.c: serves requests that end a server which knows an agent, after the
 * agent's process has gone. filter_kill() serves vKill;PID.
 */
bool filter_gone(const struct filter *f);
enum filter_verdict filter_kill(struct filter *f, const char *p,
				struct packet *out);
enum filter_verdict filter_killed(struct filter *f, struct packet *out);
enum filter_verdict filter_ask_status(struct filter *f, const char *p,
				      struct packet *out);

/*
 * status.c: serve requests that set the server's buffer; note that gdb begins
 * a trace, or stops one, which may have ended before; note the status of a
 * trace that the filter starts again; and make gdb's answer of the server's.
 */
enum filter_verdict filter_buffer_size(struct filter *f, const char *p,
				       struct packet *out);
enum filter_verdict filter_buffer_circular(struct filter *f, const char *p,
					   struct packet *out);
void filter_status_begin(struct filter *f);
void filter_status_stop(struct filter *f);
void filter_status_restart(struct filter *f, const char *p);
enum filter_verdict filter_status_answer(struct filter *f, const char *p,
					 struct packet *out);

/* How gdb sees a tracepoint. The last two are at markers; for the server both
 * are fast ones. */
enum filter_point_kind { POINT_PLAIN, POINT_FAST, POINT_STATIC };

/*
 * points.c: the tracepoints that the server has. Returns the one of a number at
 * the address that gdb knows, or NULL.
 */
struct filter_point *filter_point_at(struct filter *f, uint64_t number,
				     uint64_t site);
/* Returns the tracepoint at a marker, by the address that the server knows; or
 * NULL. */
struct filter_point *filter_point_behind(struct filter *f, uint64_t number,
					 uint64_t place);
/* Returns the only tracepoint of that number, or NULL. */
const struct filter_point *filter_point_only(const struct filter *f,
					     uint64_t number);
/* Return true when a tracepoint at a marker has that address of the server, and
 * when one has that number. */
bool filter_point_place(const struct filter *f, uint64_t place);
bool filter_point_number(const struct filter *f, uint64_t number);
/* Returns the tracepoint of that name, or a new, plain one; NULL when there are
 * too many. */
struct filter_point *filter_point_add(struct filter *f,
				      const struct filter_name *name);
void filter_point_remove(struct filter *f, struct filter_point *point);

/* Tells whether plain tracepoints of gdb at an address are meant as static.
 * Adding returns false when there are too many addresses. */
bool filter_meant(const struct filter *f, uint64_t site);
bool filter_meant_add(struct filter *f, uint64_t site);

/* Reads the markers again. Returns their number. */
uint32_t filter_markers_read(struct filter *f);
/* Returns whether there are markers that are served. Reads them again if there
 * were none. */
bool filter_marker_any(struct filter *f);
/* Finds a marker. Reads the markers again if it was not there. Returns false
 * when there is none. */
bool filter_marker_find(struct filter *f, uint64_t address,
			struct filter_marker *marker);

#endif
