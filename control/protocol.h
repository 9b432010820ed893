/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The control protocol between a command and an agent, on the stream socket
 * PID.STARTTIME/control.sock.
 *
 * A request is a struct message and `bytes` of payload; the answer has the
 * same form, the request's type, and a status: 0 or a negative errno. The
 * payload of a request, of a failure and of most answers is text: lines
 * "key=value". One connection carries any number of requests, in order.
 *
 * Invariant: the form of the header is the same in every version: either side
 * can refuse the other by number (status -EPROTO, payload "version=N"). A
 * reader checks magic, version and bytes before it allocates.
 */
#ifndef CONTROL_PROTOCOL_H
#define CONTROL_PROTOCOL_H

#include <stdint.h>

/* Sockets in the process's directory: for this protocol, and for gdb's. */
#define CONTROL_SOCKET		"control.sock"
#define GDB_SOCKET		"gdb.sock"

/* Why the agent is off before it has begun. */
#define PROTOCOL_NOT_STARTED	"not started"

#define PROTOCOL_MAGIC		0x4d524654u	/* "TFRM" */
#define PROTOCOL_VERSION	2
#define PROTOCOL_PAYLOAD_MAX	(4u << 20)

struct message {
	uint32_t magic;
	uint16_t version;
	uint16_t type;			/* enum message_type */
	uint32_t bytes;			/* of the payload behind this header */
	int32_t status;			/* 0 in requests */
};

/*
 * MESSAGE_HELLO	-> "pid=", "image=", "dir=" (the process's directory),
 *			   "agent=" (its version)
 * MESSAGE_LIST		"from=N" (optional): leaves out the first N records, and
 *			   stops where the answer is full
 *			-> binary: records of NUL-terminated strings, in order:
 *			   address (hex, 0x), kind ("mark", "event", "usdt",
 *			   "usdt-jump" where five bytes are switched,
 *			   "usdt-merged" where they are for two probes, or
 *			   "usdt-int3" where each hit is a trap; of a function
 *			   "function", "function-1" where the exits cannot all
 *			   be had, or "function-3" where a hit is a trap),
 *			   enabled ("0", "1", or a negative errno: it should
 *			   be on, but could not be switched), line, types (two
 *			   hex digits a field; where the marker says how it is
 *			   shown, a colon and these bytes as hex digits),
 *			   channel, name, format or arguments, file (of a
 *			   function "MODULE" or "MODULE/FILE");
 *			   -E2BIG: they do not fit
 * MESSAGE_START	"name=", "mode=discard|overwrite", "buffer=" (bytes of
 *			   one CPU's ring, optional), "context=" (words of
 *			   `record --context`; without it, the default), "consumed=1" (a
 *			   recorder reads the rings), "group=" (a number: until
 *			   the process ends, members of the group may do what
 *			   its user may), "int3=1"
 *			   (probes that need it are traps), "rule="
 *			   (any number; without one, everything); "spot=" and
 *			   "field=", descriptions of the lines that rules name
 *			   (tracepoints/usdt/usdt.h)
 *			-> "session=N", "matched=M" (markers now enabled)
 *			   -EEXIST: such a session is there; -ENOSPC: too many
 *			   sessions or no room for rings; -EPERM: the process is
 *			   not in the group, -EBUSY: another group is let in
 * MESSAGE_ENABLE	"name=", "rule=", "spot=", "field="
 *			-> "matched=M" (markers that match);
 * MESSAGE_DISABLE	   answered when no thread can still use the old state;
 *			   -ENOENT: no such session. With "back=1", disable
 *			   takes the rule away, as if it had not come
 * MESSAGE_STOP		"name=": no event is written after the answer
 * MESSAGE_FLUSH	"name=": closes the current sub-buffers -> "shared=1" if
 *			   some are shared with other processes; with "own=",
 *			   leaves these out
 * MESSAGE_DESTROY	"name=": stops, then removes its files
 * MESSAGE_STATUS	-> a line "session=NAME" a session, each followed by
 *			   "index=", "state=active|stopped", "mode=", "rule="
 *			   lines, "written=", "lost=", "overwritten=", "bytes=";
 *			   then a line "callback=" a callback: state ("enabled",
 *			   "connected"), markers, hits missed in callbacks and
 *			   in handlers, name and rule, with tabs between
 * MESSAGE_GDB		opens the socket for gdb's remote protocol, until the
 *			   next gdb has gone; with "keep=1" it stays open
 *			-> "path=" (as the process sees it); -EPERM: not
 *			   allowed, -ENOSYS: a build without it
 * MESSAGE_GDBSERVER	"on=1": a gdbserver is about to attach through our
 *			   filter; "on=0": it has detached. -EPERM: not allowed,
 *			   -ENOTSUP: a forked child
 * MESSAGE_DETACH	"force=1" (optional): ends all sessions and takes every
 *			   patch back; the agent hangs up after its answer
 *			-> "drops=" (what is lost, or would be), "unload=1": an
 *			   attach has loaded it (unload.h); -EBUSY: a
 *			   gdbserver is attached; -ETIMEDOUT: a thread is
 *			   stopped; -ENOTEMPTY: something would be lost, and
 *			   there is no "force=1"
 * A failure carries "cause=N", a number of causes.def, and where the cause has
 * them "text=" and "number="; the command knows the process and its directory.
 */
enum message_type {
	MESSAGE_HELLO	= 1,
	MESSAGE_LIST	= 2,
	MESSAGE_START	= 3,
	MESSAGE_ENABLE	= 4,
	MESSAGE_DISABLE	= 5,
	MESSAGE_STOP	= 6,
	MESSAGE_FLUSH	= 7,
	MESSAGE_DESTROY	= 8,
	MESSAGE_STATUS	= 9,
	MESSAGE_GDB	= 10,
	MESSAGE_GDBSERVER = 11,
	MESSAGE_DETACH	= 12,
};

/* The longest path of a runtime directory, with the NUL. Agents and commands
 * refuse a longer one, and one that does not begin with '/'. */
#define PROTOCOL_DIR_BYTES	200u

/*
 * Sessions for processes to come: a file $TAFFRAIL_DIR/sessions/NAME holds the
 * payload of a MESSAGE_START, and "all=1" when every process of the user must
 * join the session (`taffrail start --all`). A process also joins the sessions
 * that the environment variable TAFFRAIL_JOIN names, with a separator between
 * them (`taffrail record -- PROG`; an inner recorder adds a name). Agents read
 * the files when they start; a process that starts after a file was removed
 * does not join.
 */
#define PROTOCOL_SESSIONS_DIR	"sessions"
/* sessions/.off.NAME, which a recorder makes: agents that stay off append a
 * line "CAUSE ERRNO TEXT<tab>PATH": a number of causes.def, LACKS_..., and what
 * belongs to it. The leading dot says that it is no session. taffrail_attach()
 * returns the first three. */
#define PROTOCOL_OFF_PREFIX	".off."
#define PROTOCOL_OFF_BYTES_MAX	65536u
/* The mode of that file once the limit of sizes (RLIMIT_FSIZE) has kept an
 * agent from adding a line. */
#define PROTOCOL_OFF_CUT	01600
/* sessions/.shared.NAME/, the rings that the session's processes share
 * (buffers/layout.h). */
#define PROTOCOL_SHARED_PREFIX	".shared."
/* The runtime directory of a user whose processes have no setting for it: one
 * of these, and the user's number. */
#define PLACE_DEFAULT_SHM	"/dev/shm/taffrail-"
#define PLACE_DEFAULT_TMP	"/tmp/taffrail-"
#define PROTOCOL_RECORDER	"record-"
#define PROTOCOL_ENABLE_SESSION	"env"
/* Of a session's name, which does not begin with a dot. */
#define PROTOCOL_NAME_LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn" \
				"opqrstuvwxyz0123456789._-"
/* sessions/.fault.env: the faults that the last process found in the rules of
 * the environment, "PID NAME" and process_page.faults, a line each. It tells of
 * processes that have ended. */
#define PROTOCOL_FAULT_FILE	".fault.env"
#define PROTOCOL_FAULT_BYTES_MAX 2048u
/* sessions/.known: facts about files of modules (known.c). */
#define PROTOCOL_KNOWN_FILE	".known"
#define PROTOCOL_TABLE_BYTES	(32u << 10)
/*
 * sessions/.deferred.NAME, which a recorder makes: programs of the recording
 * may put off their files (agent/deferred.c).
 *
 *	0	a row, with the number of the recorder's PID namespace
 *		(place_namespace()) as `page`, its `pid`, as `entry` the number
 *		of the runtime directory (PROTOCOL_PLACE_ID), or 0, and as
 *		`uuid` the boot ID; with PROTOCOL_DEFERRED_NEVER as `page`, no
 *		further program may
 *	4096	a table of programs that may, and of those none of whose modules
 *		has a place that the rules name (control/sessions/known.c)
 *	36864	a row for each process that did. None crosses the end of a page,
 *		where a write may end
 *
 * As long as the recorder is there, it holds a lock (fcntl) on the file: of
 * such a lock the kernel tells the holder's number, as the caller sees it.
 */
#define PROTOCOL_PLACE_ID(st)	((uint64_t)(st)->st_dev << 32 ^ (st)->st_ino)
#define PROTOCOL_DEFERRED_PREFIX ".deferred."
#define PROTOCOL_DEFERRED_NEVER	(~0ull)
#define PROTOCOL_DEFERRED_TABLE	4096u
#define PROTOCOL_DEFERRED_ROWS	(PROTOCOL_DEFERRED_TABLE + PROTOCOL_TABLE_BYTES)
#define PROTOCOL_DEFERRED_BYTES_MAX (1u << 30)
struct deferred_row {
	uint64_t page;		/* the address of a struct process_page, of
				 * which only uuid and wake are filled in */
	uint64_t entry;		/* as in struct process_wake */
	int64_t rseq_offset;
	uint32_t rseq_bytes;
	uint32_t filters;
	uint32_t pid;
	uint32_t unused[3];
	uint8_t uuid[16];
};
/* sessions/NAME@PID.STARTTIME: a session that was started in that process, for
 * the programs that the process and the descendants execute. TAFFRAIL_JOIN
 * names such files, too. */
#define PROTOCOL_INHERITANCE	'@'
#define PROTOCOL_JOIN_ENV	"TAFFRAIL_JOIN"
#define PROTOCOL_JOIN_SEPARATOR	':'
/* Behind the names: the program that is executed begins under no seccomp
 * filter, as the kernel told the agent that saw the call. Not the name of a
 * file: other readers pass over it. */
#define PROTOCOL_JOIN_UNFILTERED ":.unfiltered"
#define PROTOCOL_JOIN_BYTES	1024u	/* of all names, at most, with a NUL */
#define PROTOCOL_JOIN_NAME_BYTES 128u	/* of one, at most, with a NUL */

#endif
