/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the parts of `taffrail gdbserver`.
 *
 *	gdb --- COMM ---> relay + gdbstub/filter --- link ---> gdbserver
 *
 * The link is gdbserver's own standard input and output, one socket that no
 * other process can reach; or, where COMM is a port, another port of the
 * loopback interface, so gdbs may connect one after another.
 *
 * Invariant: users and scripts read gdbserver's own messages, with
 * COMM in place of the link; the program gets the standard descriptors that
 * gdbserver would have given to it; the exit status is gdbserver's.
 */
#ifndef COMMAND_GDBSERVER_GDBSERVER_H
#define COMMAND_GDBSERVER_GDBSERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "command/elf/markers.h"
#include "command/gdbserver/comm.h"
#include "gdbstub/filter/filter.h"

#define GDBSERVER_START		"--start"	/* a mode of our own */
#define GDBSERVER_PROCESSES	64	/* debugged at the same time */

/* The command line, as parsed. */
struct gdbserver_options {
	char **options;			/* before COMM */
	int noptions;
	const char *comm;
	char **program;			/* after COMM, ended by NULL */
	bool once;
	bool attach;
	bool wrapped;			/* by the user */
	bool no_shell;			/* no shell, so no wrapper either */
};

/* An agent that gdbserver knows the addresses of: symbols.c. */
struct gdbserver_agent {
	uint64_t place;			/* a variable's address */
	uint64_t heap, pads, far;	/* values of other variables */
	uint64_t start, end;		/* words of the stack, or 0 */
};

struct gdbserver {
	struct gdbserver_options options;
	struct comm comm;
	pid_t pid;
	bool exited;
	int status;			/* as waitpid() tells it */
	bool by_port;			/* the link is a port */
	bool restores;			/* the program's descriptors */
	bool ready;			/* to accept a gdb */
	int reserved;			/* fd that holds the port, or -1 */
	uint16_t port;
	int link;			/* -1: none now */
	int messages;			/* gdbserver's standard error, or -1 */
	uint32_t nline;
	char line[512];			/* start of a line, held back */
	struct marker_list markers;
	struct marker_list events;	/* of LTTng-UST: listed, not served */
	struct filter_thread thread;	/* the last one that gdb looked at */
	int nprocesses;
	pid_t processes[GDBSERVER_PROCESSES];
	struct gdbserver_agent agent;
	pid_t lttng;			/* the last one told of its events */
	struct filter filter;
};

/* child.c: starts gdbserver, by the options and COMM in `server`, and sets
 * `pid`, the link and `messages`. Returns COMMAND_DONE, or COMMAND_FAILED after
 * printing why. */
int gdbserver_start(struct gdbserver *server);

/* Returns 0 when a parent may trace a child, as gdbserver does, or when that
 * cannot be tried; else the errno of ptrace(2). */
int gdbserver_try_tracing(void);

/* Does `taffrail gdbserver --start ...`, between gdbserver and the program.
 * Returns only after an error that it has printed: COMMAND_FAILED. */
int gdbserver_start_program(int argc, char **argv);

/* messages.c: reads gdbserver's messages once, and prints them with COMM in
 * place of the link; sets `ready` by them. Returns false at their end. */
bool gdbserver_read_messages(struct gdbserver *server);

/*
 * Functions with `void *arg` are those of filter_host
 * (gdbstub/filter/filter.h), and `arg` is the struct gdbserver.
 */

/* agents.c: as `attach`: tells the agent of a process that gdbserver is about
 * to attach to it. Warns when the markers there cannot be traced. */
void gdbserver_attach(void *arg, uint64_t pid);

/* agents.c: as `unserved`: events of LTTng-UST. Also tells it here, once for a
 * process. */
const char *gdbserver_unserved(void *arg, const struct filter_thread *thread,
			       const struct filter_marker *marker);

/* Returns true for a process that has LTTng's library. */
bool gdbserver_has_lttng(pid_t pid);

/* Returns the process of a thread that gdb looks at, if gdbserver debugs it;
 * else 0. */
pid_t gdbserver_process(const struct gdbserver *server,
			const struct filter_thread *thread);

/* Adds a process to the list of gdbserver's processes, once. One for which
 * there is no room is not cleaned up after. */
void gdbserver_remember(struct gdbserver *server, pid_t pid);

/* Updates the list of gdbserver's processes. Call it after each packet. */
void gdbserver_agents_follow(struct gdbserver *server);

/* As `idle`: when gdbserver debugs none of the processes in the list. */
int gdbserver_idle(void *arg);

/* Cleans up after processes that gdbserver does not debug any more, and takes
 * them out of the list. */
void gdbserver_agents_check(struct gdbserver *server);

/*
 * symbols.c: as `symbol`, `early`, `known`, `cell` and `relocate`. Call these
 * while the process is stopped. The words of gdbserver_early() last until the
 * next call; gdbserver_known() returns 1 when each address that gdbserver was
 * told holds in this process; a cell is struct ipa_cell (gdbstub/ipa/abi.h).
 */
int gdbserver_symbol(void *arg, const struct filter_thread *thread,
		     const char *name, uint64_t *address);
const char *gdbserver_early(void *arg, const struct filter_thread *thread);
int gdbserver_known(void *arg, const struct filter_thread *thread);
uint64_t gdbserver_cell(void *arg, const struct filter_thread *thread,
			uint64_t site);
uint32_t gdbserver_relocate(void *arg, const struct filter_thread *thread,
			    uint64_t from, uint64_t to);

/* Opens the memory of a process, for reads and writes. Returns a descriptor,
 * which the caller closes, or -1. */
int gdbserver_memory(pid_t pid);

/* limits.c: as `begin` and `said`. */
void gdbserver_begin(void *arg, const struct filter_thread *thread,
		     uint64_t bytes, int circular);
void gdbserver_said(void *arg, const struct filter_thread *thread,
		    struct filter_said *said);

/* relay.c: relays until gdbserver has ended, and sets `status`. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why. */
int gdbserver_relay(struct gdbserver *server);

#endif
