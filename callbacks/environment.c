/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries that a program has from the start. The environment has the
 * requests (control/request.h, REQUEST_ENV), which `taffrail record --probe`
 * has made. They are run before the constructors of the program, and the
 * recorder's file gets a line with the result of each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callbacks/private.h"
#include "control/protocol.h"
#include "control/request.h"
#include "tracepoints/conditions/rule-split.h"

#define REPORT_BYTES	1024

/* The requests, and where this walk through them is. */
struct requests {
	const char *rest;
	const char *text;		/* of the next request */
	size_t bytes;
	int number;
	char report[PROTOCOL_DIR_BYTES + 128];	/* "": nothing is told */
};

/* Returns the begin of the next line. */
static const char *line_end(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* Finds the next request. Returns false when there is none. */
static bool requests_next(struct requests *requests)
{
	const char *p = requests->rest;

	for (; *p && strncmp(p, "do=", 3); p = line_end(p)) {
		const char *file = strncmp(p, "report=", 7) ? NULL : p + 7;
		size_t n = file ? strcspn(file, "\n") : 0;

		if (!file || n >= sizeof(requests->report))
			continue;
		memcpy(requests->report, file, n);
		requests->report[n] = '\0';
		requests->number = -1;
	}
	requests->text = p;
	if (*p)
		p = line_end(p);
	while (*p && strncmp(p, "do=", 3) && strncmp(p, "report=", 7))
		p = line_end(p);
	requests->rest = p;
	requests->bytes = (size_t)(p - requests->text);
	requests->number++;
	return requests->bytes > 0;
}

/* Opens the recorder's file: one of this user's that has room. */
static int report_open(const char *path)
{
	int fd = *path ? open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC |
				    O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= PROTOCOL_OFF_BYTES_MAX)
		return fd;
	close(fd);
	return -1;
}

/* Appends one line to the recorder's file, unless the file has it: several
 * processes report the same request. A line is one write, so lines of processes
 * do not mix. */
static void report_write(const struct requests *requests, char state,
			 const char *why)
{
	char line[REPORT_BYTES];
	int fd = report_open(requests->report);
	ssize_t bytes;
	bool has;
	char *text;
	int n;

	if (fd < 0)
		return;
	if (state == REQUEST_FAILED)
		n = snprintf(line, sizeof(line), REQUEST_REPORT "%d\t%c\t%s: "
			     "%.*s", requests->number, state,
			     program_invocation_name, (int)strcspn(why, "\n"),
			     why);
	else
		n = snprintf(line, sizeof(line), REQUEST_REPORT "%d\t%c\t",
			     requests->number, state);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	while (n-- > 0)
		if (line[n] == '\n')
			line[n] = ' ';
	strcat(line, "\n");
	text = malloc(PROTOCOL_OFF_BYTES_MAX + 1);
	bytes = text ? pread(fd, text, PROTOCOL_OFF_BYTES_MAX, 0) : -1;
	if (bytes > 0)
		text[bytes] = '\0';
	has = bytes > 0 && strstr(text, line);
	free(text);
	if (!has)
		n = (int)write(fd, line, strlen(line));
	close(fd);
}

/* Checks that the program lets libraries be loaded, as command/load/ask.c
 * does for a running program. Returns 0, or a negative errno after call_fail().
 */
static int loads_allowed(struct taffrail_call *call)
{
	const char *load = getenv("TAFFRAIL_LOAD");

	if (load && !strcmp(load, "on"))
		return 0;
	if (load && *load)
		return call_fail(call, -EPERM, "it allows no libraries: "
				 "TAFFRAIL_LOAD is '%s' in its environment",
				 load);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return call_fail(call, -EPERM, "it is in a sandbox "
				 "(no_new_privs): start it with "
				 "TAFFRAIL_LOAD=on to allow libraries");
	return 0;
}

/* A copy, because the program may clear or overwrite the environment. */
static char *taken;

/* Runs before the constructors of the program, after those of this library
 * (SETUP_PRIORITY). */
__attribute__((constructor)) static void environment_take(void)
{
	const char *text = secure_getenv(REQUEST_ENV);
	struct requests requests = { .number = -1 };

	if (!text || !*text || taffrail_probe_unavailable())
		return;
	taken = strdup(text);
	requests.rest = taken;
	while (requests.rest && requests_next(&requests)) {
		struct taffrail_call call = { .nwords = 0 };
		const char *markers;
		int ret = loads_allowed(&call);

		/* reports the state: failed, done, or done and markers call
		 * the library */
		if (!ret)
			ret = request_take(&call, requests.text,
					   requests.bytes);
		markers = strstr(call.facts, "markers=");
		if (ret == -ECANCELED && call.used)
			report_write(&requests, REQUEST_FAILED, call.text);
		else if (ret)
			report_write(&requests, REQUEST_FAILED,
				     text_after(call.facts, "error=") ?:
									"failed");
		else
			report_write(&requests,
				     markers && atoi(markers + 8) > 0 ?
					     REQUEST_CALLED :
					     REQUEST_DONE,
				     "");
		free(call.text);
	}
}

/* Finds the value of a key in the current request only, not in later ones. */
static bool value_find(const struct requests *requests, const char *key,
		       char *value, size_t room)
{
	char text[REQUEST_BYTES_MAX];

	if (requests->bytes >= sizeof(text))
		return false;
	memcpy(text, requests->text, requests->bytes);
	text[requests->bytes] = '\0';
	return line_find(text, key, value, room);
}

/* At the end, markers of libraries that came later are known. A seccomp filter
 * of the program's may kill it for opening a file. */
__attribute__((destructor)) static void environment_end(void)
{
	struct requests requests = { .rest = taken, .number = -1 };
	char function[ENTRY_NAME_BYTES], rule[LINE_VALUE_BYTES];

	if (!taken || taffrail_probe_unavailable() ||
	    load_relaxed(callback_host.confined) || timed_lock_take(0))
		return;
	while (requests_next(&requests)) {
		if (!value_find(&requests, "rule", rule, sizeof(rule)) ||
		    !value_find(&requests, "function", function,
				sizeof(function)))
			continue;
		rule_unify(rule);
		if (connection_markers(rule, function))
			report_write(&requests, REQUEST_CALLED, "");
	}
	timed_lock_release();
}
