/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers as the command lists them. See markers.h.
 *
 * Invariant: an agent's answer is input. A record that makes no sense ends the
 * list with an error, and nothing of the record is in the list.
 */
#include "base/demangle.h"
#include "command/elf/markers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/sites/registry.h"


static const char hex_digits[] = "0123456789abcdef";

/* The strings of one record of MESSAGE_LIST, in their order. */
enum {
	LIST_ADDRESS, LIST_KIND, LIST_ENABLED, LIST_LINE, LIST_TYPES,
	LIST_CHANNEL, LIST_NAME, LIST_TEXT, LIST_FILE, LIST_STRINGS
};

void marker_free(struct marker *m)
{
	free(m->id);
	free(m->text);
	free(m->file);
	free(m->module);
	free(m->shown);
}

int marker_list_add(struct marker_list *list, const struct marker *model,
		    const char *channel, const char *name, const char *text,
		    const char *file)
{
	struct marker *more, *m;

	more = reallocarray(list->markers, list->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->markers = more;
	m = &more[list->count];
	*m = *model;
	if (asprintf(&m->id, "%s/%s", channel, name) < 0)
		return -ENOMEM;
	m->text = strdup(text);
	m->file = strdup(file);
	m->module = model->module ? strdup(model->module) : NULL;
	m->shown = model->shown_bytes ? malloc(model->shown_bytes) : NULL;
	if (!m->text || !m->file || (model->module && !m->module) ||
	    (model->shown_bytes && !m->shown)) {
		marker_free(m);
		return -ENOMEM;
	}
	if (m->shown)
		memcpy(m->shown, model->shown, model->shown_bytes);
	list->count++;
	return 0;
}

void marker_list_free(struct marker_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		marker_free(&list->markers[i]);
	free(list->markers);
	*list = (struct marker_list){ 0 };
}

static int compare_markers(const void *left, const void *right)
{
	const struct marker *a = left, *b = right;
	int order = strcmp(a->id, b->id);

	if (order)
		return order;
	return a->address < b->address ? -1 : a->address > b->address;
}

const char *marker_shown(const char *id)
{
	static struct demangle work;
	static char shown[DEMANGLE_NAME + 16];
	size_t n = strcspn(id, "%"), channel = strlen("fn/");

	/* with room for "%return" */
	if (strncmp(id, "fn/", channel) || strlen(id + n) > 8 ||
	    !demangle(&work, id + channel, n - channel, shown + channel,
		      sizeof(shown) - 16))
		return id;
	memcpy(shown, id, channel);
	return strcat(shown, id + n);
}

void marker_list_sort(struct marker_list *list)
{
	if (list->count)
		qsort(list->markers, list->count, sizeof(struct marker),
		      compare_markers);
}

size_t marker_list_unplaced(const struct marker_list *list, const char **why)
{
	size_t n = 0;

	for (size_t i = list->count; i-- > 0;)
		if (list->markers[i].kind != MARKER_USDT &&
		    list->markers[i].placement == PLACED_NOT) {
			*why = list->markers[i].why;
			n++;
		}
	return n;
}

/* Returns the value of two hex digits, or -1. */
static int hex_byte(const char *text)
{
	int value = 0;

	for (int i = 0; i < 2; i++) {
		const char *at = text[i] ? strchr(hex_digits, text[i]) : NULL;

		if (!at)
			return -1;
		value = value << 4 | (int)(at - hex_digits);
	}
	return value;
}

const char *marker_refusal(int error)
{
	switch (-error) {
#define LEFT_OUT(number, words)	case number: return MARKER_OFF words;
#include "tracepoints/lttng/left-out.def"
#undef LEFT_OUT
	}
	return error == -EAGAIN ? "off: a thread blocks SIGTRAP" :
	       error == -EBUSY	? "off: another program's code is there" :
	       error == -EADDRINUSE ? "off: the agent's own code is there" :
	       error == -EPERM	? "off: the program ignores SIGTRAP" :
	       error == -EFAULT ? "off: an instruction there may fault, "
				  "and the program handles SIGSEGV or SIGBUS" :
	       error == -ECANCELED ? "off: an instruction there may fault, "
				  "and the program has a filter, or has its "
				  "system calls dispatched" :
				  "off: it cannot be written";
}

/* Adds the marker that the strings of an answer tell of. Returns 0 or a
 * negative errno. */
static int marker_parse(struct marker_list *list,
			const char *const strings[LIST_STRINGS])
{
	const char *kind = strings[LIST_KIND], *file = strings[LIST_FILE];
	const char *p = strings[LIST_TYPES];
	char module[MODULE_PATH_BYTES];
	struct marker m = { 0 };
	int byte, ret = 0;

	m.address = strtoull(strings[LIST_ADDRESS], NULL, 16);
	m.enabled = !strcmp(strings[LIST_ENABLED], "1");
	if (strings[LIST_ENABLED][0] == '-')
		m.why = marker_refusal(atoi(strings[LIST_ENABLED]));
	m.function = !strncmp(kind, "function", 8);
	m.spot = !strncmp(kind, "line", 4);
	m.placement = !strcmp(kind, "usdt")	   ? PLACED_BYTE :
		      !strcmp(kind, "usdt-jump")   ? PLACED_JUMP :
		      m.function || m.spot	   ?
			      (strstr(kind, "-3")   ? PLACED_INT3 :
			       strstr(kind, "-pun") ? PLACED_PUNNED :
						      PLACED_JUMP) :
		      !strcmp(kind, "usdt-merged") ? PLACED_MERGED :
		      !strcmp(kind, "usdt-int3")   ? PLACED_INT3 :
						     PLACED_UNSAID;
	m.line = strtoul(strings[LIST_LINE], NULL, 10);
	m.kind = m.spot ? (strstr(kind, "mark") ? MARKER_MARK : MARKER_EVENT) :
		 !strcmp(kind, "event") ? MARKER_EVENT :
		 m.placement		? MARKER_USDT : MARKER_MARK;
	if (!m.why && !strcmp(kind, "function-1"))
		m.why = MARKER_EXITS;
	if (m.function) {
		/* "MODULE" or "MODULE/FILE" */
		snprintf(module, sizeof(module), "%.*s",
			 (int)strcspn(file, "/"), file);
		file += strcspn(file, "/");
		file += *file == '/';
		m.module = *module ? module : NULL;
	}
	/* two hex digits a field; behind a colon, those of `shown` */
	m.shown = malloc(strlen(p) / 2 + 1);
	if (!m.shown)
		return -ENOMEM;
	for (; !ret && *p && *p != ':'; p += 2) {
		byte = hex_byte(p);
		if (byte < 0 || m.nfields == TAFFRAIL_FIELDS_MAX)
			ret = -EBADMSG;
		else
			m.types[m.nfields++] = byte;
	}
	for (p += !ret && *p; !ret && *p; p += 2) {
		byte = hex_byte(p);
		m.shown[m.shown_bytes++] = (char)byte;
		if (byte < 0)
			ret = -EBADMSG;
	}
	if (!ret)
		ret = marker_list_add(list, &m, strings[LIST_CHANNEL],
				      strings[LIST_NAME], strings[LIST_TEXT],
				      file);
	free(m.shown);
	return ret;
}

int marker_list_parse(struct marker_list *list, const char *answer,
		      size_t bytes)
{
	const char *strings[LIST_STRINGS], *next = answer;
	const char *end = answer + bytes;
	int n = 0, ret = 0;

	while (!ret && next < end) {
		/* the NUL after the payload ends the last string */
		strings[n] = next;
		next += strlen(next) + 1;
		if (++n < LIST_STRINGS)
			continue;
		n = 0;
		ret = marker_parse(list, strings);
	}
	return ret ? ret : n || next > end ? -EBADMSG : 0;
}

static struct shown_bytes shown_of(const struct marker *marker)
{
	return (struct shown_bytes){ marker->shown,
				     marker->shown + marker->shown_bytes };
}

/* Returns the word for how a field is shown: "enum", "hex"; "" for none. */
static const char *word_of(int how)
{
	static const char words[][11] = {
		[TAFFRAIL_HOW_ENUM] = "enum", [TAFFRAIL_HOW_HEX] = "hex",
		[TAFFRAIL_HOW_OCT] = "oct", [TAFFRAIL_HOW_BOOL] = "bool",
		[TAFFRAIL_HOW_CHAR] = "char", [TAFFRAIL_HOW_ERRNO] = "errno",
		[TAFFRAIL_HOW_VARIANT] = "variant",
		[TAFFRAIL_HOW_SYMBOL] = "symbol",
		[TAFFRAIL_HOW_BIN] = "bin",
		[TAFFRAIL_HOW_BIG_ENDIAN] = "big-endian",
		[TAFFRAIL_HOW_CHARS] = "text",
		[TAFFRAIL_HOW_RANGES] = "enum",
		[TAFFRAIL_HOW_DURATION_NS] = "ns",
		[TAFFRAIL_HOW_DURATION_US] = "us",
		[TAFFRAIL_HOW_DURATION_MS] = "ms",
		[TAFFRAIL_HOW_DURATION_S] = "s",
		[TAFFRAIL_HOW_TIME_NS] = "time, ns",
		[TAFFRAIL_HOW_TIME_US] = "time, us",
		[TAFFRAIL_HOW_TIME_MS] = "time, ms",
		[TAFFRAIL_HOW_TIME_S] = "time, s",
	};

	return (size_t)how < ARRAY_SIZE(words) ? words[how] : "";
}

const char *marker_level(const struct marker *marker)
{
	struct shown_bytes shown = shown_of(marker);
	int level = shown_level(&shown);

	return level < 0 ? "" : level_word(level);
}

void marker_each_field(const struct marker *marker,
		       void (*call)(const struct marker_field *field,
				    void *priv), void *priv)
{
	struct shown_bytes shown = shown_of(marker);
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	struct shown_bytes rest;
	struct shown_field next;
	struct marker_field field;
	struct text text, how;
	char words[32], hows[64];
	uint8_t types[TAFFRAIL_FIELDS_MAX] = { 0 };
	int n;

	if (marker->kind == MARKER_USDT && !marker->function)
		for (int i = 0; i < marker->nfields; i++)
			snprintf(names[i].name, sizeof(names[i].name), "arg%d",
				 i + 1);
	else if (fields_parse(marker->text, marker->kind == MARKER_EVENT ||
					      marker->function ?
			      TAFFRAIL_KIND_EVENT : TAFFRAIL_KIND_MARK,
			      marker->nfields, names))
		return;
	memcpy(types, marker->types, (size_t)marker->nfields);
	n = (int)shown_unwritten(&shown, names, types,
				 (uint32_t)marker->nfields);
	for (int i = 0; i < n; i++) {
		text_open(&text, words, sizeof(words));
		field_type_add(&text, types[i]);
		text_open(&how, hows, sizeof(hows));
		field = (struct marker_field){
			.name = names[i].name, .type = words, .how = hows,
			.is_signed = true, .unwritten = i >= marker->nfields };
		for (rest = shown; shown_find(&next, &rest, (uint32_t)i);
		     rest.p = next.names.end) {
			if (next.how == TAFFRAIL_HOW_COUNT) {
				snprintf(words + strcspn(words, "]"), 8, "%u]",
					 shown_count(&shown, (uint32_t)i,
						     types[i]));
				continue;
			}
			text_add(&how, *hows && *word_of(next.how) ? ", " : "");
			text_add(&how, word_of(next.how));
			if (next.count)
				field.shown = next;
			if (next.how == TAFFRAIL_HOW_RANGES)
				field.is_signed = types[i] != TAFFRAIL_T_U64;
		}
		call(&field, priv);
	}
}

const char *placement_text(enum marker_placement placement)
{
	static const char *const texts[] = {
		[PLACED_UNSAID] = "",
		[PLACED_BYTE] = "byte",
		[PLACED_JUMP] = "jump",
		[PLACED_MERGED] = "merged",
		[PLACED_EITHER] = "byte or jump",
		[PLACED_INT3] = "int3",
		[PLACED_BYTE_OR_INT3] = "byte or int3",
		[PLACED_PUNNED] = "punned",
		[PLACED_NOT] = "not",
	};

	return texts[placement];
}
