/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks for events and fields that the user asked for, and the traces do not
 * have.
 *
 * Invariant: a check prints at most one message, for the first that is missing,
 * and a field's message lists the fields that there are.
 */
#include <stdio.h>
#include <string.h>

#include "command/report/private.h"

/* Room for the fields that a message lists; of more, it says "...". */
#define FIELDS_BYTES	1024

/* The names of fields, each once, and whether the wanted one is there. A name
 * that has no room is left out, and sets `more`. */
struct names {
	const char *only;		/* of these events, or NULL */
	const char *wanted;		/* or NULL */
	bool found;			/* it is there */
	char text[FIELDS_BYTES];
	size_t n;
	bool more;
};

/* Adds a name to the text unless it is there. The text ends in a NUL, with ", "
 * between two names. */
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

/* Adds the members of a structure, but not the lengths of its sequences, for
 * which no option may ask. A class may be NULL. */
static void add_members(struct names *names, const struct field_class *class)
{
	for (size_t i = 0; class && i < class->nmembers; i++)
		if (class->members[i].name && !class->members[i].is_length)
			add_name(names, class->members[i].name);
}

/* Lists the fields, and those that all events have; returns whether the wanted
 * one is there. */
static bool list_fields(const struct report *r, struct names *names)
{
	struct look_walk walk = { 0 };
	struct field_at at;

	while (look_next_class(&r->look, &walk)) {
		if (names->only &&
		    !event_name_is(walk.class->name, names->only))
			continue;
		add_members(names, walk.class->fields);
		add_members(names, walk.trace->context);
		/* also a member of a structure */
		names->found |= names->wanted &&
				field_at_find(&at, walk.trace, walk.class,
					      names->wanted);
	}
	add_name(names, "cpu");
	add_name(names, "vpid");
	add_name(names, "procname");
	return names->found;
}

/* Checks that an event of any trace has the field of an option. Returns
 * COMMAND_DONE, or COMMAND_FAILED after it printed which fields there are. */
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
	for (unsigned int i = 0; i < r->nkeys && ret == COMMAND_DONE; i++)
		ret = check_field(r, "--by", r->keys[i]);
	return ret;
}

int check_keys(const struct report *r)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(r->pairs, &kinds);

	/* the keys of the begin, and then of the end, of each rule */
	for (size_t i = 0; i < 2 * n && kinds[i / 2]->given; i++) {
		const struct pair_kind *kind = kinds[i / 2];
		const char *event = i % 2 ? kind->end : kind->begin;

		for (unsigned int k = 0; event && k < kind->nkeys; k++) {
			const char *key = i % 2 ? kind->end_keys[k] :
						  kind->begin_keys[k];
			struct names names = { .only = event, .wanted = key };

			if (!list_fields(r, &names))
				return command_failed("--pair '%s': %s has no "
						      "field '%s'; it has: %s",
						      kind->name, event, key,
						      names.text);
		}
	}
	return COMMAND_DONE;
}
