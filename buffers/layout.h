/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory shared between processes: an agent publishes it, and a reader maps it.
 *
 * Invariants:
 *  - a reader never trusts this memory: it checks magic, version, sizes and
 *    every position against the size of the file (buffers/reader/reader.c);
 *  - everything below `head` of a ring is complete at every instant, so a
 *    killed process needs no repair;
 *  - these files have everything that a trace needs: no binary is read again,
 *    but for names of addresses;
 *  - agents and commands of two builds with one LAYOUT_VERSION are mixed: new
 *    fields go behind the others, and 0 means the same as a structure without
 *    them; but for sessions of a later SESSION_VERSION, which earlier commands
 *    refuse.
 *
 * The files of one process, below the runtime directory:
 *
 *   PID.STARTTIME/              0700; 0750 where a group is let in
 *     control.sock              control socket of the living process
 *     gdb.sock                  where gdb connects, once it is open
 *     IMAGE/                    0, 1, ...: one a program image (execve adds)
 *       process                 struct process_page
 *       session.N               struct session_page + event records
 *       ring.N.CPU              struct ring + sub-buffers, written through
 *                               rseq; larger ones that replace it are CPU +
 *                               RING_STRIDE, CPU + 2 * RING_STRIDE ...
 *       ring.N.LK               the same, written under its lock (K = 0, 1 ...)
 *   sessions/.shared.NAME/      rings that processes share: see members_page
 *
 * STARTTIME is field 22 of /proc/PID/stat. A process of a PID namespace below
 * the first adds the namespace's inode, from bit PLACE_NAMESPACE_SHIFT on: the
 * first processes of two namespaces may begin in one tick of the clock, and
 * both have the number 1. A process that finds files of another one there, with
 * the same pid, in the same tick, takes the next number that is free.
 *
 * All integers are in host byte order.
 */
#ifndef BUFFERS_LAYOUT_H
#define BUFFERS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffers/wake.h"

#define LAYOUT_VERSION		1
#define SESSION_VERSION		2	/* 1: without wide headers */
#define PROCESS_MAGIC		0x50524654u	/* "TFRP" */
#define SESSION_MAGIC		0x53524654u	/* "TFRS" */
#define RING_MAGIC		0x52524654u	/* "TFRR" */

/* Returns true for a version of such a page that this build reads. */
static inline bool layout_known(uint32_t magic, uint32_t version)
{
	return version == LAYOUT_VERSION ||
	       (magic == SESSION_MAGIC && version == SESSION_VERSION);
}

#define SESSION_NAME_BYTES	64
#define SESSION_FAULT_BYTES	2048
#define PROCESS_FAULT_BYTES	1024
#define SESSION_UNTAKEN_BYTES	1400
#define SESSION_UNTAKEN_GUARD	" (TAFFRAIL_ENABLED)"
#define SESSION_UNTAKEN_FILE	" (file)"
#define SESSION_UNTAKEN_PAST	' '
#define PROCESS_DIR_BYTES	200
#define PROCESS_USERS		4
#define SESSION_FILES_MAX	1024u	/* the N of session.N is below it */
#define PROCESS_NAME_BYTES	64
#define EVENT_FIELDS_MAX	16
#define EVENT_RECORDS_OFFSET	4096u
#define RING_DATA_OFFSET	4096u
#define RING_STRIDE		1024u	/* more than numbers of CPUs */

#define PLACE_NAMESPACE_SHIFT	40
#define PLACE_NAMESPACE_FIRST	0xeffffffcu	/* the kernel's number for it */
#define PLACE_STARTTIME(number)	((number) & ~(~0ull << PLACE_NAMESPACE_SHIFT))
#define PLACE_NAMESPACE(number)	((number) & ~0ull << PLACE_NAMESPACE_SHIFT)

/* The file system of pidfds since Linux 6.9. There the inode of a pidfd names
 * the process: no other process has it before the machine starts again, in no
 * namespace, and execve(2) does not change it. */
#define IDENTITY_FS_MAGIC	0x50494446

/* Returns the number that is added to STARTTIME; `inode` is the inode of
 * /proc/PID/ns/pid. */
static inline uint64_t place_namespace(uint64_t inode)
{
	return inode == PLACE_NAMESPACE_FIRST ? 0 :
						inode << PLACE_NAMESPACE_SHIFT;
}

enum clock_kind {
	CLOCK_KIND_TSC		= 1,	/* cycles of the invariant TSC */
	CLOCK_KIND_MONOTONIC	= 2,	/* CLOCK_MONOTONIC, nanoseconds */
	CLOCK_KIND_ATOMIC	= 3,	/* a counter: order, not time */
};

/* One instant in every clock. `clock` is the trace clock of events. */
struct clock_anchor {
	uint64_t clock;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t uncertainty_ns;
};

/*
 * An anchor that any thread may store at any time. It is valid only if `check`
 * is right (buffers/rings/anchor.h). Else the writer was killed, or is still
 * writing.
 */
struct anchor_slot {
	struct clock_anchor anchor;
	uint64_t check;
};

#define PROCESS_ANCHORS		4

enum process_state {
	PROCESS_RUNNING	= 1,
	PROCESS_EXITED	= 2,	/* by exit(); other ends are found by pid */
	PROCESS_EXECED	= 3,	/* a later image replaced this one */
};

/* Why there is no agent in a program that a process has executed. */
enum lacking_why {
	LACKING_NOT	= 0,
	LACKING_NOTING	= 1,	/* a note is being written */
	LACKING_FILTER	= 2,	/* begins under a filter of the process */
	LACKING_MACHINE	= 3,	/* another machine's: 32 bits, say */
	LACKING_UNSEEN	= 4,	/* the library is not seen from there */
	LACKING_STATIC	= 5,	/* takes no library */
	LACKING_SECURE	= 6,	/* set-user-ID or set-group-ID */
	LACKING_UNSET	= 7,	/* LD_PRELOAD does not name the library */
	LACKING_USER	= 8,	/* the user is not the runtime directory's */
	LACKING_ELSEWHERE = 9,	/* the variables name another directory, or not
				 * the recording */
	LACKING_AWAY	= 10,	/* the path of the runtime directory leads to
				 * another one, or to none */
	LACKING_UNLINKED = 11,	/* the process hands on a session, but no
				 * library: the program has an agent only if it
				 * is linked with one, and then joins */
	LACKING_FORBIDDEN = 12,	/* a security module (Landlock) forbids it to
				 * write in the runtime directory */
	LACKING_HANDED	= 13,	/* it has an agent: the user is another one, and
				 * the files will be in that user's default
				 * directory, which is the note's path */
	LACKING_LINKED	= 14,	/* no files there: it is no directory, */
	LACKING_OWNED	= 15,	/* another user's, */
	LACKING_OPENED	= 16,	/* or open to others */
	LACKING_UNFIT	= 17,	/* no room for that path beside the arguments */
	LACKING_END
};

/* Returns true for the reasons why a working agent would have files where no
 * reader looks, or none. */
static inline bool lacking_is_away(uint32_t why)
{
	return (why >= LACKING_USER && why <= LACKING_AWAY) ||
	       why == LACKING_FORBIDDEN || why > LACKING_HANDED;
}

#define LACKING_NOTES		8
#define LACKING_PATH_BYTES	200

/* Any thread may write it, and children that share the page: a writer takes
 * `why` by a compare-and-swap, and stores a reason there when the path is
 * complete (LACKING-NOTE). */
struct lacking_note {
	uint32_t why;			/* enum lacking_why */
	uint32_t times;
	char path[LACKING_PATH_BYTES];	/* the end of a longer one */
};

/* The counts that a process page has of programs without an agent, at one
 * moment. */
struct lacking_counts {
	uint32_t filtered;		/* filtered_execs */
	uint32_t lacking;		/* lacking_execs */
	uint32_t away;			/* away_execs */
	uint32_t times[LACKING_NOTES];	/* of each note */
};

/* The accesses that a program forbids itself by landlock_restrict_self(2),
 * which it has called by libc's syscall(). */
enum landlock_state {
	LANDLOCK_NOT,
	LANDLOCK_OPEN,			/* it may make files in the runtime
					 * directory */
	LANDLOCK_SHUT,			/* it may not */
};

/* Why a hit did not call a callback. */
enum missed_why {
	MISSED_NESTED,			/* it was in a callback */
	MISSED_HANDLER,			/* it was in a signal handler */
	MISSED_BUSY,			/* the thread, or one that shares the
					 * thread's memory, was on the way to or
					 * from a callback; or there was no
					 * memory */
	MISSED_END
};

struct process_page {
	uint32_t magic;			/* stored last, with release */
	uint32_t version;
	uint32_t pid;
	uint32_t ppid;
	uint64_t starttime;		/* field 22 of /proc/PID/stat */
	uint32_t image;
	uint32_t state;			/* enum process_state */
	uint32_t clock_kind;		/* enum clock_kind */
	uint32_t sessions;		/* session.N exist for N below this */
	uint64_t clock_hz;		/* estimate; 0 before the first
					 * session */
	uint8_t boot_id[16];
	uint8_t uuid[16];		/* of this image; see trace_uuid() */
	struct clock_anchor start;
	uint64_t marker_generation;	/* changes when markers come or go */
	char procname[PROCESS_NAME_BYTES];
	char hostname[PROCESS_NAME_BYTES];
	char agent_version[32];
	struct anchor_slot anchors[PROCESS_ANCHORS];	/* the latest, in any
							 * order */
	struct process_wake wake;
	uint32_t filtered_execs;	/* programs that this image, or children
					 * without a page, have executed under
					 * a filter that they have installed:
					 * these have no agent */
	uint32_t lacking_execs;		/* the same for other reasons */
	struct lacking_note lacking[LACKING_NOTES];	/* for both */
	uint32_t words_unknown;		/* in its environment: words.h */
	uint32_t locked;		/* the file is locked (flock) as long as
					 * this image's memory lives */
	uint64_t identity;		/* inode of its pidfd; 0: not known */
	uint32_t fault_bytes;		/* of `faults`, stored after the text */
	/* a line for each rule of TAFFRAIL_ENABLE that is not obeyed:
	 * "rule 'RULE': FACT" (ENVIRONMENT-FAULT) */
	char faults[PROCESS_FAULT_BYTES];
	char runtime[PROCESS_DIR_BYTES];	/* the runtime directory, by
						 * the path that the agent
						 * uses; or "" */
	uint32_t away_execs;		/* the part of lacking_execs for which
					 * lacking_is_away() */
	uint32_t clockless;		/* the program gives up the time stamp
					 * counter; stored before the sessions
					 * end */
	/* of callbacks of probe libraries; any thread adds, and children that
	 * share the page */
	uint64_t missed[MISSED_END];	/* hits, by enum missed_why */
	uint64_t called;		/* request_bits() of the connections
					 * that a marker had */
	uint32_t landlock;		/* enum landlock_state, of the thread
					 * that restricted itself last. Unless
					 * 0, only the first thread may make the
					 * service thread */
	uint32_t users[PROCESS_USERS];	/* that it has become, or tried to, in a
					 * session: the first ones; 0: none */
	uint32_t protocol;		/* PROTOCOL_VERSION of the agent; 0: one
					 * that does not tell */
	uint32_t denial;		/* the number of the cause for which
					 * wake.error is an errno of files; 0:
					 * none is known */
};

enum session_state {
	SESSION_ACTIVE	= 1,
	SESSION_STOPPED	= 2,
	SESSION_DESTROYED = 3,	/* any process may remove its files */
};

enum session_flags {
	SESSION_OVERWRITE = 1u << 0,	/* else: discard when full */
	SESSION_LARGE_HEADER = 1u << 1,	/* of an earlier build: ctf.h */
	SESSION_CONSUMED = 1u << 2,	/* a recorder empties the rings */
	SESSION_WRITERS	 = 1u << 3,	/* of a ring: it has writer records */
	SESSION_SHARED	 = 1u << 4,	/* all processes write to the same rings
					 * of CPUs (docs/shared.md) */
	SESSION_WIDE	 = 1u << 5,	/* compact and wide headers: ctf.h; else
					 * an earlier build's */
	SESSION_ENABLED	 = 1u << 6,	/* TAFFRAIL_ENABLE began it */
	SESSION_ENDED	 = 1u << 7,	/* of a page: a command has ended it,
					 * also for children without files */
};

/* Contexts, in the order in which they precede an event's own fields. */
enum session_context {
	CONTEXT_VTID	 = 1u << 0,	/* int32 */
	CONTEXT_VPID	 = 1u << 1,	/* int32 */
	CONTEXT_PROCNAME = 1u << 2,	/* char[16], NUL padded */
	CONTEXT_CPU	 = 1u << 3,	/* uint32 */
	CONTEXT_IP	 = 1u << 4,	/* uint64, shown in hexadecimal */
	CONTEXT_WRITER	 = 1u << 5,	/* no bytes: rings have records */
	CONTEXT_PTHREAD	 = 1u << 6,	/* uint64: pthread_self() */
};

/*
 * A writer record is an event of this id, behind which all events are of one
 * thread, up to the next record. Each packet begins with one (docs/writers.md).
 * The session's first description is that of the record. The id is the first
 * that a compact header does not have: 30 types of the program have those.
 */
#define WRITER_ID		30u
#define WRITER_ID_EARLY		0u	/* without SESSION_WIDE */
#define WRITER_CHANNEL		"taffrail"
#define WRITER_NAME		"writer"

struct writer_record {
	uint32_t vpid;
	uint32_t vtid;
	uint32_t process;		/* tells apart the processes that wrote
					 * in one ring */
} __attribute__((packed));

/* Of a record with the longest header, above all of an event's before it. */
#define WRITER_BYTES_MAX	25u
/* The least that a record takes, header and all: behind a wide header. */
#define WRITER_BYTES_LEAST	18u

/* The peer that asked for something, and when; `realtime_ns` 0: no peer did. */
struct session_act {
	uint32_t uid;			/* both as the process sees them; a pid
					 * that it cannot see is 0 */
	uint32_t pid;
	uint64_t realtime_ns;
};

/* The rings that were replaced and removed: those whose number is below
 * end * RING_STRIDE, also if the file is still there. */
struct rings_removed {
	uint64_t end;
	uint64_t events;		/* all were overwritten with them */
	uint64_t lost;
	uint64_t bytes;
};

struct session_page {
	uint32_t magic;			/* stored last, with release */
	uint32_t version;
	uint32_t index;			/* the N of session.N */
	uint32_t state;			/* enum session_state */
	uint32_t flags;			/* enum session_flags */
	uint32_t contexts;		/* enum session_context */
	uint32_t sub_bytes;		/* a sub-buffer; power of two */
	uint32_t ring_bytes;		/* all sub-buffers; power of two */
	char name[SESSION_NAME_BYTES];
	uint64_t record_bytes;		/* event records committed (release) */
	uint64_t lost_unplaced;		/* lost: all rings were held; or see
					 * lost_calls */
	uint64_t left_off;		/* markers with no room for a record */
	struct session_act started;	/* through the socket */
	struct session_act changed;	/* stopped, or the rules: the last */
	uint64_t serial;		/* sessions that the process had before
					 * it; numbers N are used again */
	uint32_t asked_bytes;		/* ring_bytes as asked for; more than
					 * ring_bytes: no room for such rings */
	uint32_t roomless;		/* errno: a ring could not be made */
	uint32_t rings;			/* that were published (SESSION-RINGS);
					 * none of their files goes before the
					 * session does */
	uint32_t making;		/* the first rings are not made: their
					 * files may go again, for smaller ones
					 * (SESSION-MAKING) */
	int32_t small_error;		/* why rings are smaller than asked
					 * for: an errno */
	uint32_t fault_bytes;		/* of `faults`, stored after the text */
	/* a line for each rule whose condition the fields of a marker do not
	 * allow: "GLOB<tab>condition 'EXPR', column N: FACT" (SESSION-FAULT) */
	char faults[SESSION_FAULT_BYTES];
	uint64_t saved;			/* events of the rings that a snapshot
					 * has, or found overwritten; a command
					 * stores it */
	struct lacking_counts before;	/* as the session began */
	uint32_t orphans;		/* forked children that could not make
					 * files: their events are in
					 * lost_unplaced */
	int32_t orphan_error;		/* why, of the last one: an errno;
					 * ENOSYS: no thread may be made, by a
					 * seccomp filter; EKEYREJECTED, of
					 * earlier agents: a security module
					 * (Landlock) forbids the files */
	uint64_t modules_end;		/* clock: from here on, the records do
					 * not tell where modules are; or 0 */
	uint32_t untaken_bytes;		/* of `untaken`, stored after the
					 * text */
	uint32_t untaken_more;		/* lines that had no room */
	/* a line for each place that a rule names and that is not switched:
	 * "CHANNEL/NAME<tab>ADDRESS<tab>FILE'S ADDRESS<tab>WHY", addresses in
	 * hexadecimal, and of a function "<tab>MODULE" behind them, the names; WHY is an enum usdt_reason (only a trap could be there)
	 * or a negative errno. SESSION_UNTAKEN_PAST replaces the tab before WHY
	 * while that does not hold: the place is switched, has gone, or has
	 * another line. (Earlier agents added a line whose WHY is 0.) A marker
	 * whose code a tool has moved has one line, at the first place, with
	 * -ESTALE; SESSION_UNTAKEN_GUARD is behind the name of a guard. If the
	 * agent cannot read a module's file, it does not know the probes of the
	 * module: there is a line for each rule that may name one, with
	 * SESSION_UNTAKEN_FILE behind the rule's glob, and begin and end of the
	 * module (SESSION-UNTAKEN) */
	char untaken[SESSION_UNTAKEN_BYTES];
	/* of a session that is sized by time (buffers/rings/replace.c) */
	uint64_t keep_ns;		/* 0: it is sized by bytes */
	int32_t keep_error;		/* why rings are smaller than the time
					 * needs: an errno, or 0 */
	uint32_t removals;		/* of replaced rings (RINGS-REMOVED) */
	struct rings_removed removed[2];	/* [removals & 1] counts */
	uint32_t member;		/* of a process that shares rings: the
					 * number in its writer records; or 0 */
	uint64_t lost_calls;		/* the part of lost_unplaced that is
					 * calls without room until they end */
	uint32_t call_threads;		/* that may have open calls; 0: no rule
					 * is for whole calls */
	uint32_t call_depth;		/* how many, each */
	uint64_t saved_lost;		/* lost events that a snapshot has told,
					 * with `saved` */
	uint64_t undecided;		/* hits that a condition left out: a
					 * value in it could not be read, or it
					 * divided by 0 */
	uint32_t orphan_cause;		/* the number of the cause of
					 * orphan_error, or 0 */
};

/*
 * The description of an event, published before the site is switched on.
 * Records lie one behind another from EVENT_RECORDS_OFFSET, 8-aligned. `text`
 * is four strings, NUL between them: channel, name, the format or the argument
 * text (see tracepoints/fields/fields.h), source file. Of a function ("fn") the
 * last is "MODULE", or "MODULE/FILE" of a static one, and `line` is the address
 * in the module's file: functions of one name have records of their own.
 */
struct event_record {
	uint32_t bytes;			/* of this record, padding included */
	uint32_t id;			/* event id within the session */
	uint64_t oversize;		/* lost: larger than a sub-buffer */
	uint32_t line;
	uint16_t text_bytes;
	uint8_t kind;			/* enum taffrail_kind */
	uint8_t nfields;
	uint8_t types[EVENT_FIELDS_MAX];	/* enum taffrail_type */
	char text[];
};

/*
 * The last bytes of `types`, which no function needs, are the term of a
 * function's entry or return (docs/functions.md, "Durations"). An entry and a
 * return of the same term may belong together. TERM_NONE: of this one no other
 * half is known, as some of either are not recorded. TERM_SOME: in a return's,
 * a condition chooses among the returns.
 */
#define TERM_NONE		UINT32_MAX
#define TERM_SOME		(1u << 31)
#define TERM_AT			(EVENT_FIELDS_MAX - sizeof(uint32_t))

static inline uint32_t record_term(const uint8_t *types)
{
	uint32_t term;

	__builtin_memcpy(&term, types + TERM_AT, sizeof(term));
	return term;
}

/*
 * A description of an event that never comes: from a time on, returns of terms
 * are not recorded, of calls that are open then neither. The source file is
 * "PROCESS:CLOCK:ID,ID...": the number in its writer records, or 0; a reading
 * of the trace clock; and the ids of the terms' entries.
 */
#define TERM_CHANNEL		"taffrail"
#define TERM_NAME		"term"

/*
 * A record of this kind is no event: behind four empty strings it has a struct
 * modules_head, and lines of /proc/PID/maps, those of code in files. `line` is
 * 1, or 0 where the lines go on from the record before. It says where modules
 * are until the next such record. `types` has a uint64_t: the clock by which
 * the kernel stamps files, at `from`, in ns since 1970; 0: not told.
 */
#define RECORD_MODULES		64

struct modules_head {
	uint64_t until;			/* clock: up to here, the record before
					 * is true; 0: to `from` */
	uint64_t from;			/* clock: from here on, this is */
};

/*
 * The rings that processes share, below the runtime directory: the files of an
 * image, whose session is session.0, and the file `members`.
 *
 *   sessions/.shared.NAME/0/	process, session.0, ring.0.CPU, members
 *
 * Files of a session without much use take no memory: the first process that
 * switches a site on allocates rings and slots. Until then only SHARED_SLOTS
 * slots may be written. Room for descriptions is allocated as they come.
 *
 * session.0 has SHARED_TYPES_BYTES of records; process_page.pid is the pid of
 * the command that made the files. `members` is a struct members_page, and
 * behind it SHARED_STAGED_BYTES for descriptions that are to be added.
 */
#define SHARED_TYPES_BYTES	(16u << 20)
#define SHARED_STAGED_BYTES	(16u << 20)
#define SHARED_MEMBERS		32768u
#define SHARED_SLOTS		2000u
#define MEMBERS_MAGIC		0x4e524654u	/* "TFRN" */
#define MEMBER_NAME_BYTES	16

enum member_state {
	MEMBER_JOINED	= 1,
	MEMBER_WROTE	= 2,	/* it has begun a writer record */
};

/* Only the owner writes it; `state` last but for `lost`, with release. */
struct shared_member {
	uint32_t state;			/* enum member_state; 0: nobody */
	uint32_t pid;			/* as the process sees it */
	uint64_t starttime;
	char name[MEMBER_NAME_BYTES];	/* may lack a NUL */
	uint64_t lost;			/* its events that the rings lost;
					 * added behind their count */
	uint64_t identity;		/* process_page.identity */
};

struct members_page {
	uint32_t magic;			/* stored last, with release */
	uint32_t version;
	uint32_t cpus;			/* rings: ring.0.CPU below it */
	uint32_t ring_bytes;
	uint64_t types;			/* TYPES_END, and TYPES_STAGED << 32
					 * (SHARED-TYPES) */
	uint64_t staged;		/* given for descriptions, so far */
	uint64_t given;			/* numbers of processes, so far */
	uint32_t allocated;		/* 1: the rings and the slots are
					 * (SHARED_ALLOCATED) */
	uint32_t pad;
	uint64_t room[2];		/* bytes of `types`, and of `staged`,
					 * that are allocated; more follow
					 * (SHARED_ROOM) */
	struct shared_member members[SHARED_MEMBERS];	/* of number i + 1 */
};

#define TYPES_END(types)	((uint32_t)(types))
#define TYPES_STAGED(types)	((uint32_t)((types) >> 32))
#define SHARED_MEMBERS_BYTES	(sizeof(struct members_page) + \
				 SHARED_STAGED_BYTES)

/*
 * A packet is a sub-buffer: a private part, then a CTF packet as it goes to
 * disk byte for byte. The slow path that closes a packet fills ts_end,
 * content_size, packet_size and events_discarded; until then they are zero.
 */
struct packet_head {
	uint64_t events_before;		/* committed in this ring before it */
	uint64_t records_before;	/* the same for writer records */
	uint32_t reserved2;
	/* from here on: CTF, layout of packet.header and packet.context */
	uint32_t magic;			/* CTF_PACKET_MAGIC */
	uint8_t uuid[16];
	uint32_t stream_id;		/* class: 0 */
	uint64_t stream_instance_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;		/* bits */
	uint64_t packet_size;		/* bits */
	uint64_t packet_seq_num;	/* stored first (PACKET-NUMBER) */
	uint64_t events_discarded;	/* cumulative in this stream */
	uint32_t cpu_id;
} __attribute__((packed));

#define PACKET_PRIVATE_BYTES	20u	/* before the CTF part */
#define PACKET_HEAD_BYTES	104u	/* events start here */

/*
 * A ring. `head` has two numbers, and one store commits both:
 *
 *    63          32 31           0
 *   +--------------+--------------+
 *   | events mod 2^32 | position mod 2^32 |
 *   +--------------+--------------+
 *
 * The position counts bytes of sub-buffers ever used, packet heads and unused
 * ends included: position & (ring_bytes - 1) is the offset into the data. An
 * event never crosses a sub-buffer, so adding the size never carries. Wide
 * numbers are in the packet heads: packet_seq_num, events_before. RING-WRAP:
 * code that compares two positions must read both before another 2^32 bytes are
 * written; code that may take longer compares packet numbers.
 */
struct ring {
	uint64_t head;		/* writer stores, reader loads (RING-HEAD) */
	uint64_t ts_limit;	/* clock from which headers are extended */
	uint64_t lost;		/* no room, or too large (RING-LOST) */
	uint64_t writer;	/* a thread's token (RING-WRITER) */
	uint64_t records;	/* see ring_records() */
	uint64_t pad0[3];
	/* constant once published */
	uint32_t magic;
	uint32_t version;
	uint32_t cpu;		/* for packet heads */
	uint32_t flags;		/* enum session_flags */
	uint32_t sub_bytes;
	uint32_t ring_bytes;
	uint64_t stream_instance_id;
	uint8_t uuid[16];
	uint64_t pad1[2];
	/* the reader's line */
	uint64_t tail;		/* all below it is read (RING-TAIL) */
	uint64_t pad2[7];
};

/*
 * The events that the limit of dead processes' rings has removed: rows of the
 * file KEEP_LEDGER in the runtime directory. Agents write it with the directory
 * locked (flock), commands with the same lock.
 */
#define KEEP_LEDGER		"removed"
#define KEEP_ROWS		1024
#define KEEP_OTHERS		"others"	/* sessions beyond these rows */

struct keep_row {
	char session[SESSION_NAME_BYTES];
	uint64_t processes;		/* 0: a free row */
	uint64_t events;		/* unread when removed */
};

#define RING_POSITION(head)	((uint32_t)(head))
#define RING_EVENTS(head)	((uint32_t)((head) >> 32))

/*
 * Returns how many writer records are below `head`, modulo 2^32. `records` is
 * their number, << 32, and the position where the last one ends. It is stored
 * before `head`: an end above `head` is that of a record that was not written.
 */
static inline uint32_t ring_records(uint64_t records, uint64_t head)
{
	return (uint32_t)(records >> 32) -
	       ((int32_t)(RING_POSITION(records) - RING_POSITION(head)) > 0);
}

_Static_assert(sizeof(struct packet_head) == PACKET_HEAD_BYTES, "packet");
_Static_assert(offsetof(struct packet_head, magic) == PACKET_PRIVATE_BYTES,
	       "packet");
_Static_assert(offsetof(struct ring, writer) == 24, "ring");
_Static_assert(offsetof(struct ring, records) == 32, "ring");
_Static_assert(offsetof(struct ring, magic) == 64, "ring");
_Static_assert(offsetof(struct ring, tail) == 128, "ring");
_Static_assert(sizeof(struct process_page) <= 4096, "process");
_Static_assert(sizeof(struct session_page) <= EVENT_RECORDS_OFFSET, "session");
_Static_assert(sizeof(struct event_record) == 40, "event record");

/* Fields of version 1 stay where they are. */
_Static_assert(offsetof(struct process_page, anchors) == 280, "version");
_Static_assert(offsetof(struct process_page, wake) == 440, "version");
_Static_assert(offsetof(struct process_page, lacking) == 504, "version");
_Static_assert(offsetof(struct session_page, started) == 120, "version");
_Static_assert(offsetof(struct session_page, changed) == 136, "version");
_Static_assert(offsetof(struct session_page, left_off) == 112, "version");

#endif
