/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of commands (control/request.h). A thread that lives for one request
 * runs it.
 *
 * Invariants:
 *  - one request runs at a time: the lists of libraries and connections have no
 *    other lock;
 *  - the code of a library may end the thread, or never return. The cleanup
 *    buffer of request_run() releases the lock, and other requests give up
 *    after WAIT_SECONDS.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/floats-x86_64.h"
#include "callbacks/private.h"
#include "control/request.h"
#include "tracepoints/conditions/rule-split.h"

#define PUBLIC		__attribute__((visibility("default")))
#define WORDS_MAX	64
#define WAIT_SECONDS	5

/* The values of a request, in memory of their own. */
struct wanted {
	char doing[LINE_KEY_BYTES];
	char path[LINE_VALUE_BYTES];
	char print[LINE_VALUE_BYTES];
	char rule[LINE_VALUE_BYTES];
	char function[ENTRY_NAME_BYTES];
	int enable;
	char bytes[REQUEST_BYTES_MAX];
	const char *words[WORDS_MAX];
	int nwords;
};

/* Reads the lines of a request. Values are copied, because the request's memory
 * belongs to the command's thread. Returns 0, or -E2BIG. Unknown keys are for
 * later versions. */
static int wanted_read(struct wanted *wanted, const char *text)
{
	const struct {
		const char *key;
		char *to;
		size_t room;
	} values[] = {
		{ "do", wanted->doing, sizeof(wanted->doing) },
		{ "path", wanted->path, sizeof(wanted->path) },
		{ "print", wanted->print, sizeof(wanted->print) },
		{ "rule", wanted->rule, sizeof(wanted->rule) },
		{ "function", wanted->function, sizeof(wanted->function) },
	};
	struct line line;
	size_t used = 0;

	while (line_next(&text, &line)) {
		size_t n = strlen(line.value) + 1;

		if (line.cut)
			return -E2BIG;
		if (!strcmp(line.key, "function") &&
		    n > sizeof(wanted->function))
			return -E2BIG;
		for (uint32_t i = 0; i < ARRAY_SIZE(values); i++)
			if (!strcmp(line.key, values[i].key))
				text_copy(values[i].to, values[i].room,
					  line.value);
		wanted->enable |= !strcmp(line.key, "enable");
		if (strcmp(line.key, "word"))
			continue;
		if (wanted->nwords == WORDS_MAX)
			return -E2BIG;
		memcpy(wanted->bytes + used, line.value, n);
		wanted->words[wanted->nwords++] = wanted->bytes + used;
		used += n;
	}
	rule_unify(wanted->rule);
	return 0;
}

/* Calls the function that the request names. Returns the status, with
 * call->error and the reason where it is not the library's. */
static int request_do(struct taffrail_call *call, const struct wanted *w)
{
	const struct taffrail_probe_item_ *item;
	struct library *library;

	if (taffrail_probe_unavailable())
		return call_fail(call, -ENODEV, "its agent is not at work: %s; "
				 "see taffrail attach",
				 taffrail_probe_unavailable());
	if (!strcmp(w->doing, "load"))
		return library_load(call, w->path, w->print);
	if (!strcmp(w->doing, "unload")) {
		library = library_find(call, w->path);
		if (!library || connection_end_library(call, library))
			return call->error;
		return library_unload(call, library);
	}
	if (!strcmp(w->doing, "print")) {
		library = library_find(call, w->path);
		if (library)
			library_print(call, library);
		return library ? 0 : call->error;
	}
	if (!strcmp(w->doing, "connect"))
		return connection_make(call, w->rule, w->function, w->enable);
	if (!strcmp(w->doing, "disconnect"))
		return connection_end(call, w->rule, w->function);
	if (!strcmp(w->doing, "enable"))
		return connection_enable(call, w->rule);
	if (!strcmp(w->doing, "disable"))
		return connection_disable(call, w->rule);
	if (!strcmp(w->doing, "call")) {
		item = library_item(call, w->function,
				    TAFFRAIL_PROBE_ITEM_CALL_, &library);
		return item ? item->call_(call) : call->error;
	}
	return call_fail(call, -ENOSYS, "unknown request");
}

/* The library's code has ended the thread. */
static void timed_lock_left(void *unused)
{
	fork_leave();
	timed_lock_release();
}

/* Runs a request while no other runs. The cleanup buffer releases the lock if
 * the library's code ends the thread by pthread_exit(). */
static void request_run(struct request *request, struct taffrail_call *call)
{
	struct wanted *wanted = calloc(1, sizeof(*wanted));
	struct cleanup buffer;
	struct floats floats;

	if (!wanted) {
		request->status = call_fail(call, -ENOMEM, "no memory");
		return;
	}
	if (wanted_read(wanted, request->text)) {
		request->status = call_fail(call, -E2BIG, "too long: a value "
					    "has at most %d characters, a name "
					    "%d, and there are at most %d "
					    "words", LINE_VALUE_BYTES - 1,
					    ENTRY_NAME_BYTES - 1, WORDS_MAX);
	} else if (timed_lock_take(WAIT_SECONDS)) {
		request->status = call_fail(call, -EBUSY, "another request "
					    "runs, and has not ended for %d "
					    "seconds", WAIT_SECONDS);
	} else {
		call->words = wanted->words;
		call->nwords = wanted->nwords;
		_pthread_cleanup_push(&buffer, timed_lock_left, NULL);
		/* a constructor runs it in a thread of the program, too */
		floats_begin(&floats);
		request->status = request_do(call, wanted);
		floats_end(&floats);
		if (call->missed)
			call_add(call, "missed=%llu\n",
				 (unsigned long long)call->missed);
		_pthread_cleanup_pop(&buffer, 0);
		timed_lock_release();
	}
	free(wanted);
}

int request_take(struct taffrail_call *call, const char *text, size_t n)
{
	struct request *request = calloc(1, sizeof(*request));
	int ret;

	if (n >= REQUEST_BYTES_MAX || !request) {
		free(request);
		return call_fail(call, -E2BIG, request ? "too long" :
							 "no memory");
	}
	memcpy(request->text, text, n);
	request_run(request, call);
	ret = request->status;
	free(request);
	return ret;
}

PUBLIC const char *taffrail_probe_request_1(struct request *request);
PUBLIC const char *taffrail_probe_request_1(struct request *request)
{
	struct taffrail_call call = { .nwords = 0 };
	char *answer, *end;

	if (request->over) {
		free((void *)request->answer);
		return NULL;
	}
	handlers_adopt();
	/* a request without text: the library has just been loaded */
	if (!*request->text)
		return NULL;
	request_run(request, &call);
	/* the lines and the text, in one piece of memory */
	answer = malloc(call.nfacts + call.used + 128);
	if (answer) {
		end = stpcpy(answer, call.facts);
		if (call.cut)
			end = stpcpy(end, "cut=1\n");
		end = stpcpy(end, REQUEST_TEXT_LINE);
		if (call.used)
			end = stpcpy(end, call.text);
		request->answer = (uint64_t)answer;
		request->answer_bytes = (uint64_t)(end - answer);
	} else {
		request->status = -ENOMEM;
	}
	free(call.text);
	return NULL;
}
