/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter between gdb and a stock gdbserver, which is called the server
 * here. It gives gdb static tracepoints, which the server announces but cannot
 * serve.
 *
 *	gdb  --- requests --->  filter  --- requests --->  gdbserver
 *	     <--- answers ----          <--- answers ----
 *
 * The filter answers requests for markers. When gdb defines a static or fast
 * tracepoint at a marker's address SITE, the server gets a fast one at a place
 * that the agent has for it (see struct ipa_cell), or at the five-byte
 * instruction behind SITE. In the server's answers it becomes a tracepoint at
 * SITE again. All other packets, of any length, pass byte for byte.
 *
 * Invariant: the filter does no input or output and never waits. It sends the
 * server a request that gdb did not make only between a request of gdb and the
 * answer (talk.c). A packet that the filter changes is short enough to be kept
 * whole, and a broken packet passes as it came.
 *
 * The filter expects requests one after another, each with an answer, as gdb's
 * protocol requires. Another order does no harm to packets that only pass.
 */
#ifndef GDBSTUB_FILTER_FILTER_H
#define GDBSTUB_FILTER_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* The side that bytes come from, or go to. */
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

/* Bytes to send to one side: bytes[0 .. used). */
struct filter_queue {
	uint32_t used;
	char bytes[FILTER_QUEUE_BYTES];
};

/* The process that gdb looks at, or only a thread of it; 0: not known. */
struct filter_thread {
	uint64_t pid;
	uint64_t tid;
};

struct filter_marker {
	uint64_t address;
	const char *id;
	const char *extra;
	uint8_t moved;			/* the code is elsewhere */
	uint8_t unserved;		/* it is only listed */
};

/* The agent's report on a trace. */
struct filter_said {
	uint8_t full;			/* the agent ended it: no room */
	uint8_t exec;			/* it did so before an execve(2) */
	uint8_t exit;			/* or when the program exits */
	uint8_t left;			/* or after a thread left a hit */
	uint64_t used;			/* bytes of the frames it made */
	uint64_t cut;			/* frames that lack something */
	uint64_t failed;		/* hits whose condition failed */
	uint64_t dropped;		/* hits that other hits kept away */
};

/* Functions that only the filter's user can provide. */
struct filter_host {
	void *arg;
	/* Reads the markers of a process again. Returns their number. */
	uint32_t (*read)(void *arg, const struct filter_thread *thread);
	/* Gets one of the markers read last. Its strings last until the next
	 * read. */
	void (*get)(void *arg, uint32_t i, struct filter_marker *marker);
	/* Is called before the server attaches to a process. May be NULL. */
	void (*attach)(void *arg, uint64_t pid);
	/* Finds a symbol that the server looks for in an in-process agent.
	 * Returns 0 when the process does not have it. May be NULL: gdb is
	 * asked. */
	int (*symbol)(void *arg, const struct filter_thread *thread,
		      const char *name, uint64_t *address);
	/* Returns why the process has no agent that is set up, in words for
	 * gdb's user; the server would find no agent, or read zeros as the
	 * addresses. It returns NULL if there is an agent, or none will come.
	 * The function pointer may be NULL. */
	const char *(*early)(void *arg, const struct filter_thread *thread);
	/* The server knows an agent. Returns 1 when it is this process's. */
	int (*known)(void *arg, const struct filter_thread *thread);
	/* Returns the agent's place for the tracepoints of a site; 0: the site.
	 * May be NULL. */
	uint64_t (*cell)(void *arg, const struct filter_thread *thread,
			 uint64_t site);
	/* Moves the instruction of such a place to a pad. Returns its length,
	 * or 0. */
	uint32_t (*relocate)(void *arg, const struct filter_thread *thread,
			     uint64_t from, uint64_t to);
	/* Is called when a trace begins; the server's buffer has that size. May
	 * be NULL. */
	void (*begin)(void *arg, const struct filter_thread *thread,
		      uint64_t bytes, int circular);
	/* Fills in the agent's report on the trace, if there is one. May be
	 * NULL. */
	void (*said)(void *arg, const struct filter_thread *thread,
		     struct filter_said *said);
	/* Returns 1 when the server has no process now. May be NULL: as if it
	 * returned 0. */
	int (*idle)(void *arg);
	/* Tells the user a fact that the protocol cannot. May be NULL. */
	void (*warn)(void *arg, const char *text);
	/* Returns why a marker that gdb has named is not served, in words for
	 * gdb's user, which last until the next call. May be NULL where none
	 * is unserved. */
	const char *(*unserved)(void *arg, const struct filter_thread *thread,
				const struct filter_marker *marker);
};

/* One direction, and the packet in it or the packet's beginning. */
struct filter_stream {
	uint8_t state;
	uint8_t passing;		/* the packet is sent as it comes */
	uint8_t notice;			/* the packet is a notification */
	uint8_t repeat;			/* the byte before was a '*' */
	uint32_t held;
	char hold[FILTER_HOLD_BYTES];
};

/* gdb's name for a tracepoint. */
struct filter_name {
	uint64_t number;
	uint64_t site;
};

/* A tracepoint that the server has. */
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
	uint32_t registers;		/* size of their block; 0: unknown */
	uint64_t at;			/* bytes that gdb has got */
	uint64_t server_at;		/* bytes that the server has sent */
	uint64_t wanted;		/* by gdb's request */
	uint64_t passing;		/* left of a frame that is too large */
	uint32_t start;			/* of the rest; 0 once `ready` is */
	uint32_t ready;			/* bytes that gdb can get */
	uint32_t used;			/* no whole frame behind `ready` */
	uint8_t bytes[FILTER_FRAME_BYTES];
};

/* Why a trace ended, if packets tell. */
enum filter_end { FILTER_END_UNKNOWN, FILTER_END_EXEC, FILTER_END_FORK };

/* The trace that gdb has begun; see status.c. */
struct filter_status {
	uint64_t bytes;			/* server's buffer; 0: unknown */
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
	uint8_t downloading;		/* gdb does: see marker_at() */
	uint8_t server_asks;		/* gdb's next packet is an answer */
	uint8_t answer_waits;		/* the filter's, for a packet's end */
	uint8_t answer_from;		/* 1: without its '+' */
	uint8_t acks;			/* that gdb owes to the filter */
	uint8_t server_acks;		/* that the server owes to it */
	uint8_t kind;			/* of the present request */
	uint8_t last;			/* of the request answered last */
	uint8_t known;			/* markers were read */
	uint8_t ended;			/* the server may have let a process
					 * go; the user clears this */
	uint8_t any_length;		/* gdb was told: shortest_answer() */
	uint8_t extension;		/* gdb has it, or was told of it */
	const char *hint;		/* to tell before the next answer */
	uint32_t npending;
	uint8_t pending[FILTER_PENDING];	/* oldest first */
	struct filter_thread thread;
	/* of the last stop by fork or vfork; see talk.c */
	uint64_t child;
	struct filter_thread parent;
	uint8_t shares;			/* its parent's memory: vfork */
	uint8_t stage;			/* of a talk with the server */
	uint8_t ran;			/* the trace, when gdb let it go */
	uint8_t resumes;		/* the trace, when a vfork is done */
	uint32_t nmarkers;
	uint32_t marker;		/* the next of qTsSTM */
	uint32_t marker_room;		/* see packet.h */
	uint64_t frame_point;		/* of the selected trace frame; 0 */
	uint64_t frames;		/* up to and with that frame */
	struct filter_walk walk;	/* the present one */
	uint64_t static_at;		/* gdb's offset in static data */
	uint32_t static_wanted;
	uint32_t answer_used;
	char answer[FILTER_ANSWER_BYTES];
	char work[FILTER_WORK_BYTES];
	char kept[FILTER_ANSWER_BYTES];	/* packet that a talk delays */
	/* the server */
	uint8_t held_back;		/* looked for an agent, got none */
	uint8_t introduced;		/* knows an agent */
	uint8_t wants_agent;		/* a tracepoint needs the agent */
	uint8_t elsewhere;		/* so does one that is at no marker */
	uint8_t warned;			/* of the harm of such a tracepoint */
	uint8_t replaced;		/* a process is another program now */
	uint32_t npoints;
	struct filter_point points[FILTER_POINTS];
	uint8_t started;		/* a trace with these */
	uint8_t repeated;		/* has the present definition */
	uint8_t defines;		/* the present request: `defined` */
	struct filter_name defined;
	struct filter_status status;
	/* addresses where gdb's plain tracepoints are meant as static ones */
	uint32_t data;			/* variable that means static data */
	uint32_t nmeant;
	uint64_t meant[FILTER_MEANT];
	struct filter_buffer buffer;	/* last: it is large */
};

/* Sets a filter up for a new server. */
void filter_open(struct filter *f, const struct filter_host *host);

/* Begins a new connection of a gdb: forgets unfinished requests and answers.
 * The tracepoints stay, because the server has them. */
void filter_connect(struct filter *f);

/*
 * Takes up to n bytes that came from a side. Returns how many it has taken:
 * fewer when too much waits to be sent (filter_sent() then makes room).
 */
size_t filter_take(struct filter *f, enum filter_side from, const char *bytes,
		   size_t n);

/* Returns the bytes to send to a side; says that the first n were sent. */
const struct filter_queue *filter_queue(const struct filter *f,
					enum filter_side to);
void filter_sent(struct filter *f, enum filter_side to, uint32_t n);

#endif
