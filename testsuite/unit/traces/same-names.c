/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of one name: kinds of pairs are told apart by the module, the file
 * or the address.
 */
#include <stdio.h>
#include <string.h>

#include "testsuite/unit/unit.h"
#include "traces/pairs/pairs.h"

static const struct field_class frame = {
	.kind = FIELD_INTEGER, .bytes = 8, .base = 16, .name = "cfa",
};

static const struct field_class fields = {
	.kind = FIELD_STRUCT, .members = &frame, .nmembers = 1,
};

static const struct row {
	const char *places[3];
	const char *names;
} rows[] = {
	{ { "prog/a.c+0x10", "prog/b.c+0x20", "prog/b.c+0x20" },
	  "fn:a.c:f fn:b.c:f " },
	{ { "prog/a.c+0x10", "prog/a.c+0x30", "prog/a.c+0x10" },
	  "fn:f@0x10 fn:f@0x30 " },
	{ { "prog+0x10", "lib++.so+0x10", "prog+0x10" },
	  "fn:prog/f fn:lib++.so/f " },
	{ { "prog/a.c+0x10", "lib.so/a.c+0x10", "prog/a.c+0x10" },
	  "fn:prog/f fn:lib.so/f " },
	{ { "prog/a.c+0x10", "prog/b.c+0x20", "lib.so+0x10" },
	  "fn:prog/a.c:f fn:prog/b.c:f fn:lib.so/f " },
	{ { "prog/a.c+0x10", "prog+0x20", "prog/a.c+0x30" },
	  "fn:a.c:f@0x10 fn:f fn:a.c:f@0x30 " },
	{ { "prog/a.c+0x10", NULL, NULL }, "fn:prog/f fn:f " },
	/* no agent writes these */
	{ { "prog", "prog/", "" }, "fn:prog/f fn:prog/f fn:/f " },
	{ { "prog+0x10", "prog+0x10", "prog+0x10" }, "fn:f " },
};

/* Compares the names of the kinds that the traces of a row have. */
static void check_row(const struct row *row)
{
	struct event_class event[3][2];
	struct event_class *tables[3][2];
	struct trace_class traces[3];
	struct pair_kind *const *kinds;
	const struct pair_calls calls = { .priv = NULL };
	struct pairs *pairs = pairs_new(&calls);
	char names[200] = "";
	size_t n, used = 0;

	for (unsigned int t = 0; t < 3; t++) {
		for (uint32_t i = 0; i < 2; i++) {
			event[t][i] = (struct event_class){
				.name = i ? "fn:f%return" : "fn:f",
				.place = row->places[t],
				.fields = &fields, .number = i,
			};
			tables[t][i] = &event[t][i];
		}
		traces[t] = (struct trace_class){
			.number = t, .events = tables[t], .nevents = 2,
			.nclasses = 2,
		};
		unit_equal(pairs_meet(pairs, &traces[t]), 0, "trace %u", t);
	}
	n = pairs_kinds(pairs, &kinds);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s ", kinds[i]->name);
	unit_equal_string(names, row->names, "of %s, %s", row->places[0],
			  row->places[1] ?: "an unknown one");
	pairs_free(pairs);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	return unit_end();
}
