/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a recording.
 *
 * Invariant: the strings are those of the command line, or live until the
 * command ends; nothing frees them.
 */
#ifndef COMMAND_RECORD_OPTIONS_H
#define COMMAND_RECORD_OPTIONS_H

#include "command/agents/rule.h"
#include "command/common/command.h"

struct client_request;
struct load_wish;

#define RECORD_RULES_MAX	256
#define RECORD_PROVIDERS_MAX	8
#define RECORD_PROBES_MAX	8
#define RECORD_CONNECTS_MAX	64

struct record_options {
	const char *output;
	const char *rules[RECORD_RULES_MAX];
	int nrules;
	struct rule_calls calls;
	const char *providers[RECORD_PROVIDERS_MAX];
	int nproviders;
	const char *probes[RECORD_PROBES_MAX];	/* probe libraries */
	int nprobes;
	struct load_wish *connects;	/* of RECORD_CONNECTS_MAX */
	int nconnects;
	const char *context;
	const char *level;		/* a condition */
	const char *from;		/* a file of LTTng's sessions */
	bool less;			/* than is in it */
	bool overwrite;
	enum buffers buffers;
	bool shared;			/* the buffers, by all processes */
	bool force;			/* an `output` that is there is moved */
	bool int3;
	bool fail_on_loss;
	bool fail_if_none;
	bool strict;
	bool yes;			/* for very many functions */
	uint64_t keep;			/* milliseconds; 0: not given */
	uint64_t buffer;
	uint64_t max_size;		/* of the directory, 0: no limit */
	uint32_t group;			/* of --allow-group; 0: none */
	double seconds;			/* 0: until the end */
	struct command_pids pids;	/* none: run `program` */
	char **program;
	bool bare;			/* no word stands before `program` */
};

/* Reads the command line. Returns COMMAND_DONE; -1 after printing help; else an
 * exit status, after printing why. */
int record_take_arguments(struct record_options *o, int argc, char **argv);

/* Takes the value of --connect. Returns a status of enum command_exit, after
 * printing why it is not COMMAND_DONE. */
int record_take_connect(struct record_options *o, const char *word);

/* Checks the probe libraries, and replaces their words by paths. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why. */
int record_check_probes(struct record_options *o);

/* Prints that an option of record stands behind the program, and so went to the
 * program, if no word stands before the program and the option is hardly the
 * program's. Call it when the program has ended: then a directory of -o that
 * does not exist is no file that the program has made. */
void record_tell_stray(const struct record_options *o);

/* Makes the request that begins the session of this name; the caller releases
 * the request. */
void record_request(const struct record_options *o, const char *name,
		    struct client_request *request);

#endif
