/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of `taffrail gdbserver` share.
 *
 *	gdb --- COMM ---> relay + gdbstub/filter --- link ---> gdbserver
 *
 * The link is gdbserver's own standard input and output, one socket that
 * nobody else can reach; or, where COMM is a port, another one, of the
 * loopback interface, so that gdbs may come one after another.
 *
 * What must stay true: what users and scripts read is what gdbserver prints,
 * of COMM and not of the link; the program gets the standard descriptors that
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

/* gdbserver, as the user wants it. */
struct gdbserver_options {
	char **options;			/* before COMM */
	int noptions;
	const char *comm;
	char **program;			/* behind it, ended by NULL */
	bool once;
	bool attach;
	bool wrapped;			/* by the user */
	bool no_shell;			/* which would run a wrapper */
};

/* The agent that gdbserver knows: symbols.c. */
struct gdbserver_agent {
	uint64_t place;			/* of one of its variables */
	uint64_t heap, pads, far;	/* values of others */
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
	bool ready;			/* to take a gdb */
	int reserved;			/* holds that port, or -1 */
	uint16_t port;
	int link;			/* -1: none now */
	int messages;			/* its standard error, or -1 */
	uint32_t nline;
	char line[512];			/* what may become one of ours */
	struct marker_list markers;
	struct filter_thread thread;	/* that gdb looked at last */
	int nprocesses;
	pid_t processes[GDBSERVER_PROCESSES];
	struct gdbserver_agent agent;
	struct filter filter;
};

/* child.c: start it. COMMAND_DONE, or COMMAND_FAILED after saying
 * why. */
int gdbserver_start(struct gdbserver *server);

/* taffrail gdbserver --start ...: between gdbserver and the program. */
int gdbserver_start_program(int argc, char **argv);

/* messages.c: read what it prints, print it as it should be. False
 * at its end. */
bool gdbserver_read_messages(struct gdbserver *server);

/*
 * agents.c. Before gdbserver attaches to a process; warns when its
 * markers cannot be traced.
 */
void gdbserver_attach(pid_t pid);
/*
 * The process of a thread that gdb looks at, if it is
 * gdbserver's; else 0.
 */
pid_t gdbserver_process(const struct gdbserver *server,
			const struct filter_thread *thread);
/* Call when a packet has passed: keeps account of gdbserver's processes. */
void gdbserver_agents_follow(struct gdbserver *server);
/* Does it debug none of those that it has debugged? */
bool gdbserver_is_idle(const struct gdbserver *server);
/* Sees to those that it does not debug any more. */
void gdbserver_agents_check(struct gdbserver *server);

/*
 * symbols.c. What gdbserver is told of an agent's variable; false
 * where there is none. It is looked for when the process stands still.
 */
bool gdbserver_symbol(struct gdbserver *server,
		      const struct filter_thread *thread, const char *name,
		      uint64_t *address);
/* Returns NULL, or why this process has no agent that is set up: it has not got
 * that far, or the agent is off. The words last until the next call. */
const char *gdbserver_agent_early(struct gdbserver *server,
			   const struct filter_thread *thread);
/* Is all that it was told true in this process? */
bool gdbserver_agent_known(struct gdbserver *server,
			   const struct filter_thread *thread);
/* Where the agent has a cell (gdbstub/ipa/abi.h) for a site; 0: nowhere. */
uint64_t gdbserver_cell(struct gdbserver *server,
			const struct filter_thread *thread, uint64_t site);
/* Moves the code of a cell, or a marker's jump or test, as filter.h has it: its
 * bytes, or 0. */
uint32_t gdbserver_relocate(struct gdbserver *server,
			    const struct filter_thread *thread, uint64_t from,
			    uint64_t to);

/* limits.c: as filter_host's `begin` and `said` (filter.h). */
void gdbserver_limits_set(struct gdbserver *server,
			  const struct filter_thread *thread, uint64_t bytes,
			  int circular);
void gdbserver_limits_get(struct gdbserver *server,
			  const struct filter_thread *thread,
			  struct filter_said *said);

/* relay.c: until gdbserver has ended. COMMAND_DONE or
 * COMMAND_FAILED. */
int gdbserver_relay(struct gdbserver *server);

#endif
