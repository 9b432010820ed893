/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter between gdb and a stock gdbserver: it gives gdb static
 * tracepoints, which that server promises and cannot keep.
 *
 *	gdb  --- requests --->  filter  --- requests --->  gdbserver
 *	     <--- answers ----          <--- answers ----
 *
 * It answers what asks for markers, and makes of a static or fast tracepoint at
 * a marker's address SITE a fast one at a place that the agent has for it (see
 * struct ipa_cell), or at the five-byte instruction behind SITE; in what comes
 * back it is a tracepoint at SITE again. Everything else passes
 * byte for byte, of any length.
 *
 * What must stay true: it does no input or output and waits for nothing; it
 * asks the server something of its own only between a request of gdb's and the
 * answer (talk.c); a packet that it changes is short enough to be kept
 * whole, and one that is broken passes as it came.
 *
 * Requests are expected one after another, each with its answer, as gdb's
 * protocol has it. Another order does no harm to what passes.
 */
#ifndef GDBSTUB_FILTER_FILTER_H
#define GDBSTUB_FILTER_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* Which bytes come from, or go to. */
enum filter_side { FILTER_GDB, FILTER_SERVER };

#define FILTER_HOLD_BYTES	32768	/* gdbserver takes half of that */
#define FILTER_WORK_BYTES	65536	/* a held answer, written out */
#define FILTER_ANSWER_BYTES	16384
#define FILTER_ROOM_BYTES	(FILTER_WORK_BYTES + FILTER_ANSWER_BYTES)
#define FILTER_QUEUE_BYTES	(2 * FILTER_ROOM_BYTES)
#define FILTER_PENDING		32	/* requests without an answer yet */
#define FILTER_POINTS		4096	/* tracepoints */
#define FILTER_MEANT		4096
/* the largest frame that the agent makes */
#define FILTER_FRAME_BYTES	((8u << 20) + 8192)

/* What is to be sent to one side: bytes[0 .. used). */
struct filter_queue {
	uint32_t used;
	char bytes[FILTER_QUEUE_BYTES];
};

/* The process, or else the thread, that gdb looks at; 0: not known. */
struct filter_thread {
	uint64_t pid;
	uint64_t tid;
};

struct filter_marker {
	uint64_t address;
	const char *id;
	const char *extra;
};

/* What the agent says of a trace. */
struct filter_said {
	uint8_t full;			/* it ended the trace: no room */
	uint8_t exec;			/* so it did before an execve(2) */
	uint8_t exit;			/* and when the program exits */
	uint64_t used;			/* bytes of the frames it made */
	uint64_t cut;			/* frames that lack something */
};

/* What only the filter's user can find out. */
struct filter_host {
	void *arg;
	/* Reads the markers of a process anew; returns their number. */
	uint32_t (*read)(void *arg, const struct filter_thread *thread);
	/* One of those read last. Its strings last until the next read. */
	void (*get)(void *arg, uint32_t i, struct filter_marker *marker);
	/* The server is about to attach to a process. May be NULL. */
	void (*attach)(void *arg, uint64_t pid);
	/* Where a process has what the server looks for in an in-process
	 * agent; 0 when it has none. May be NULL: gdb is asked. */
	int (*symbol)(void *arg, const struct filter_thread *thread,
		      const char *name, uint64_t *address);
	/* Why the process has no agent that is set up, for gdb's user: the
	 * server would find none, or take zeros for its addresses. NULL: it has
	 * one, or none will come. Itself may be NULL. */
	const char *(*early)(void *arg, const struct filter_thread *thread);
	/* Does the server, which knows an agent, know that of this process? */
	int (*known)(void *arg, const struct filter_thread *thread);
	/* Where the agent has the server put the tracepoints of a site; 0: at
	 * the site. May be NULL. */
	uint64_t (*cell)(void *arg, const struct filter_thread *thread,
			 uint64_t site);
	/* Moves the instruction of such a place to a pad; returns its bytes,
	 * or 0. */
	uint32_t (*relocate)(void *arg, const struct filter_thread *thread,
			     uint64_t from, uint64_t to);
	/* A trace begins, for which the server has a buffer of that size. May
	 * be NULL. */
	void (*begin)(void *arg, const struct filter_thread *thread,
		      uint64_t bytes, int circular);
	/* Fills in what the agent says of the trace, if it says anything. May
	 * be NULL. */
	void (*said)(void *arg, const struct filter_thread *thread,
		     struct filter_said *said);
	/* Has the server no process now? May be NULL: it has. */
	int (*idle)(void *arg);
	/* Tells the user what the protocol has no words for. May be NULL. */
	void (*warn)(void *arg, const char *text);
};

/* One direction; its packet, or how it begins. */
struct filter_stream {
	uint8_t state;
	uint8_t passing;		/* the packet is sent as it comes */
	uint8_t notice;			/* it is a notification */
	uint8_t repeat;			/* the byte before was a '*' */
	uint32_t held;
	char hold[FILTER_HOLD_BYTES];
};

/* As gdb calls a tracepoint. */
struct filter_name {
	uint64_t number;
	uint64_t site;
};

/* One that the server has. */
struct filter_point {
	uint64_t number;
	uint64_t site;
	uint64_t place;			/* where the server has it */
	uint8_t kind;			/* enum filter_point_kind */
	uint8_t late;			/* defined since the trace began */
};

/* A search among trace frames; see frames.c. */
struct filter_walk {
	uint64_t low, high;
	uint8_t outside;
	uint8_t stage;
	uint64_t from;			/* `frames` and `frame_point` before */
	uint64_t from_point;
	uint64_t number;		/* of a frame's tracepoint */
};

/* The trace buffer, while gdb reads it; see buffer.c. */
struct filter_buffer {
	uint32_t registers;		/* bytes of a block of them; 0: ? */
	uint64_t at;			/* gdb has so much of its own */
	uint64_t server_at;		/* we have so much of the server's */
	uint64_t wanted;		/* by gdb's request */
	uint64_t passing;		/* of a frame that is too large */
	uint32_t start;			/* of the rest; 0 once `ready` is */
	uint32_t ready;			/* for gdb */
	uint32_t used;			/* no whole frame behind `ready` */
	uint8_t bytes[FILTER_FRAME_BYTES];
};

/* Why a trace ended, as far as packets tell. */
enum filter_end { FILTER_END_UNKNOWN, FILTER_END_EXEC, FILTER_END_FORK };

/* The trace that gdb has begun; see status.c. */
struct filter_status {
	uint64_t bytes;			/* of the server's buffer; 0: ? */
	uint64_t started;		/* before the filter started it again */
	uint8_t circular;
	uint8_t stopped;		/* by gdb */
	uint8_t end;			/* enum filter_end */
};

struct filter {
	struct filter_host host;
	struct filter_stream streams[2];	/* by where it comes from */
	struct filter_queue queues[2];		/* by where it goes */
	/* this connection */
	uint8_t no_ack;
	uint8_t downloading;		/* gdb is: see filter_marker_at() */
	uint8_t server_asks;		/* what gdb sends is an answer */
	uint8_t answer_waits;		/* ours, for a packet to end */
	uint8_t answer_from;		/* 1: without its '+' */
	uint8_t acks;			/* that gdb owes to us */
	uint8_t server_acks;		/* that the server does */
	uint8_t kind;			/* of the request at hand */
	uint8_t last;			/* of the request answered last */
	uint8_t known;			/* markers were read */
	uint8_t ended;			/* a process may be the server's no
					 * more; for the user to clear */
	uint8_t any_length;		/* gdb was told: see shortest() */
	uint32_t npending;
	uint8_t pending[FILTER_PENDING];	/* oldest first */
	struct filter_thread thread;
	/* of the last stop by fork or vfork; see talk.c */
	uint64_t child;
	struct filter_thread parent;
	uint8_t shares;			/* memory, with its parent: vfork */
	uint8_t stage;			/* of a talk with the server */
	uint8_t ran;			/* the trace, when gdb let go of it */
	uint8_t resumes;		/* it does when a vfork is done */
	uint32_t nmarkers;
	uint32_t marker;		/* the next one to be told */
	uint32_t marker_room;		/* see marker-text.h */
	uint64_t frame_point;		/* whose trace frame is selected; 0 */
	uint64_t frames;		/* up to that one */
	struct filter_walk walk;	/* the one at hand */
	uint64_t static_at;		/* what is read of static data */
	uint32_t static_wanted;
	uint32_t answer_used;
	char answer[FILTER_ANSWER_BYTES];
	char work[FILTER_WORK_BYTES];
	char kept[FILTER_ANSWER_BYTES];	/* what a talk delays */
	/* the server */
	uint8_t held_back;		/* looked for an agent, in vain */
	uint8_t introduced;		/* it knows it */
	uint8_t wants_agent;		/* one of the tracepoints does */
	uint8_t elsewhere;		/* one does that is at no marker */
	uint8_t warned;			/* of what one of these may harm */
	uint8_t replaced;		/* a process is another program now */
	uint32_t npoints;
	struct filter_point points[FILTER_POINTS];
	uint8_t started;		/* a trace, with these */
	uint8_t repeated;		/* the definition at hand: it has it */
	uint8_t defines;		/* the request at hand, `defined` */
	struct filter_name defined;
	struct filter_status status;
	/* where gdb's plain tracepoints are meant as static ones */
	uint32_t data;			/* variable that means static data */
	uint32_t nmeant;
	uint64_t meant[FILTER_MEANT];
	struct filter_buffer buffer;	/* last: it is large */
};

/* For a new server. */
void filter_open(struct filter *f, const struct filter_host *host);

/* For a new connection of a gdb: what is under way is forgotten; tracepoints
 * are the server's, and stay. */
void filter_connect(struct filter *f);

/*
 * Takes up to n bytes that came from a side, and returns how many: fewer when
 * too much waits to be sent (filter_sent() then makes room).
 */
size_t filter_take(struct filter *f, enum filter_side from, const char *bytes,
		   size_t n);

/* What is to be sent to a side; and that its first n bytes were sent. */
const struct filter_queue *filter_queue(const struct filter *f,
					enum filter_side to);
void filter_sent(struct filter *f, enum filter_side to, uint32_t n);

#endif
