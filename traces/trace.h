/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes CTF trace directories: DIR/PROCNAME-PID-STARTTIME/ with
 *
 *	metadata
 *	stream_CPU			packets as in the ring, with our uuid
 *	index/stream_CPU.idx		appears when the stream is complete
 *	index/session			event records, for `taffrail verify`
 *	index/ledger			counts of kept and lost events
 *
 * DIR/traces names all traces, once they are complete.
 *
 * With a limit (limit.c) a stream is several files, stream_CPU_N with N
 * counting up, of which the oldest are removed; DIR/ledger counts traces that
 * were removed as a whole.
 *
 * Invariants:
 *  - at every instant the disk holds a readable trace: metadata describes an
 *    event before a packet with it is written, files are replaced as a whole,
 *    a packet that does not fit on the disk is removed;
 *  - all traces of one DIR have one clock (trace_set_finish()).
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/symbols.h"

#define TRACE_ANCHORS_MAX	64
#define TRACE_KINDS		3	/* of clocks: enum clock_kind - 1 */

/* The anchors of one kind of clock that processes state. */
struct trace_anchors {
	int n;
	struct {
		struct clock_anchor at;
		uint8_t boot_id[16];
	} row[TRACE_ANCHORS_MAX];
};

struct trace_chunk;

/* Traces that were removed as a whole, and their events. */
struct trace_gone {
	uint64_t traces;
	uint64_t emitted;
	uint64_t overwritten;
	uint64_t lost;
};

/* One DIR. */
struct trace_set {
	int fd;
	uint64_t limit;			/* of bytes of DIR, 0: none */
	uint64_t used;			/* bytes of DIR, as `du` counts */
	uint64_t spare;			/* for a file's replacement */
	uint64_t written;		/* bytes of all packets so far */
	struct trace_chunk *oldest;	/* list of all files, by time */
	struct trace_chunk *newest;
	struct trace_gone gone;
	uint64_t removed;		/* events, because of the limit */
	bool made;			/* we made DIR */
	char path[PATH_MAX];
	struct trace **traces;
	size_t ntraces;
	uint64_t created_s;
	uint8_t boot_id[16];		/* of this machine, zero if unknown */
	struct clock_anchor own[TRACE_KINDS][2]; /* our first, our latest */
	int nown[TRACE_KINDS];
	struct trace_anchors anchors[TRACE_KINDS];
	struct process_page *typical[TRACE_KINDS]; /* of settled traces */
	bool final;			/* no more anchors are taken */
	int error;			/* first failure to write, or 0 */
	uint64_t kept;			/* totals, of finished traces */
	uint64_t records;		/* of writers, that were written */
	uint64_t lost;
	uint64_t overwritten;
	uint64_t taken;			/* before, by another recorder */
	uint64_t bytes;			/* of events that were kept, as the
					 * reader counts them */
	uint64_t left_off;		/* markers: most of any process */
	uint64_t lost_calls;		/* of `lost` (struct session_page) */
	uint64_t undecided;		/* hits (struct session_page) */
	uint64_t cut;			/* rings with a file cut short */
	uint64_t gone_rings;		/* with a file that is not there any
					 * more */
	uint32_t gone_pid;		/* the last process that had such */
	uint64_t spoilt;		/* stream files that another program
					 * removed or cut */
	char spoilt_name[NAME_MAX + 48]; /* the first, below DIR */
};

/* Returns "at least " if a ring was cut short or is gone, as nothing tells how
 * many events it had lost; else "". */
const char *trace_lost_least(const struct trace_set *set);

/* One stream of a trace. It belongs to the trace, and is freed with it, or by a
 * limit once the trace is finished. Until then emitted >= kept + dropped, as
 * far as the ring has said how much it emitted. */
struct trace_stream {
	struct trace *trace;
	char name[24];			/* "stream_31" */
	char file[40];			/* the same, or "stream_31_7" */
	int fd;				/* -1 until there is a packet */
	int idx;
	uint64_t offset;		/* bytes of packets in the latest
					 * file */
	uint64_t room;			/* the file's length */
	uint64_t bytes;			/* of events on disk */
	uint64_t last_offset;		/* of the last packet */
	uint64_t kept;			/* events on disk */
	uint64_t emitted;		/* as trace_stream_count() was told */
	uint64_t lost;
	uint64_t dropped;		/* to keep to the limit */
	uint64_t refused_end;		/* of the last packet that was dropped
					 * before it was written */
	uint64_t overwritten;		/* with `dropped`; once finished */
	uint64_t time_ns;		/* no packet is older than the last */
	uint32_t chunks;		/* files begun */
	struct trace_chunk *chunk;	/* the latest file, if it is there */
	uint64_t skipped;		/* packets for which the disk had no
					 * room */
	uint64_t unwritten;		/* their events */
	bool failed;			/* no packet is written any more */
	struct packet_head last;
	uint64_t checksum;		/* of the packet's events */
};

/* The events of a process that rings lost which it shared. */
struct trace_member_loss {
	uint32_t number;		/* as its writer records have it */
	uint32_t pid;
	uint64_t lost;
};

/* One trace. It belongs to the set. After trace_finish() no descriptor is open,
 * so a recording of any number of processes needs few. */
struct trace {
	struct trace_set *set;
	int fd;				/* -1 once it is finished */
	int ledger;
	char name[NAME_MAX + 1];
	uint8_t uuid[16];
	struct process_page *process;	/* NULL once it is settled */
	uint32_t clock_kind;
	uint64_t session_sum;		/* checksum of index/session */
	struct session_view *session;	/* the caller's; NULL once settled */
	uint64_t described;		/* bytes of records in the metadata */
	uint8_t *named;			/* bits of processes that share the
					 * rings, in METADATA_MEMBERS, */
	uint32_t named_all;		/* as all are up to this number */
	uint64_t named_bytes;		/* of that file */
	struct metadata_clock clock;	/* as first known */
	struct metadata_clock filled;	/* of the latest metadata, */
	struct metadata_clock written;	/* and on disk */
	uint64_t metadata_bytes;
	uint64_t session_bytes;
	size_t nchunks;			/* files of the streams on disk */
	bool gone;			/* the directory was removed */
	struct trace_stream **streams;
	size_t nstreams;
	struct trace_symbols symbols;
	uint64_t unplaced;		/* lost before any ring */
	uint64_t lost_calls;		/* of those (struct session_page) */
	uint64_t oversize;		/* of those lost: too large */
	struct trace_member_loss *losses;	/* of processes; or NULL */
	size_t nlosses;
};

/* Has reasons with an errno be told by these words, instead of strerror(3).
 * Call it before anything is read or written. */
void trace_set_words(const char *(*words)(int error));

/*
 * trace_set_open() makes DIR, or takes an empty one. Returns 0, -ENOTEMPTY,
 * -ENOTDIR or another negative errno. The caller then sets set->limit.
 * trace_set_finish() gives all traces their final clock; returns set->error.
 * trace_set_close() frees everything, and removes a DIR that it made and that
 * is still empty.
 */
int trace_set_open(struct trace_set *set, const char *path);
int trace_set_finish(struct trace_set *set);
void trace_set_close(struct trace_set *set);

/*
 * Add anchors to the common fit: the time that the command's clocks read now,
 * one anchor of the command's clock of a kind, or the anchors of a process,
 * which count only within the bounds of own anchors.
 */
void trace_set_anchor_now(struct trace_set *set);
void trace_set_own_anchor(struct trace_set *set, uint32_t kind,
			  const struct clock_anchor *anchor);
void trace_set_anchors(struct trace_set *set,
		       const struct process_page *process);

/* Computes the clock of a process from the anchors so far. Processes of one
 * kind of clock and one boot id get the same. */
void trace_set_clock(const struct trace_set *set,
		     const struct process_page *process,
		     struct metadata_clock *clock);

/*
 * Makes a new trace. The session must live as long as the set, or until the
 * trace is settled; trace_update() reads its events again. The caller calls it
 * before a packet that may hold a new event. Return 0 or a negative errno; a
 * failed trace_open() leaves nothing behind.
 */
int trace_open(struct trace **trace, struct trace_set *set,
	       const struct process_page *process,
	       struct session_view *session, const uint8_t *uuid);
int trace_update(struct trace *trace);

/* Makes a stream for ring `name` ("31", "L0"). The file appears with the first
 * packet. The stream lives as long as the trace. Returns 0 or -ENOMEM. */
int trace_stream_open(struct trace_stream **stream, struct trace *trace,
		      const char *name);

/*
 * Appends a packet straight from the memory of its events. -EFAULT: that memory
 * is gone. -ENOSPC, -EDQUOT: the disk has no room for this packet; a later one
 * may have room. After any other error no later packet of the stream is
 * written.
 */
int trace_packet(struct trace_stream *stream, const struct packet *packet);

/* Notes that a packet was not written. Returns the error. */
int trace_packet_unwritten(struct trace_stream *stream,
			   const struct packet *packet, int error);

/* Takes the ring's final counts. Without them, `kept` is all that there was. */
void trace_stream_count(struct trace_stream *stream, uint64_t committed,
			uint64_t lost);

/* Reads the losses of each process, for trace->losses. Call it before the rings
 * are counted: so all of it is in their counts. The trace frees it. Returns how
 * many there are; without memory, fewer. */
size_t trace_losses_read(struct trace_member_loss **losses,
			 const struct session_view *session);

/*
 * Completes the streams and the ledger, and closes every descriptor of the
 * trace. Missing events count as overwritten with `overwrite`, else as lost.
 */
int trace_finish(struct trace *trace, bool overwrite);

/* Frees the parts of a finished trace that only the final metadata needs, if no
 * event has a symbol: the metadata is then copied, with another clock. Returns
 * true when the trace does not need the session any more. */
bool trace_settle(struct trace *trace);

/* Counts events of a finished trace that were lost before any ring, and that
 * the caller learned of only now. Call it before trace_set_finish(). */
void trace_lose_late(struct trace *trace, uint64_t lost);

#endif
