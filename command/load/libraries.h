/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries in running processes (docs/probe-libraries.md): shared by the
 * sub-commands load, unload, connect, disconnect, call, and by enable and
 * disable of callbacks.
 *
 * Invariant: the process decides (TAFFRAIL_LOAD, a sandbox), and the kernel by
 * the user's right: a command asks load_check_process() before it brings
 * libtaffrail-probe.so into a process.
 */
#ifndef COMMAND_LOAD_LIBRARIES_H
#define COMMAND_LOAD_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "command/agents/client.h"

/* The session of callbacks, for `taffrail enable`. */
#define LOAD_SESSION	"callbacks"

/*
 * Checks that a file is a probe library, without loading it. Returns 0, or a
 * negative errno after printing why not.
 */
int load_check_file(const char *path);

/* Checks that the process's environment and sandbox allow libraries. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why not. */
int load_check_process(pid_t pid);

/* Returns true when the process has mapped a file with this text in the path;
 * false also when the mappings cannot be read. */
bool load_has_file(pid_t pid, const char *text);

/* The answer of a process. `facts` is one allocation, which `text` points into
 * as well. */
struct load_answer {
	int status;		/* 0, negative, or the function's own */
	char *facts;		/* lines "key=value" */
	const char *text;	/* the output of the library's function */
};

/*
 * Sends a request (control/request.h) to a process, which has an agent at work;
 * only with `load` to one that may have no library yet. Releases the request.
 * Returns COMMAND_DONE and the answer, which the caller frees with
 * load_answer_free(); or COMMAND_FAILED after printing why the process has not
 * done it.
 */
int load_ask(pid_t pid, bool load, struct client_request *request,
	     struct load_answer *answer);
void load_answer_free(struct load_answer *answer);

/* Returns the number behind "KEY=" in the facts, or 0. */
long load_number(const struct load_answer *answer, const char *key);

/* Says how many hits the callbacks that a request has ended had missed, if they
 * had; the counts are gone with them. */
void load_tell_missed(pid_t pid, const struct load_answer *answer);

/* The operands of connect and disconnect. The words belong to the caller. */
struct load_wish {
	pid_t pid;
	const char *rule;
	const char *function;
	char **words;		/* behind these, up to a NULL */
	bool enable;
};

/* Returns the file of a library: `word`, or `path`, which then has the path of
 * a library that comes with Taffrail: a word without a slash may name one. */
const char *load_file_of(const char *word, char path[PATH_MAX]);

/*
 * Load a library that load_check_file() has checked, and give its name; `print`
 * is NULL or a file for the counts (control/request.h); connect a callback;
 * unload a library (with `tell`, saying which events callbacks missed). The
 * process is checked, and has an agent at work. Return COMMAND_DONE, or
 * COMMAND_FAILED after printing why. load_connect() sets *markers to the number
 * of markers that call the function then.
 */
int load_library(pid_t pid, const char *file, const char *print, char *name,
		 size_t room);
int load_connect(const struct load_wish *wish, uint64_t *markers);
int load_unload(pid_t pid, const char *file, bool tell);

/* Calls the function `print` of a library, for the last time. *text is NULL if
 * there is nothing; else the caller frees it. Returns as those above. */
int load_print(pid_t pid, const char *file, char **text);

/* Adds the request that load_connect() sends. An error stays in the request. */
void load_add_connect(struct client_request *request,
		      const struct load_wish *wish);

/*
 * Enables or disables the connections that a rule selects, in one process or
 * (0) in each that has some. Returns a status of enum command_exit.
 */
int load_enable(pid_t pid, const char *rule, bool enable);

#endif
