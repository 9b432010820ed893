/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A request for libtaffrail-probe.so in a process, and the answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "command/load/libraries.h"
#include "control/request.h"

#define PROBE_LIBRARY	"libtaffrail-probe.so"

/* Divides the answer of the process into lines and text. */
static int divide_answer(struct load_answer *answer, struct attach_answer *from)
{
	char *text = strstr(from->text, REQUEST_TEXT_LINE);

	answer->status = from->status;
	answer->facts = from->text;
	if (!text)
		return -EPROTO;
	*text = '\0';
	answer->text = text + strlen(REQUEST_TEXT_LINE);
	return 0;
}

static int tell_error(pid_t pid, const struct load_answer *answer)
{
	const char *error = text_after(answer->facts, "error=");

	if (!error)
		return COMMAND_DONE;
	return command_failed("process %d: %.*s", pid,
			      (int)strcspn(error, "\n"), error);
}

int load_ask(pid_t pid, bool load, struct client_request *request,
	     struct load_answer *answer)
{
	struct attach_report report = { 0 };
	struct attach_answer got = { 0 };
	int ret;

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
	else if (divide_answer(answer, &got))
		ret = command_failed("process %d has answered nothing: it has "
				     "no memory", pid);
	else
		ret = tell_error(pid, answer);
	client_request_release(request);
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

void load_add_words(struct client_request *request, char **words)
{
	for (; *words; words++)
		client_request_add(request, "word", "%s", *words);
}
