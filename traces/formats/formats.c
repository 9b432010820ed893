/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The formats of an export, and which events it has.
 *
 * Invariant: a class is in x->classes from before begin() until end() has freed
 * it, so a failure at any place leaks nothing. An event goes to the format that
 * the export was opened with.
 */
#include "traces/formats/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "traces/formats/private.h"

/* The `priv` of an event's class. */
struct export_class {
	struct export_class *next;
	_Alignas(16) char own[];	/* of the format */
};

/* All formats. export_format_of() takes their names. */
static const struct export_format *const formats[] = {
	&export_json, &export_csv, &export_perfetto, &export_sqlite,
	&export_folded,
};

const struct export_format *export_format_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, word))
			return formats[i];
	return NULL;
}

int export_open(struct exporter *x)
{
	int ret;

	x->classes = NULL;
	x->events = 0;
	x->moved_days = 0;
	x->own = NULL;
	ret = x->format->open(x);
	/* the reason of the failure, not that of closing what is half open */
	if (ret && x->own) {
		char why[sizeof(x->why)];

		memcpy(why, x->why, sizeof(why));
		x->format->close(x, false);
		memcpy(x->why, why, sizeof(why));
	}
	return ret;
}

int export_put(struct exporter *x, const struct trace_event *event)
{
	struct export_class *class = event->class->priv;

	if (!class) {
		class = calloc(1, sizeof(*class) + x->format->class_bytes);
		if (!class) {
			export_failed(x, -ENOMEM, "out of memory");
			return -EIO;
		}
		/* first, as end() frees what a failed begin() leaves */
		class->next = x->classes;
		x->classes = class;
		if (x->format->begin &&
		    x->format->begin(x, event, class->own))
			return -EIO;
		((struct event_class *)event->class)->priv = class;
	}
	x->events++;
	return x->format->put(x, event, class->own);
}

int export_loss(struct exporter *x, const struct trace_loss *loss)
{
	return x->format->loss ? x->format->loss(x, loss) : 0;
}

int export_close(struct exporter *x, bool keep)
{
	int ret = x->format->close(x, keep);

	while (x->classes) {
		struct export_class *next = x->classes->next;

		if (x->format->end)
			x->format->end(x->classes->own);
		free(x->classes);
		x->classes = next;
	}
	return ret;
}
