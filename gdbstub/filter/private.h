/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of the filter (filter.h) share.
 */
#ifndef GDBSTUB_FILTER_PRIVATE_H
#define GDBSTUB_FILTER_PRIVATE_H

#include "gdbstub/filter/filter.h"
#include "gdbstub/wire/packet.h"

/* What is to be done with a request's answer. */
enum filter_kind {
	KIND_PLAIN,
	KIND_SUPPORTED,
	KIND_NO_ACK,
	KIND_UPLOAD,			/* a line of a tracepoint */
	KIND_FRAME,			/* which trace frame it is now */
	KIND_WALK,			/* the same, of a talk to find one */
	KIND_REGISTERS,			/* of a frame, all */
	KIND_PC,
	KIND_BUFFER,			/* of the trace buffer */
	KIND_END,			/* of a process, if it is OK */
	KIND_SYMBOL,			/* may be a question itself */
	KIND_INTRODUCE,			/* that, of a talk with the server */
	KIND_INSTALL,			/* of tracepoints: the same */
	KIND_DEFINE,			/* may be a refusal */
	KIND_STATUS,			/* of the trace */
	KIND_RESTART,			/* of a talk */
	KIND_STOP,			/* behind which one may follow */
	KIND_STATIC,			/* static data, as memory */
	KIND_HOLDINGS,			/* of a trace frame */
	KIND_KILL,			/* of what is sent before vKill */
	KIND_NONE,			/* there is no answer */
};

enum filter_verdict {
	VERDICT_PASS,			/* as it came */
	VERDICT_CHANGED,		/* into the packet that is given */
	VERDICT_ANSWERED,		/* here; that is in it */
	VERDICT_MORE,			/* another request first, in it */
};

/* request.c: can a request that begins with these n bytes be one that
 * is looked at? It is not, if not. */
int filter_request_matters(const struct filter *f, const char *p, uint32_t n);

/* A whole request; f->kind is set to what its answer will be. */
enum filter_verdict filter_request(struct filter *f, const char *p,
				   struct packet *out);

/* words.c: an error of ours. A thread's id, as gdb writes it: 0 when the
 * packet names none. */
enum filter_verdict filter_refuse(struct packet *out, const char *why);
int filter_read_thread(const char **p, struct filter_thread *thread);
/* A digit as servers write it? */
int filter_is_hex(char c);

/* define.c: requests that define tracepoints, or name one; and what the
 * server says to the definition at hand. */
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

/* frames.c: requests for trace frames at an address; answers by which it
 * goes on; which frame is selected now; registers of a frame, the program
 * counter at an offset. */
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

/* answer.c: is an answer of this kind kept until it is whole? */
int filter_answer_held(enum filter_kind kind);

/* A held answer, without repetitions. */
enum filter_verdict filter_answer(struct filter *f, enum filter_kind kind,
				  const char *p, struct packet *out);

/* note.c: an answer or a notification that has passed, or its beginning. */
void filter_answer_note(struct filter *f, enum filter_kind kind,
			const char *p);

/* buffer.c: a part of the trace buffer is asked for, or comes. */
enum filter_verdict filter_buffer_request(struct filter *f, const char *p,
					  struct packet *out);
enum filter_verdict filter_buffer_answer(struct filter *f, const char *p,
					 struct packet *out);

/*
 * static.c: static data, as memory at an address of our own. Do actions
 * want it? These then, in the server's words. Does one action want it that the
 * server gives back? Does a whole block of a frame hold it?
 */
int filter_static_wanted(const char *actions);
void filter_static_want(struct packet *out, const char *actions);
int filter_static_is_action(const char *action);
int filter_static_is_block(const uint8_t *block);
/* gdb reads it, and the memory comes; gdb asks for the list of what a frame
 * holds, and it comes. */
enum filter_verdict filter_static_request(struct filter *f, const char *p,
					  struct packet *out);
enum filter_verdict filter_static_answer(struct filter *f, const char *p,
					 struct packet *out);
enum filter_verdict filter_static_list(struct filter *f, const char *p,
				       struct packet *out);
enum filter_verdict filter_static_hide(const char *p, struct packet *out);

/*
 * talk.c: what the server is asked beside gdb's request. A request that
 * is about to go out needs the agent: the server is told of it first. Returns
 * the verdict that was given, or VERDICT_CHANGED.
 */
enum filter_verdict filter_introduce(struct filter *f, const char *p,
				     enum filter_verdict verdict,
				     struct packet *out);
/* D, and what follows. */
enum filter_verdict filter_detach(struct filter *f, const char *p,
				  struct packet *out);
/* An answer of one of its kinds; f->kind is set for what follows
 * VERDICT_MORE. */
enum filter_verdict filter_talk(struct filter *f, enum filter_kind kind,
				const char *p, struct packet *out);

/*
 * gone.c: requests that a server which knows an agent does not survive
 * once the agent's process is gone. filter_kill() is for vKill;PID.
 */
int filter_gone(const struct filter *f);
enum filter_verdict filter_kill(struct filter *f, const char *p,
				struct packet *out);
enum filter_verdict filter_killed(struct filter *f, struct packet *out);
enum filter_verdict filter_ask_status(struct filter *f, const char *p,
				      struct packet *out);

/*
 * status.c: requests that set the server's buffer; gdb begins a trace,
 * or stops one, which may have ended before; the server says how it is with a
 * trace, which the filter then starts again; that answer as gdb gets it.
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

/* What a tracepoint is for gdb; for the server, the last two are fast ones at
 * a marker. */
enum filter_point_kind { POINT_PLAIN, POINT_FAST, POINT_STATIC };

/*
 * points.c: the tracepoints that the server has. By its number and the
 * address that gdb knows.
 */
struct filter_point *filter_point_at(struct filter *f, uint64_t number,
				     uint64_t site);
/* Those at markers: by the address that the server knows; NULL when it is
 * another tracepoint. */
struct filter_point *filter_point_behind(struct filter *f, uint64_t number,
					 uint64_t place);
/* The only one of that number, or NULL. */
const struct filter_point *filter_point_only(const struct filter *f,
					     uint64_t number);
/* At markers: of any number, by the server's address; and by their number. */
int filter_point_place(const struct filter *f, uint64_t place);
int filter_point_number(const struct filter *f, uint64_t number);
/* The one that is there, or a new, plain one; NULL when there are too many. */
struct filter_point *filter_point_add(struct filter *f,
				      const struct filter_name *name);
void filter_point_remove(struct filter *f, struct filter_point *point);

int filter_meant(const struct filter *f, uint64_t site);
int filter_meant_add(struct filter *f, uint64_t site);

/* Reads the markers anew; returns their number. */
uint32_t filter_markers_read(struct filter *f);
/* Are there any? They are looked for anew if there were none before. */
int filter_marker_any(struct filter *f);
/* Is there a marker? It is looked for anew if it was not there before. */
int filter_marker_find(struct filter *f, uint64_t address,
		       struct filter_marker *marker);

#endif
