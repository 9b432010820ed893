/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers as the command lists them. See markers.h.
 */
#include "command/elf/markers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoints/fields/fields.h"

/* The strings of one record of MESSAGE_LIST, in their order. */
enum {
	LIST_ADDRESS, LIST_KIND, LIST_ENABLED, LIST_LINE, LIST_TYPES,
	LIST_CHANNEL, LIST_NAME, LIST_TEXT, LIST_FILE, LIST_STRINGS
};

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
	if (!m->text || !m->file) {
		free(m->id);
		free(m->text);
		free(m->file);
		return -ENOMEM;
	}
	list->count++;
	return 0;
}

void marker_list_free(struct marker_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->markers[i].id);
		free(list->markers[i].text);
		free(list->markers[i].file);
	}
	free(list->markers);
	*list = (struct marker_list){ 0 };
}

static int compare(const void *left, const void *right)
{
	const struct marker *a = left, *b = right;
	int order = strcmp(a->id, b->id);

	if (order)
		return order;
	return a->address < b->address ? -1 : a->address > b->address;
}

void marker_list_sort(struct marker_list *list)
{
	if (list->count)
		qsort(list->markers, list->count, sizeof(struct marker),
		      compare);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Parses two hex digits a field. Returns 0 or -EBADMSG. */
static int parse_types(struct marker *marker, const char *text)
{
	marker->nfields = 0;
	for (; *text; text += 2) {
		int high = hex_digit(text[0]);
		int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || marker->nfields == TAFFRAIL_FIELDS_MAX)
			return -EBADMSG;
		marker->types[marker->nfields++] = high << 4 | low;
	}
	return 0;
}

static const char *refusal(int error)
{
	return error == -EAGAIN ? "off: a thread blocks SIGTRAP" :
	       error == -EBUSY	? "off: another program's code is there" :
	       error == -EPERM	? "off: the program ignores SIGTRAP" :
				  "off: it cannot be written";
}

static enum marker_placement placement_of(const char *kind)
{
	return !strcmp(kind, "usdt")	    ? PLACED_BYTE :
	       !strcmp(kind, "usdt-jump")   ? PLACED_JUMP :
	       !strcmp(kind, "usdt-merged") ? PLACED_MERGED :
	       !strcmp(kind, "usdt-int3")   ? PLACED_INT3 :
					      PLACED_UNSAID;
}

static int parse_record(struct marker_list *list,
			const char *strings[LIST_STRINGS])
{
	struct marker m = { 0 };

	m.address = strtoull(strings[LIST_ADDRESS], NULL, 16);
	m.enabled = !strcmp(strings[LIST_ENABLED], "1");
	if (strings[LIST_ENABLED][0] == '-')
		m.why = refusal(atoi(strings[LIST_ENABLED]));
	m.placement = placement_of(strings[LIST_KIND]);
	m.line = strtoul(strings[LIST_LINE], NULL, 10);
	m.kind = !strcmp(strings[LIST_KIND], "event") ? MARKER_EVENT :
		 m.placement ? MARKER_USDT :
			       MARKER_MARK;
	if (parse_types(&m, strings[LIST_TYPES]))
		return -EBADMSG;
	return marker_list_add(list, &m, strings[LIST_CHANNEL],
			       strings[LIST_NAME], strings[LIST_TEXT],
			       strings[LIST_FILE]);
}

int marker_list_parse(struct marker_list *list, const char *answer,
		      size_t bytes)
{
	const char *strings[LIST_STRINGS], *p = answer;
	const char *end = p + bytes;
	int ret = 0, n = 0;

	while (!ret && p < end) {
		/* the NUL after the payload ends the last string */
		strings[n] = p;
		p += strlen(p) + 1;
		if (++n < LIST_STRINGS)
			continue;
		ret = parse_record(list, strings);
		n = 0;
	}
	return ret ? ret : n || p > end ? -EBADMSG : 0;
}

void marker_each_field(const struct marker *marker,
		       void (*call)(const char *name, const char *type,
				    void *priv), void *priv)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	struct text text;
	char words[32];

	if (marker->kind == MARKER_USDT)
		for (int i = 0; i < marker->nfields; i++)
			snprintf(names[i].name, sizeof(names[i].name), "arg%d",
				 i + 1);
	else if (fields_parse(marker->text, marker->kind == MARKER_EVENT ?
			      TAFFRAIL_KIND_EVENT : TAFFRAIL_KIND_MARK,
			      marker->nfields, names))
		return;
	for (int i = 0; i < marker->nfields; i++) {
		text_open(&text, words, sizeof(words));
		field_type_add(&text, marker->types[i]);
		call(names[i].name, words, priv);
	}
}
