/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls between a source of events and a reader: a stream is a source of
 * packets or of events.
 */
#ifndef TRACES_READ_SOURCE_H
#define TRACES_READ_SOURCE_H

#include <errno.h>
#include <sys/types.h>

#include "buffers/reader/step.h"
#include "traces/read/schema.h"
#include "traces/read/where.h"

/* A packet in memory, checked except for the events in it. */
struct read_packet {
	struct packet_head head;
	const uint8_t *events;
	size_t bytes;
	bool cut;			/* the last event may end too early */
	bool given;			/* by another stream */
	bool follows;			/* another stream gives `before`: the
					 * number, end and losses are known */
	struct packet_head before;
	uint64_t missed;		/* events before it that were
					 * overwritten before they were read */
	struct writer_record writer;	/* of the events before its first one:
					 * the packet goes on */
};

struct ring_image;

/* Where the packets or events of a stream come from. */
struct read_source {
	/* Takes the next packet that ends at or behind the reading `begin`.
	 * Returns false at the end, with all problems reported. */
	bool (*packet)(struct read_stream *stream, uint64_t begin,
		       struct read_packet *packet);
	/* Finds the end of the last packet that has events. */
	bool (*last)(struct read_stream *stream, uint64_t *reading);
	/* Looks for packets that are new. Or NULL: there will be none. */
	void (*refresh)(struct read_stream *stream);
	/* Returns whether there will never be more than was read. Or NULL. */
	bool (*ended)(const struct read_stream *stream);
	/* Goes back to the first packet. */
	void (*rewind)(struct read_stream *stream);
	/* Moves to the next event that is not before the reading
	 * stream->begin. Or NULL: packets have the events. */
	bool (*next)(struct read_stream *stream);
	/* Returns true, with the problem reported, if the bytes of the current
	 * packet have gone. Or NULL: they cannot. */
	bool (*cut)(struct read_stream *stream);
	void (*close)(struct read_stream *stream);
};

/* A stream: the begin of a struct that the source knows whole. All but `event`,
 * `name` and `path` is of merge.c and stream.c. */
struct read_stream {
	struct trace_event event;	/* the current one */
	const struct read_source *source;
	struct reader *reader;
	const char *path;		/* of the file's directory; NULL: that
					 * of the trace, or none */
	char name[32];			/* "stream_1" */
	int64_t base_ns;		/* clock_base() */
	struct cursor cursor;		/* behind the current event */
	struct packet_head head;	/* of the current packet */
	uint64_t begin;			/* reading: no packet ends before */
	bool started;			/* `head` is valid */
	bool skipped;			/* packets that end before `begin` */
	uint64_t skipped_number;	/* of the last of these */
	uint64_t skipped_end;
	bool cut;			/* the packet is: read_packet */
	uint64_t events;		/* of the packet, so far */
	struct trace_class *trace;	/* whose packets they are: event.trace
					 * may be that of a process */
	struct writer_record writer;	/* the last one; all zero: none */
	bool hidden;			/* of a process that is not wanted */
	unsigned int cuts;		/* map_guard_cuts, as looked at last */
	size_t rank;			/* among events of one time */
	bool waiting;			/* in the heap: it has an event */
	bool stale;			/* the source may have got more while
					 * the stream was waiting */
};

/* Reads traces that other tracers wrote. Both return 0 or -ENOMEM, and report
 * all other failures. */
struct read_foreign {
	/* Remembers a trace's directory, unless it is known. */
	int (*add)(struct reader *reader, const char *path);
	/* Opens the traces that were added by directory. */
	int (*open)(struct reader *reader);
};

/* The directory of a trace. Several may have the same trace, each other packets
 * of it, or copies. */
struct read_place {
	char *path;			/* as it was found first */
	dev_t dev;
	ino_t ino;
	struct trace_class *trace;	/* NULL: another tracer's */
	uint8_t uuid[16];		/* of the packets: snapshots of one
					 * session have different ones */
	uint64_t ledger;		/* the ledger's checksum; 0: none */
	uint64_t metadata_bytes;	/* of the file, when it was read */
	uint64_t unplaced;		/* events that the ledger counts so */
	uint64_t calls;			/* of these */
};

/* A reader. It owns the traces, streams and places; the caller owns calls,
 * where and foreign. */
struct reader {
	const struct reader_calls *calls;
	struct trace_class **traces;
	size_t ntraces;
	struct trace_schemas schemas;	/* of the traces */
	struct read_stream **streams;
	size_t nstreams;
	struct read_stream **heap;	/* streams with a current event */
	size_t nheap;
	const struct read_foreign *foreign;	/* or NULL */
	const struct where *where;	/* NULL: all events are wanted */
	int64_t begin;
	int64_t end;
	bool given;			/* reader_next() gave an event */
	bool started;
	bool follows;			/* reader_follow() was called */
	bool counts;			/* for reader_tail(), to begin anew */
	bool recorded;			/* a directory is being recorded now */
	bool held;			/* the heap's first was not given */
	size_t nbegun;			/* streams that were in order() */
	char **paths;			/* directories that were added */
	size_t npaths;
	struct read_place *places;	/* of traces below them */
	size_t nplaces;
	unsigned int turn;		/* how often streams have begun anew */
	struct ring_image *images;	/* of rings.c: processes that share
					 * others */
	uint32_t only_pid;		/* of traces that processes share: see
					 * reader_only(); 0: all */
	uint64_t only_starttime;
	bool quiet;			/* problems and losses are not told */
	uint64_t problems;
};

/* Returns whether packets that were read are not read again: the reader
 * follows, and has begun to give events. */
static inline bool reader_forgets(const struct reader *reader)
{
	return reader->follows && reader->started && !reader->counts;
}

/* Notes a packet that ends before the window. */
static inline void stream_skip(struct read_stream *stream,
			       const struct packet_head *head)
{
	stream->skipped = true;
	stream->skipped_number = head->packet_seq_num;
	stream->skipped_end = head->timestamp_end;
}

/* Tells of events that no packet counts: a stream, or a process without a
 * buffer for them, lost them. */
#define NO_BUFFER	"without a buffer"
void reader_tell_loss(const struct reader *reader,
		      const struct trace_class *trace, const char *stream,
		      uint64_t events);
/* Does that for a process without a buffer; `calls` of the events are
 * trace_loss.calls. */
void reader_tell_unplaced(const struct reader *reader,
			  const struct trace_class *trace, uint64_t events,
			  uint64_t calls);

/* Report a problem of a stream's file, or of any file of a trace, unless the
 * reader is quiet. It also counts the problem. */
void reader_problem(struct reader *reader, const char *where,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a trace, or a stream, which the reader then owns. Return 0; or -ENOMEM,
 * and the caller still owns it. A stream has event.trace set. */
int reader_add_trace(struct reader *reader, struct trace_class *trace);
int reader_add_stream(struct reader *reader, struct read_stream *stream);

/* Returns false for a process that reader_only() leaves out. */
bool member_wanted(const struct reader *reader,
		   const struct trace_member *member);

/*
 * Makes the trace of a process that shares one: as if the process had written
 * its events alone. Its descriptions are those of the schema, as with processes
 * of one program, so readers take copies of the classes that it uses. Returns 0
 * or -ENOMEM.
 */
int reader_add_member(struct reader *reader, struct trace_class *of,
		      struct trace_member *member);

/* Gives the trace of a process the event classes that the shared one has got
 * since. Returns 0 or -ENOMEM. */
int member_learn(struct trace_class *trace);

/* Names a trace. Returns 0 or -ENOMEM. */
static inline int read_name(struct trace_class *trace, const char *path)
{
	trace->path = class_memory_text(&trace->memory, path);
	return trace->path ? 0 : -ENOMEM;
}

#endif
