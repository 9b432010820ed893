/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of `taffrail status` about callbacks. They are written in the
 * service thread, with the registry's lock held, so this file calls no libc.
 */
#include "base/base.h"
#include "base/text.h"
#include "probes/private.h"

struct connection *connection_list;

static void line_describe(struct text *out, const char *state,
			  const uint64_t numbers[3], const char *name,
			  const char *rule, const char *condition)
{
	int i;

	text_add(out, "callback=");
	text_add(out, state);
	for (i = 0; i < 3; i++) {
		text_add_char(out, '\t');
		text_add_unsigned(out, numbers[i]);
	}
	text_add_char(out, '\t');
	text_add(out, name);
	text_add_char(out, '\t');
	text_add(out, rule);
	text_add(out, *condition ? " if " : "");
	text_add(out, condition);
	text_add_char(out, '\n');
}

void entries_describe(struct text *out)
{
	const struct entry *entry;

	for (entry = load_acquire(&entry_list, ENTRY_LIST); entry;
	     entry = entry->next) {
		const uint64_t numbers[3] = {
			load_relaxed(&entry->markers),
			load_relaxed(&entry->nested),
			load_relaxed(&entry->signal),
		};

		if (!load_relaxed(&entry->dead))
			line_describe(out, "enabled", numbers, entry->name,
				      entry->rule.glob, entry->rule.condition);
	}
}

void connections_describe(struct text *out)
{
	static const uint64_t none[3];
	const struct connection *connection =
		load_acquire(&connection_list, CONNECTION_LIST);

	for (; connection;
	     connection = load_acquire(&connection->next, CONNECTION_LIST))
		if (!load_relaxed(&connection->enabled))
			line_describe(out, "connected", none, connection->name,
				      connection->rule, "");
}
