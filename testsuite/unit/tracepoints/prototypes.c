/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of libc's prototypes: each row describes itself without
 * contradiction, and symbols find their rows (prototypes.h).
 */
#include "testsuite/unit/unit.h"

#include <string.h>

#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/prototypes.h"

#define HEX(n)	n
#define OCT(n)	n
#define PROTOTYPE(name, result, arguments, fields, ...) #name,

static const char *const names[] = {
#include "tracepoints/usdt/plan/prototypes.def"
};

static void check_row(const char *name)
{
	const struct usdt_prototype *p = usdt_prototype_find(name);
	size_t fields = 1;

	if (!unit_check(p && !strcmp(p->name, name), "%s: found", name))
		return;
	for (const char *at = p->fields; *at; at++)
		fields += *at == ',';
	unit_equal(fields, strlen(p->arguments) + 1, "%s: fields", name);
	unit_check(strlen(p->arguments) <= RULE_ARGUMENTS_MAX,
		   "%s: arguments", name);
	unit_check(!p->arguments[strspn(p->arguments, "spdulz")] &&
		   p->result[strspn(p->result, "pdulz-")] == '\0',
		   "%s: types", name);
	unit_check(strlen(p->fields) > 2 &&
		   !strcmp(p->fields + strlen(p->fields) - 3, "cfa"),
		   "%s: the frame", name);
	for (uint32_t i = 0; i < usdt_prototype_shown(p); i++) {
		uint8_t field = p->shown[i].field_;

		unit_check(field && field <= strlen(p->arguments) &&
			   strchr("duz", p->arguments[field - 1]),
			   "%s: field %u is shown", name, field);
	}
}

int main(void)
{
	static const char *const rows[][2] = {
		{ "open64", "open" }, { "__open", "open" },
		{ "__libc_open64", "open" }, { "_exit", "exit" },
		{ "_IO_puts", "puts" }, { "__GI___libc_malloc", "malloc" },
		{ "__open64_2", "open64_2" }, { "open_memstream", NULL },
		{ "opens", NULL }, { "ope", NULL }, { "", NULL }, { "_", NULL },
		{ "read64x", NULL }, { "64", NULL },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_row(names[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct usdt_prototype *p =
			usdt_prototype_find(rows[i][0]);

		unit_check(rows[i][1] ? p && !strcmp(p->name, rows[i][1]) : !p,
			   "'%s' is %s", rows[i][0], rows[i][1]);
	}
	return unit_end();
}
