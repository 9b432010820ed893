/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: stock gdbserver with static tracepoints. gdbserver.h
 * describes the parts.
 *
 * Invariant: the command line is gdbserver's, and so is the exit status.
 */
#include "command/gdbserver/gdbserver.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/elf/process-markers.h"
#include "gdbstub/wire/packet.h"
#include "tracepoints/fields/fields.h"

static bool marker_find(const struct marker *m, const struct marker_list *list)
{
	size_t i = 0;

	while (i < list->count && (list->markers[i].address != m->address ||
				   strcmp(list->markers[i].id, m->id)))
		i++;
	return i < list->count;
}

/* filter_host's `read`: the markers in the files of the thread's process. */
static uint32_t read_markers(void *arg, const struct filter_thread *thread)
{
	struct gdbserver *server = arg;
	pid_t pid = gdbserver_process(server, thread);

	marker_list_free(&server->markers);
	marker_list_free(&server->events);
	if (pid && !process_markers_read(&server->markers, pid, 0, NULL))
		marker_list_sort(&server->markers);
	if (pid && gdbserver_has_lttng(pid)) {
		struct marker_list *events = &server->events;
		size_t kept = 0;

		/* events of LTTng-UST, which only the second list has; one
		 * whose provider is in another file has no address of its
		 * own */
		process_markers_read(events, pid, SYMBOLISER_LTTNG, NULL);
		for (size_t i = 0; i < events->count; i++)
			if (marker_find(&events->markers[i],
					&server->markers) ||
			    events->markers[i].why)
				marker_free(&events->markers[i]);
			else
				events->markers[kept++] = events->markers[i];
		events->count = kept;
		marker_list_sort(events);
	}
	return (uint32_t)(server->markers.count + server->events.count);
}

/* filter_host's `get`. The strings last until the next call, or the next
 * read_markers(). A marker that was moved has no place for a tracepoint. */
static void get_marker(void *arg, uint32_t i, struct filter_marker *to)
{
	static char extra[MARKER_EXTRA_BYTES];
	const struct gdbserver *server = arg;
	const struct marker *m = server->markers.markers + i;
	bool served = i < server->markers.count;
	struct text text;

	if (!served)
		m = server->events.markers + (i - server->markers.count);
	text_open(&text, extra, sizeof(extra));
	fields_signature_add(&text, m->text, m->kind == MARKER_EVENT ?
			     TAFFRAIL_KIND_EVENT : TAFFRAIL_KIND_MARK,
			     m->nfields, m->types);
	if (!served)
		text_add(&text, ", LTTng-UST's: not through gdbserver");
	*to = (struct filter_marker){
		.address = m->address,
		.id = m->id,
		.extra = extra,
		.moved = served && m->placement == PLACED_NOT &&
			 !strcmp(m->why, MARKER_MOVED),
		.unserved = !served,
	};
}

/* Returns true for the -p of other sub-commands and of gdb: gdbserver has no
 * such option, and would not say which one attaches. */
static bool is_pid_option(const char *word)
{
	return !strncmp(word, "-p", 2) ||
	       !strncmp(word, "--pid", strlen("--pid"));
}

/* Says which option attaches. Returns COMMAND_USAGE. */
static int misused_pid_option(const char *word)
{
	return command_misused("gdbserver has no option '%s': it attaches to a "
			       "process by --attach COMM PID, as in: taffrail "
			       "gdbserver --attach :2345 PID; gdb needs no "
			       "gdbserver on this machine: taffrail gdb -p PID",
			       word);
}

/*
 * Splits the command line into options, COMM and the program, as gdbserver
 * does: an option's value is part of the word, but for --wrapper, whose words
 * go up to "--". Unknown options are gdbserver's to refuse. Returns
 * COMMAND_DONE, or COMMAND_USAGE after printing why.
 */
static int parse_option(struct gdbserver_options *o, char **argv)
{
	bool multi = false;
	pid_t pid;
	int i = 1;

	o->options = argv + 1;
	while (argv[i] && argv[i][0] == '-' && argv[i][1]) {
		const char *word = argv[i++];

		if (!strcmp(word, "--wrapper")) {
			o->wrapped = true;
			while (argv[i] && strcmp(argv[i], "--"))
				i++;
			i += argv[i] != NULL;
		} else if (!strcmp(word, "--once")) {
			o->once = true;
		} else if (!strcmp(word, "--attach")) {
			o->attach = true;
		} else if (!strcmp(word, "--multi")) {
			multi = true;
		} else if (!strcmp(word, "--no-startup-with-shell")) {
			o->no_shell = true;
		} else if (is_pid_option(word)) {
			return misused_pid_option(word);
		}
	}
	o->noptions = i - 1;
	o->comm = argv[i];
	o->program = argv + i + (o->comm != NULL);
	if (!o->comm)
		return command_misused("no address for gdb: give "
				       "HOST:PORT, a serial device or -");
	if (o->program[0] && is_pid_option(o->program[0]))
		return misused_pid_option(o->program[0]);
	if (!o->program[0] && o->attach)
		return command_misused("no process given: add PID");
	if (!o->program[0] && !multi)
		return command_misused("no program given behind '%s': add "
				       "PROG, or --multi to let gdb run one",
				       o->comm);
	if (o->attach && command_parse_pid(&pid, o->program[0]))
		return command_misused_pid(o->program[0], "give one of them");
	return COMMAND_DONE;
}

/* filter_host's `warn`. */
static void host_warn(void *arg, const char *text)
{
	command_warn("%s", text);
}

/* Starts gdbserver, and relays until it has ended. Returns the exit status, or
 * ends by the signal that has ended gdbserver. */
static int serve_gdb(struct gdbserver *server)
{
	const struct filter_host host = {
		server, read_markers, get_marker, gdbserver_attach,
		gdbserver_symbol, gdbserver_early, gdbserver_known,
		gdbserver_cell, gdbserver_relocate, gdbserver_begin,
		gdbserver_said, gdbserver_idle, host_warn, gdbserver_unserved,
	};
	const struct rlimit none = { 0, 0 };
	struct gdbserver_options *o = &server->options;
	sigset_t set;
	pid_t pid;
	int number;

	if (comm_open(&server->comm, o->comm))
		return COMMAND_FAILED;
	/* by standard input and output the program has none of its own; a
	 * wrapper of the user's does as the user wants */
	server->restores = !o->wrapped && !o->no_shell && !o->attach &&
			  server->comm.kind != COMM_STDIO;
	server->by_port = server->comm.kind == COMM_TCP;
	if (o->attach && o->program[0] &&
	    !command_parse_pid(&pid, o->program[0])) {
		gdbserver_attach(server, (uint64_t)pid);
		/* gdbserver may end before a gdb connects */
		gdbserver_remember(server, pid);
	} else if (o->no_shell && !o->wrapped)
		command_warn("gdbserver without a shell preloads no agent: "
			     "link the program with the agent");
	filter_open(&server->filter, &host);
	if (gdbserver_start(server) || gdbserver_relay(server)) {
		gdbserver_agents_check(server);
		return COMMAND_FAILED;
	}
	if (WIFEXITED(server->status))
		return WEXITSTATUS(server->status);
	/* ends by the same signal, without a second core dump */
	number = WTERMSIG(server->status);
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + number;
}

/* --start is a mode of our own. --help is ours, too; gdbserver answers the
 * other options that only print something. */
int gdbserver_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ 256, "once", NULL, "end when the first gdb disconnects" },
		{ 257, "multi", NULL, "start without a program; gdb runs one" },
		{ 258, "attach", NULL, "serve the running process PID" },
		{ 0 }
	};
	static char word[] = "gdbserver", wanted[] = "--help";
	char *help[] = { word, wanted, NULL };
	struct options options = {
		.argc = 2, .argv = help, .rows = rows,
		.shape = "COMM [PROG [ARGS...]]\n"
			 "taffrail gdbserver [OPTIONS] --attach COMM PID",
		.about = "Start gdbserver so that gdb has static tracepoints "
			 "at the program's markers.\nCOMM is HOST:PORT, a "
			 "serial device, or - for standard input and output.\n"
			 "Every option of gdbserver is accepted; some of them:",
	};
	struct gdbserver *server;
	int status;

	if (argc > 1 && !strcmp(argv[1], GDBSERVER_START))
		return gdbserver_start_program(argc - 1, argv + 1);
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return options_next(&options), options.status;
	/* some scripts look for the words of gdbserver's */
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		execvp("gdbserver", argv);
		return command_failed("cannot start gdbserver: %s",
				      strerror(errno));
	}
	command_name("gdbserver");
	/* some 9 MB: other sub-commands have none */
	server = command_need(calloc(1, sizeof(*server)));
	status = parse_option(&server->options, argv);
	if (!status)
		status = serve_gdb(server);
	free(server);
	return status;
}
