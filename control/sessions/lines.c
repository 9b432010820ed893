/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines as commands describe them beside a session's rules: a line
 * "spot=..." for each place, and one "field=..." for each of its fields (struct
 * usdt_line). Those before a rule are its set, which the rule knows by the
 * hash. Other sessions may record other things at the same line.
 *
 * Invariant: one that is known is not kept twice, so the list is bounded by the
 * rules of users, and by LINES_MAX.
 */
#include "base/arena.h"
#include "base/base.h"
#include "base/index.h"
#include "base/lines.h"
#include "control/sessions/private.h"
#include "tracepoints/usdt/usdt.h"

#define LINES_MAX	4096u
#define LINE_TEXT_BYTES	8192u

const struct usdt_line *session_lines;
uint32_t session_nlines;

static const struct usdt_line **lines_end = &session_lines;

/* Keeps a description, unless it is known or there is no room. */
static void line_keep(const struct text *text, uint64_t set)
{
	const struct usdt_line *line;
	struct usdt_line *kept;

	if (!text->used || text->cut || session_nlines == LINES_MAX)
		return;
	for (line = session_lines; line; line = line->next)
		if (line->set == set && text_equal(line->text, text->start))
			return;
	kept = arena_pack(sizeof(*kept) + text->used + 1);
	if (!kept)
		return;
	kept->set = set;
	__builtin_memcpy(kept->text, text->start, text->used);
	*lines_end = kept;
	lines_end = &kept->next;
	session_nlines++;
}

/* Returns true for the key of a description. */
static bool is_part(const struct line *line)
{
	return text_equal(line->key, "spot") || text_equal(line->key, "field");
}

uint64_t session_lines_set(const char *lines)
{
	uint64_t hash = INDEX_HASH;
	struct line line;

	while (line_next(&lines, &line) && !text_equal(line.key, "rule"))
		if (is_part(&line))
			hash = index_hash(hash, line.value,
					  text_length(line.value));
	return hash;
}

void session_lines_take(const char *lines)
{
	static char buffer[LINE_TEXT_BYTES];
	uint64_t set = session_lines_set(lines);
	struct text text;
	struct line line;
	bool rule, spot;

	text_open(&text, buffer, sizeof(buffer));
	while (line_next(&lines, &line)) {
		rule = text_equal(line.key, "rule");
		spot = text_equal(line.key, "spot");
		if (spot || rule) {
			line_keep(&text, set);
			text_open(&text, buffer, sizeof(buffer));
		}
		if (rule)
			set = session_lines_set(lines);
		if (!is_part(&line) || (!spot && !text.used))
			continue;
		text_add(&text, spot ? "" : "\n");
		text_add(&text, line.value);
		text.cut |= !!line.cut;
	}
	line_keep(&text, set);
}

bool session_rule_described(const struct session_rule *rule)
{
	return rule->lines && rule->lines != INDEX_HASH;
}

#define UNDESCRIBED_MAX	64u

const struct undescribed *session_undescribed;
static const struct undescribed **undescribed_end = &session_undescribed;
static uint32_t nundescribed;

void session_rule_asked(const struct session_rule *rule)
{
	const char *glob = rule->glob;
	size_t bytes = text_length(glob) + 1;
	struct undescribed *new = NULL;

	if (nundescribed < UNDESCRIBED_MAX && !session_rule_described(rule))
		new = arena_pack(sizeof(*new) + bytes);
	if (!new)
		return;
	__builtin_memcpy(new->glob, glob, bytes);
	*undescribed_end = new;
	undescribed_end = &new->next;
	nundescribed++;
}

SIGSAFE void session_lines_write(const struct session_rule *rule,
				 struct text *out)
{
	const struct usdt_line *line;
	const char *p;
	int blanks;

	for (line = session_lines; line; line = line->next) {
		/* the name stands behind the third blank */
		for (p = line->text, blanks = 0; *p && blanks < 3;)
			blanks += *p++ == ' ';
		p = text_after(p, rule->glob);
		if (line->set != rule->lines || !p || *p != '\t')
			continue;
		text_add(out, "spot=");
		for (p = line->text; *p; p++) {
			text_add_char(out, *p);
			if (*p == '\n')
				text_add(out, "field=");
		}
		text_add_char(out, '\n');
	}
}
