/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A request for libtaffrail-probe.so in a process, and the answer; and whether
 * the program wants libraries to be loaded. The kernel decides about the user's
 * right, as for `taffrail attach`.
 *
 * Invariant: a request is released by load_ask(), whatever the result, so that
 * a caller which fails has nothing to free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "command/load/libraries.h"
#include "command/procfs/process.h"
#include "control/request.h"

#define PROBE_LIBRARY	"libtaffrail-probe.so"

/*
 * Returns true when a part of a file of /proc/PID has the text; parts end with
 * `end`. With a value of `room` bytes the text begins the part, and the rest of
 * the part is copied there, as far as there is room.
 */
static bool part_find(pid_t pid, const char *file, int end, const char *text,
		      char *value, size_t room)
{
	char path[32], *part = NULL;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "re");
	while (f && !found && getdelim(&part, &size, end, f) > 0) {
		const char *at = strstr(part, text);

		found = at && (!value || at == part);
		if (found && value)
			snprintf(value, room, "%s", at + strlen(text));
	}
	free(part);
	if (f)
		fclose(f);
	return found;
}

bool load_has_file(pid_t pid, const char *text)
{
	return part_find(pid, "maps", '\n', text, NULL, 0);
}

int load_check_process(pid_t pid)
{
	char value[16] = "";

	part_find(pid, "environ", '\0', "TAFFRAIL_LOAD=", value, sizeof(value));
	if (!strcmp(value, "on"))
		return COMMAND_DONE;
	if (*value)
		return command_failed("process %d allows no libraries: "
				      "TAFFRAIL_LOAD is '%s' in its "
				      "environment", pid, value);
	if (process_status(pid, "NoNewPrivs") == 1)
		return command_failed("process %d is in a sandbox "
				      "(no_new_privs): start it with "
				      "TAFFRAIL_LOAD=on to allow libraries", pid);
	return COMMAND_DONE;
}

/* A request that cannot be sent is refused before the process is touched. */
int load_ask(pid_t pid, bool load, struct client_request *request,
	     struct load_answer *answer)
{
	struct attach_report report = { 0 };
	struct attach_answer got = { 0 };
	const char *error;
	int ret = COMMAND_DONE;
	char *text;

	*answer = (struct load_answer){ 0 };
	if (request->failed == -EINVAL)
		ret = command_failed("a word with a newline cannot be sent");
	else if (request->failed)
		ret = command_failed("out of memory");
	else if (request->bytes >= REQUEST_BYTES_MAX)
		ret = command_failed("too many words: a request has at most "
				     "%u characters", REQUEST_BYTES_MAX);
	/* a request brings the library, also where nothing is to be undone */
	else if (!load_has_file(pid, "/" PROBE_LIBRARY) &&
		 load_check_process(pid))
		ret = COMMAND_FAILED;
	else if (cause_check_files(LIMITS_FILES))
		ret = COMMAND_FAILED;
	else if (attach_request(pid, load, request->text, &got, &report))
		ret = cause_tell(&report.cause);
	client_request_release(request);
	if (ret)
		return ret;
	answer->status = got.status;
	answer->facts = got.text;
	/* lines, then text */
	text = strstr(got.text, REQUEST_TEXT_LINE);
	if (!text) {
		ret = command_failed("process %d has answered nothing: it has "
				     "no memory", pid);
	} else {
		*text = '\0';
		answer->text = text + strlen(REQUEST_TEXT_LINE);
		error = text_after(answer->facts, "error=");
		if (error)
			ret = command_failed("process %d: %.*s", pid,
					     (int)strcspn(error, "\n"), error);
	}
	if (ret)
		load_answer_free(answer);
	return ret;
}

void load_answer_free(struct load_answer *answer)
{
	free(answer->facts);
	answer->facts = NULL;
}

long load_number(const struct load_answer *answer, const char *key)
{
	char value[LINE_VALUE_BYTES];

	return line_find(answer->facts, key, value, sizeof(value)) ?
		       strtol(value, NULL, 10) : 0;
}

void load_tell_missed(pid_t pid, const struct load_answer *answer)
{
	long missed = load_number(answer, "missed");

	if (missed > 0)
		command_warn("process %d: callbacks missed %s, in callbacks or "
			     "in signal handlers", pid,
			     counted((uint64_t)missed, "hit"));
}
