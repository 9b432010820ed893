/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries in running processes (docs/probe-libraries.md): shared by the
 * sub-commands load, unload, connect, disconnect, call, and by enable and
 * disable of callbacks.
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

struct load_copy {
	int tmp;			/* the process's /tmp, or -1 */
	int made;			/* our directory there, or -1 */
	char directory[64];		/* the copy's name; "": not made */
	char name[NAME_MAX + 1];
};

/* Copies a library to a place that a process sees, and gives the path there.
 * Returns 0, then the caller calls load_copy_remove(); or a negative errno. */
int load_copy_make(struct load_copy *copy, pid_t pid, const char *file,
		   char path[PATH_MAX]);
void load_copy_remove(struct load_copy *copy);

/* Returns true when the process has mapped a file with this text in the path.
 */
bool load_has_file(pid_t pid, const char *text);

/* The answer of a process. */
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

/* Returns a number of the answer, or 0. */
long load_number(const struct load_answer *answer, const char *key);

/* Says how many hits the callbacks that a request has ended had missed, if they
 * had. */
void load_tell_missed(pid_t pid, const struct load_answer *answer);

/* The operands of connect and disconnect. */
struct load_wish {
	pid_t pid;
	const char *rule;
	const char *function;
	char **words;		/* behind these, up to a NULL */
	bool enable;
};

/* Gives the file of a library: a word without a slash may name one that comes
 * with Taffrail; the path is then in `path`. */
const char *load_file_of(const char *word, char path[PATH_MAX]);

/*
 * Load a library that load_check_file() has checked, and give its name; `print`
 * is NULL or a file for the counts (control/request.h); connect a callback;
 * unload a library (with `tell`, saying which events callbacks missed). The
 * process is checked, and has an agent at work. Return COMMAND_DONE, or
 * COMMAND_FAILED after printing why.
 */
int load_library(pid_t pid, const char *file, const char *print, char *name,
		 size_t room);
int load_connect(const struct load_wish *wish, uint64_t *markers);
int load_unload(pid_t pid, const char *file, bool tell);

/* Calls the function `print` of a library, for the last time. *text is NULL if
 * there is nothing; else the caller frees it. Returns as those above. */
int load_print(pid_t pid, const char *file, char **text);

/* Adds the request that load_connect() sends. */
void load_add_connect(struct client_request *request,
		      const struct load_wish *wish);

/* Adds operands as words for a library's function. */
void load_add_words(struct client_request *request, char **words);

/*
 * Enables or disables the connections that a rule selects, in one process or
 * (0) in each that has some. Returns a status of enum command_exit.
 */
int load_enable(pid_t pid, const char *rule, bool enable);

#endif
