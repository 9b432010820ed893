/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks requests and answers. See protocol-private.h.
 *
 * Invariant: nothing that came from the other side is used before it was
 * checked here: no count as an index, and no text as one that ends.
 */
#include "command/symboliser/protocol-private.h"

#include <string.h>

#include "tracepoints/usdt/plan/plan.h"

/* Returns whether a text ends in its room. */
static bool has_end(const char *text, size_t room)
{
	return memchr(text, '\0', room);
}

bool symboliser_request_valid(const struct symboliser_request *request,
			      size_t n, bool file)
{
	if (n < REQUEST_HEAD || !request->ms ||
	    file != (request->what != ASK_CXX) ||
	    request->more >= (request->what == ASK_SPOTS ?
				      SYMBOLISER_FILES_MAX :
			      request->what == ASK_MARKERS ? 2 : 1))
		return false;
	n -= REQUEST_HEAD;
	switch (request->what) {
	case ASK_MODULE:
	case ASK_LIBRARY:
		return !n && !request->count;
	case ASK_MARKERS:
		return !n && request->count <=
				     (SYMBOLISER_PLAN | SYMBOLISER_LOADED |
				      SYMBOLISER_LTTNG | SYMBOLISER_FUNCTIONS |
				      SYMBOLISER_LIBC | SYMBOLISER_HANDLES |
				      SYMBOLISER_APART);
	case ASK_NAMES:
	case ASK_LINES:
		if (!request->count ||
		    request->count > SYMBOLISER_ADDRESSES_MAX ||
		    n != request->count * sizeof(uint64_t))
			return false;
		for (uint32_t i = 1; i < request->count; i++)
			if (request->addresses[i] <= request->addresses[i - 1])
				return false;
		return true;
	case ASK_ADDRESS:
	case ASK_CXX:
		return request->count &&
		       request->count <= SYMBOLISER_LINKER_BYTES &&
		       n == request->count && has_end(request->name, n);
	case ASK_SPOTS:
		return request->count &&
		       request->count <= SYMBOLISER_WORDS_BYTES &&
		       n == request->count && !request->words[n - 1];
	default:
		return false;
	}
}

bool symboliser_more_valid(const struct symboliser_more *more, size_t n)
{
	return n == sizeof(*more) && more->kind > FILE_OWN &&
	       more->kind < FILE_KINDS &&
	       has_end(more->name, sizeof(more->name));
}

/* Returns whether an item of an answer is one to the request: texts end, and
 * numbers are in their bounds. */
static bool item_valid(const struct symboliser_answer *answer, uint32_t i)
{
	const struct symboliser_module *module = &answer->module;
	const char *end = module->needed + sizeof(module->needed);

	switch (answer->what) {
	case ASK_MODULE:
		return module->nsegments <= SYMBOLISER_SEGMENTS_MAX &&
		       module->id_bytes <= SYMBOLISER_ID_BYTES &&
		       has_end(module->soname, sizeof(module->soname)) &&
		       has_end(module->interpreter,
			       sizeof(module->interpreter)) &&
		       has_end(module->debug_file,
			       sizeof(module->debug_file)) &&
		       has_end(module->alternate,
			       sizeof(module->alternate)) &&
		       module->alternate_bytes <= SYMBOLISER_ID_BYTES &&
		       !end[-1] && !end[-2];
	case ASK_NAMES:
		return has_end(answer->symbols[i].name,
			       SYMBOLISER_NAME_BYTES) &&
		       (!answer->symbols[i].rank || *answer->symbols[i].name);
	case ASK_LINES:
		return answer->frames[i].address < SYMBOLISER_ADDRESSES_MAX &&
		       has_end(answer->frames[i].file, SYMBOLISER_PATH_BYTES) &&
		       has_end(answer->frames[i].function,
				SYMBOLISER_NAME_BYTES);
	case ASK_ADDRESS:
		return true;
	case ASK_LIBRARY:
		return answer->unfit < UNFIT_END;
	default:
		return has_end(answer->text.text, SYMBOLISER_CXX_BYTES) &&
		       answer->text.length >= strlen(answer->text.text);
	}
}

bool symboliser_answer_valid(const struct symboliser_answer *answer, size_t n,
			     uint32_t what)
{
	static const size_t item_bytes[ASK_END] = {
		[ASK_MODULE] = sizeof(struct symboliser_module),
		[ASK_NAMES] = sizeof(struct symboliser_symbol),
		[ASK_LINES] = sizeof(struct symboliser_frame),
		[ASK_ADDRESS] = sizeof(uint64_t),
		[ASK_CXX] = sizeof(struct symboliser_text),
		[ASK_MARKERS] = 1,
		[ASK_LIBRARY] = sizeof(uint64_t),
		[ASK_SPOTS] = 1,
	};
	bool bytes = what == ASK_MARKERS || what == ASK_SPOTS;
	bool one = !bytes && what != ASK_NAMES && what != ASK_LINES;

	if (n < ANSWER_HEAD || answer->what != what || answer->last > 1)
		return false;
	if (answer->error)
		return answer->error < 0 && answer->last && !answer->count &&
		       n == ANSWER_HEAD;
	if (what >= ASK_END ||
	    answer->count > (bytes ? SYMBOLISER_BYTES_MAX :
				     SYMBOLISER_ITEMS_MAX) ||
	    (one && (answer->count != 1 || !answer->last)) ||
	    /* few answers: each may be waited for */
	    (bytes && !answer->last && answer->count != SYMBOLISER_BYTES_MAX) ||
	    n != ANSWER_HEAD + answer->count * item_bytes[what])
		return false;
	for (uint32_t i = 0; !bytes && i < answer->count; i++)
		if (!item_valid(answer, i))
			return false;
	return true;
}

bool symboliser_verdict_read(struct symboliser_verdict *verdict,
			     const char *stream, size_t n)
{
	if (n < sizeof(*verdict))
		return false;
	memcpy(verdict, stream, sizeof(*verdict));
	return verdict->error <= 0 &&
	       has_end(verdict->text, sizeof(verdict->text)) &&
	       (!verdict->error || n == sizeof(*verdict));
}

size_t symboliser_record_read(struct symboliser_found *found,
			      const char *stream, size_t n)
{
	struct symboliser_record record;
	const char *at = stream + sizeof(record), *end;

	if (n < sizeof(record))
		return 0;
	memcpy(&record, stream, sizeof(record));
	n -= sizeof(record);
	if (record.string_bytes > n ||
	    record.shown_bytes > n - record.string_bytes ||
	    record.marker.kind > MARKER_USDT || record.marker.tested > 1 ||
	    record.marker.function > SYMBOLISER_EXPORTED ||
	    record.marker.former > 1 ||
	    record.marker.placement > PLACED_NOT ||
	    record.marker.why >= WHY_USDT + USDT_REASONS ||
	    record.marker.nfields > TAFFRAIL_FIELDS_MAX)
		return 0;
	end = at + record.string_bytes;
	found->marker = record.marker;
	for (int i = 0; i < 4; i++) {
		found->strings[i] = at;
		at = memchr(at, '\0', (size_t)(end - at));
		if (!at++)
			return 0;
	}
	found->shown = end;
	found->shown_bytes = record.shown_bytes;
	return at == end ? sizeof(record) + record.string_bytes +
				   record.shown_bytes : 0;
}
