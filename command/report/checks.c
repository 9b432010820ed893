/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks for events and fields that the user asked for, and the traces do not
 * have.
 */
#include <stdio.h>
#include <string.h>

#include "command/report/private.h"

#define FIELDS_BYTES	1024

/* Calls a function for each class of events of all traces, until it is true. */
static bool any_class(const struct report *r,
		      bool (*found)(const struct trace_class *trace,
				    const struct event_class *event,
				    void *priv), void *priv)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(r->look.reader, &traces);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < traces[i]->nevents; k++)
			if (traces[i]->events[k] &&
			    found(traces[i], traces[i]->events[k], priv))
				return true;
	return false;
}

/* Names of fields, each once. */
struct names {
	const char *only;		/* of these events, or NULL */
	const char *wanted;		/* or NULL */
	bool found;			/* it is there */
	char text[FIELDS_BYTES];
	size_t n;
	bool more;
};

static void add_name(struct names *names, const char *name)
{
	size_t bytes = strlen(name);

	names->found |= names->wanted && !strcmp(names->wanted, name);
	for (const char *at = names->text; bytes && (at = strstr(at, name));
	     at += bytes)
		if ((at == names->text || at[-1] == ' ') &&
		    (!at[bytes] || at[bytes] == ','))
			return;
	if (names->n + bytes + 8 > sizeof(names->text)) {
		names->more = true;
		return;
	}
	names->n += (size_t)sprintf(names->text + names->n, "%s%s",
				    names->n ? ", " : "", name);
}

static void add_members(struct names *names, const struct field_class *class)
{
	for (size_t i = 0; class && i < class->nmembers; i++)
		if (class->members[i].name && !class->members[i].is_length)
			add_name(names, class->members[i].name);
}

static bool add_fields(const struct trace_class *trace,
		       const struct event_class *event, void *priv)
{
	struct names *names = priv;
	struct field_at at;

	if (names->only && !event_name_is(event->name, names->only))
		return false;
	add_members(names, event->fields);
	add_members(names, trace->context);
	/* also a member of a structure */
	names->found |= names->wanted &&
			field_at_find(&at, trace, event, names->wanted);
	return false;
}

/* Lists the fields, and those that all events have; returns whether the wanted
 * one is there. */
static bool list_fields(const struct report *r, struct names *names)
{
	any_class(r, add_fields, names);
	add_name(names, "cpu");
	add_name(names, "vpid");
	add_name(names, "procname");
	return names->found;
}

static int check_field(const struct report *r, const char *option,
		       const char *name)
{
	struct names names = { .wanted = name };

	if (list_fields(r, &names))
		return COMMAND_DONE;
	return command_failed("%s: no event has the field '%s'; there are: "
			      "%s%s", option, name, names.text,
			      names.more ? ", ..." : "");
}

int check_asked(const struct report *r)
{
	int ret = COMMAND_DONE;

	for (unsigned int i = 0; i < r->nrules && ret == COMMAND_DONE; i++)
		ret = look_check_events(&r->look, r->rules[i]);
	for (unsigned int i = 0; i < r->nfields && ret == COMMAND_DONE; i++)
		ret = check_field(r, "--field", r->fields[i]);
	if (r->by && ret == COMMAND_DONE)
		ret = check_field(r, "--by", r->by);
	return ret;
}

/* Says which fields the events of a side of a rule have, if all lack a key. */
static int check_side(const struct report *r, const struct pair_kind *kind,
		      const char *event, const char *const *keys)
{
	for (unsigned int i = 0; event && i < kind->nkeys; i++) {
		struct names names = { .only = event, .wanted = keys[i] };

		if (!list_fields(r, &names))
			return command_failed("--pair '%s': %s has no field "
					      "'%s'; it has: %s", kind->name,
					      event, keys[i], names.text);
	}
	return COMMAND_DONE;
}

int check_keys(const struct report *r)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(r->pairs, &kinds);
	int ret = COMMAND_DONE;

	for (size_t i = 0; i < n && kinds[i]->given && ret == COMMAND_DONE;
	     i++) {
		ret = check_side(r, kinds[i], kinds[i]->begin,
				 kinds[i]->begin_keys);
		if (ret == COMMAND_DONE)
			ret = check_side(r, kinds[i], kinds[i]->end,
					 kinds[i]->end_keys);
	}
	return ret;
}
