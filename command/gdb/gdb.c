/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdb: asks a process's agent to open the socket for gdb, and starts
 * stock gdb on it; or prints the command line for that, or accepts gdbs at a
 * port (listen.c).
 *
 * Invariant: gdb gets only commands that a user could type; what is printed is
 * what would be executed, but for the extension's last word.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/attach/attach.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/gdb/gdb.h"
#include "command/runtime/rundir.h"
#include "command/sandbox/child.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"

#define GDB_ARGUMENTS_MAX	256
#define GDB_EXTENSION		"taffrail-gdb.py"

struct gdb_options {
	pid_t pid;
	bool print;			/* start nothing */
	const char *address;		/* to listen at, or NULL */
};

static const struct option_row rows[] = {
	{ OPTION_PID(struct gdb_options, pid), "pid", "PID",
	  "start gdb on this process" },
	{ OPTION_FLAG(0, struct gdb_options, print), "print", NULL,
	  "print gdb's command line, start nothing" },
	{ OPTION_TEXT(0, struct gdb_options, address), "listen", "[HOST:]PORT",
	  "accept gdbs at a port of the loopback interface" },
	{ 0 }
};

/*
 * gdb's command line, and the memory of the words that are made for it.
 *
 * Invariant: argv is ended by NULL: it begins as zeros, and the last element is
 * never set.
 */
struct gdb_command {
	char socket[GDB_PATH_BYTES];
	char target[PATH_MAX + 64];
	char program[PATH_MAX];
	char extension[PATH_MAX + 16];
	char connected[48];
	const char *argv[GDB_ARGUMENTS_MAX];
	int argc;
};

/* Adds a word of gdb's command line; gdb_process() has seen that there is
 * room. */
static void add_word(struct gdb_command *gdb, const char *word)
{
	gdb->argv[gdb->argc++] = word;
}

const char *gdb_name(void)
{
	const char *name = getenv("GDB");

	return name && *name ? name : "gdb";
}

/* Prints a word, quoted for a shell unless it has only bytes that mean nothing
 * to one. */
static void put_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789@%+=:,./_-";

	if (*word && !word[strspn(word, plain)]) {
		printf("%s", word);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		if (*word == '\'')
			printf("'\\''");
		else
			putchar(*word);
	putchar('\'');
}

/* In a child: executes gdb, which asks nothing and says nothing. */
static void become_gdb(void *argv)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3; i++)
		dup2(null, i);
	execvp(*(char **)argv, argv);
}

/* Returns false when gdb's exit status says that gdb has no Python; true also
 * when that cannot be told. */
static bool has_python(void)
{
	char path[PATH_MAX], ask[] = "python import os; os._exit(42)";
	const char *argv[] = { gdb_name(), "-nx", "-batch", "-ex", ask, NULL };
	struct symboliser_module module;
	int status, error;

	/* most are linked to it; then gdb need not be asked */
	if (installed_program(path, sizeof(path), argv[0]) ||
	    (!symboliser_read(&module, path) &&
	     symboliser_needs(&module, "libpython")))
		return true;
	status = child_wait(child_execute(become_gdb, argv, true, &error));
	return status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

/*
 * Has the agent open the socket, and prints gdb's command line or becomes gdb:
 * `more` are the user's arguments for it. Returns the exit status, unless this
 * is gdb then.
 */
static int gdb_process(pid_t pid, bool print, char **more, int nmore)
{
	static struct gdb_command gdb;
	char path[PATH_MAX], root[32], *self;
	bool python;
	int status;
	ssize_t n;

	/* this adds ten words at most, and the NULL behind them */
	if (nmore > GDB_ARGUMENTS_MAX - 32)
		return command_misused("too many arguments for gdb");
	status = gdb_open_socket(gdb.socket, pid, print);
	if (status)
		return status;
	/* a printed command line may be for another gdb */
	python = !print && has_python();
	add_word(&gdb, gdb_name());
	if (!installed_find(path, sizeof(path), INSTALLED_DATA,
			    GDB_EXTENSION)) {
		snprintf(gdb.extension, sizeof(gdb.extension), "source %s",
			 path);
		add_word(&gdb, "-iex");
		add_word(&gdb, gdb.extension);
	}
	/* gdb reads the program's files through the socket, unless paths name
	 * the same files here: those are faster to read directly */
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, gdb.program, sizeof(gdb.program) - 1);
	gdb.program[n > 0 ? n : 0] = '\0';
	if (n > 0 && gdb_same_file(path, gdb.program) &&
	    gdb_same_file(root, "/")) {
		add_word(&gdb, "-iex");
		add_word(&gdb, "set sysroot /");
		add_word(&gdb, gdb.program);
	}
	/* before the commands among the user's arguments */
	snprintf(gdb.target, sizeof(gdb.target),
		 "target extended-remote %s", gdb.socket);
	add_word(&gdb, "-ex");
	add_word(&gdb, gdb.target);
	if (python && *gdb.extension) {
		/* says why, if gdb does not get the process */
		snprintf(gdb.connected, sizeof(gdb.connected),
			 "taffrail connected %d", pid);
		add_word(&gdb, "-ex");
		add_word(&gdb, gdb.connected);
	}
	for (int i = 0; i < nmore; i++)
		add_word(&gdb, more[i]);
	if (print) {
		for (int i = 0; i < gdb.argc; i++) {
			if (i)
				putchar(' ');
			put_word(gdb.argv[i]);
		}
		putchar('\n');
		return command_finish();
	}
	if (!python)
		command_warn("%s has no Python: it cannot load Taffrail's "
			     "extension, and its own strace may crash it"
			     COMMAND_SEE_DOCTOR, gdb.argv[0]);
	/* the extension's messages name the command that it belongs to */
	self = realpath("/proc/self/exe", NULL);
	if (self)
		setenv("TAFFRAIL_COMMAND", self, 1);
	free(self);
	/* gdb does not know them */
	opener_end();
	symboliser_end();
	execvp(gdb.argv[0], (char **)gdb.argv);
	return command_failed("cannot start %s: %s" COMMAND_SEE_DOCTOR,
			      gdb.argv[0], strerror(errno));
}

int gdb_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "-p PID [-- GDB-ARGUMENTS...]",
		.about = "Start gdb on a running program; load the agent first "
			 "if it has none.",
		.behind = "gdb",
	};
	struct gdb_options o = { 0 };
	struct rundir_process process;
	struct cause cause;
	int ret;

	if (!options_take(&options, &o, NULL))
		return options.status;
	if (!o.pid)
		return command_misused("no process given: add -p PID");
	if (o.address && (o.print || options.index < argc))
		return command_misused("--listen starts no gdb: leave out %s",
				       o.print ? "--print" : "gdb's arguments");
	/* an agent that is not there is loaded, one that is asleep is woken;
	 * the search that follows reports any other reason */
	ret = rundir_find(&process, o.pid, &cause);
	if (!ret)
		rundir_process_close(&process);
	if ((ret == -ENXIO || ret == -ECHILD) && attach_provide(o.pid, NULL))
		return COMMAND_FAILED;
	/* --listen serves any number of gdbs, and knows none of their words */
	if (o.address)
		return gdb_listen(o.address, o.pid);
	return gdb_process(o.pid, o.print, argv + options.index,
			   argc - options.index);
}
