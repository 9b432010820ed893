/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of LTTng: the rules that select the same events.
 *
 * Of LTTng's rules that select an event, each can record it; of ours the last
 * one decides, among those whose fields the event has. So
 *
 *	a if A, b if B, c	becomes
 *	a if A, b if B, b if (B) || ($id ~ "a" && (A)), c
 *
 * where a and b may select one event: rules without a condition come last. Of
 * three and four, each set of them has a rule, larger sets later: of the sets
 * whose fields the event has, the one with all others comes last.
 *
 * Invariant: a rule that leaves this file passed rule_check().
 */
#include "command/saved/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/layout.h"
#include "command/agents/rule.h"
#include "command/common/command.h"

#define CONDITION_BYTES	2048
/* Before a rule, those that may select the same events: of more, and in longer
 * sessions, only one and all have a rule, as a session has few rules. */
#define SETS_MOST	3
#define SELECTIONS_FEW	8
#define MEETING_MOST	64

/* An event as it becomes a rule. */
struct selection {
	char glob[RULE_BYTES_MAX + 1];
	char condition[CONDITION_BYTES];	/* "": none */
	const char *name;			/* as LTTng has it */
};

struct selections {
	struct selection *all;
	size_t n;
};

/* Writes the condition of an event: its filter, levels and exclusions. Returns
 * NULL or why that cannot be. */
static const char *condition_write(const struct saved_event *event, char *out,
				   size_t room)
{
	char part[CONDITION_BYTES];
	const char *fault;
	struct text text;

	text_open(&text, out, room);
	if (event->filter) {
		fault = saved_condition(event->filter, part, sizeof(part));
		if (fault)
			return fault;
		text_add(&text, "(");
		text_add(&text, part);
		text_add(&text, ")");
	}
	if (event->levels != SAVED_LEVELS_ALL) {
		text_add(&text, text.used ? " && " : "");
		text_add(&text, event->levels == SAVED_LEVELS_FROM ?
			 "$level <= " : "$level == ");
		text_add_number(&text, event->level);
	}
	for (int i = 0; i < event->nexclusions; i++) {
		if (!saved_glob(event->exclusions[i], part, sizeof(part)) ||
		    strpbrk(part, "\"\\"))
			return "an exclusion is no name";
		text_add(&text, text.used ? " && " : "");
		text_add(&text, "$id !~ \"");
		text_add(&text, part);
		text_add(&text, "\"");
	}
	return text.cut ? "it is too long" : NULL;
}

/* Makes a selection of an event. Returns NULL or why that cannot be. */
static const char *selection_make(struct selection *s,
				  const struct saved_event *event)
{
	static char fault[160];
	const char *why;

	if (event->type) {
		snprintf(fault, sizeof(fault), "its type is %.60s",
			 event->type);
		return fault;
	}
	if (!event->name || !*event->name)
		return "it has no name";
	s->name = event->name;
	if (!saved_glob(event->name, s->glob, sizeof(s->glob)))
		return "the name is too long";
	/* a rule would be of functions, or have a condition */
	if (text_after(s->glob, "fn:") || strpbrk(s->glob, " \t("))
		return "no rule can have the name";
	why = condition_write(event, s->condition, sizeof(s->condition));
	if (!why || !event->filter)
		return why;
	snprintf(fault, sizeof(fault), "its filter: %s", why);
	return fault;
}

/* Writes the rule of a selection. Returns NULL or the fault. */
static const char *rule_write(const struct selection *s, char **rule)
{
	const char *why = "out of memory";

	if (asprintf(rule, *s->condition ? "%s if %s" : "%s", s->glob,
		     s->condition) < 0) {
		*rule = NULL;
		return why;
	}
	if (!rule_check(*rule, &why))
		return NULL;
	free(*rule);
	*rule = NULL;
	return why;
}

/* Adds a selection, or gives its condition to one with the same glob. Where
 * both do not fit one condition, they stay two. */
static void selection_add(struct selections *list, const struct selection *one)
{
	char both[CONDITION_BYTES];
	struct selection *s = list->all;
	struct selection joint;
	struct text text;
	char *rule;

	while (s < list->all + list->n && strcmp(s->glob, one->glob))
		s++;
	/* events of one pattern may have different fields */
	if (s == list->all + list->n ||
	    (*s->condition && *one->condition && strchr(s->glob, '*'))) {
		list->all[list->n++] = *one;
		return;
	}
	if (!*s->condition || !strcmp(s->condition, one->condition))
		return;
	joint = *s;
	joint.condition[0] = '\0';
	if (*one->condition) {
		text_open(&text, both, sizeof(both));
		text_add(&text, "(");
		text_add(&text, s->condition);
		text_add(&text, ") || (");
		text_add(&text, one->condition);
		text_add(&text, ")");
		if (!text.cut)
			strcpy(joint.condition, both);
	}
	if (*one->condition && (!*joint.condition || rule_write(&joint, &rule)))
		list->all[list->n++] = *one;
	else
		*s = joint;
	if (*one->condition && *joint.condition)
		free(rule);
}

/* Returns whether two patterns of LTTng match one name. Each cell of a row says
 * whether the rest of `b` from there on meets the rest of `a`. */
static bool patterns_meet(const char *a, const char *b)
{
	bool row[RULE_BYTES_MAX + 2] = { false };
	size_t n = strlen(a), m = strlen(b);
	bool corner, old;

	if (m > RULE_BYTES_MAX)
		return true;
	for (size_t i = n + 1; i-- > 0;) {
		corner = row[m];
		row[m] = i == n || (a[i] == '*' && row[m]);
		for (size_t j = m; j-- > 0; corner = old) {
			old = row[j];
			if (i < n && a[i] == '*')
				row[j] = old || row[j + 1];
			else if (b[j] == '*')
				row[j] = row[j + 1] || (i < n && old);
			else
				row[j] = i < n && a[i] == b[j] && corner;
		}
	}
	return row[0];
}

/* Tells the parts of a session beside its events. Returns whether less is
 * recorded without them. */
static bool left_tell(const struct saved_session *s)
{
	char text[64];
	bool less = false;

	if (s->left & SAVED_KERNEL)
		less = cause_report(SAVED_DOMAIN, .subject = s->name,
				    .text = "the kernel");
	if (s->left & SAVED_AGENTS)
		less = cause_report(SAVED_DOMAIN, .subject = s->name,
				    .text = "Java's and Python's logging");
	if (*s->contexts_left)
		less = cause_report(SAVED_CONTEXTS, .subject = s->name,
				    .text = s->contexts_left);
	if (s->left & SAVED_CHANNELS) {
		snprintf(text, sizeof(text), "%s", s->overwrite ?
			 "overwrite" : "discard");
		cause_report(SAVED_CHANNELS, .subject = s->name,
			     .n = s->channels, .text = text);
	}
	if (s->left & SAVED_TRACKED)
		cause_report(SAVED_TRACKED, .subject = s->name);
	if (s->left & SAVED_ROTATED)
		cause_report(SAVED_ROTATED, .subject = s->name);
	if (s->left & SAVED_SENT)
		cause_report(SAVED_SENT, .subject = s->name);
	if (s->left & SAVED_FILES)
		cause_report(SAVED_FILES, .subject = s->name);
	if (s->left & SAVED_BLOCKS)
		cause_report(SAVED_BLOCKS, .subject = s->name);
	if (s->left & SAVED_SIZES)
		cause_report(SAVED_SIZES, .subject = s->name);
	return less;
}

/* Makes the selections of a session; tells the events that have none. Returns
 * whether there are such. */
static bool selections_make(struct selections *list,
			    const struct saved_session *session)
{
	struct selection *one = malloc(sizeof(*one));
	char text[CAUSE_TEXT_BYTES];
	const char *why;
	bool less = false;
	char *rule;

	for (size_t i = 0; one && i < session->nevents; i++) {
		const struct saved_event *event = &session->events[i];

		why = selection_make(one, event);
		if (!why) {
			why = rule_write(one, &rule);
			if (!why)
				free(rule);
		}
		if (!why) {
			selection_add(list, one);
			continue;
		}
		snprintf(text, sizeof(text), "%.200s: %s",
			 event->name ? event->name : "an event", why);
		less = cause_report(SAVED_EVENT, .subject = session->name,
				    .text = text);
	}
	less |= !one;
	free(one);
	return less;
}

/* The rules that are made, and whether some are missing. */
struct made {
	char **rules;
	int n, most;
	const char *session;
	bool less;
};

/* Adds the rule of a selection. Returns whether there is one. */
static bool rule_add(struct made *made, const struct selection *s)
{
	if (made->n < made->most) {
		if (rule_write(s, &made->rules[made->n]))
			return false;
		made->n++;
		return true;
	}
	if (made->most) {
		cause_report(SAVED_MANY, .subject = made->session,
			     .n = made->most);
		made->most = 0;
	}
	made->less = true;
	return true;
}

/* Adds a rule for events that a selection and some before it select: those
 * whose bit is set. */
static void joint_add(struct made *made, const struct selection *s,
		      const struct selection *const *meeting, uint64_t set)
{
	char names[CAUSE_TEXT_BYTES];
	struct selection joint = *s;
	struct text text;

	text_open(&text, joint.condition, sizeof(joint.condition));
	text_add(&text, "(");
	text_add(&text, s->condition);
	text_add(&text, ")");
	snprintf(names, sizeof(names), "%.200s and %.200s",
		 meeting[__builtin_ctzll(set)]->name, s->name);
	for (; set; set &= set - 1) {
		const struct selection *one = meeting[__builtin_ctzll(set)];

		text_add(&text, " || ($id ~ \"");
		text_add(&text, one->glob);
		text_add(&text, "\" && (");
		text_add(&text, one->condition);
		text_add(&text, "))");
	}
	if (!text.cut && rule_add(made, &joint))
		return;
	cause_report(SAVED_MEETING, .subject = made->session, .text = names);
	made->less = true;
}

/* Adds rules for events that a selection and others before it select, if there
 * can be such. */
static void joints_add(struct made *made, const struct selections *list,
		       const struct selection *s)
{
	const struct selection *meeting[MEETING_MOST], *before;
	int n = 0;

	for (before = list->all; before < s && n < MEETING_MOST; before++)
		if (*before->condition && patterns_meet(before->name, s->name))
			meeting[n++] = before;
	if (n > SETS_MOST || (n && list->n > SELECTIONS_FEW)) {
		joint_add(made, s, meeting, UINT64_MAX >> (64 - n));
		return;
	}
	for (int size = 1; size <= n; size++)
		for (uint64_t set = 1; set < 1ull << n; set++)
			if (__builtin_popcountll(set) == size)
				joint_add(made, s, meeting, set);
}

int saved_rules(const struct saved_session *session, char **rules, int most,
		bool *failed)
{
	struct selections list = {
		.all = calloc(session->nevents + 1, sizeof(*list.all)),
	};
	struct made made = { rules, 0, most, session->name, false };

	if (!list.all) {
		cause_report(OUT_OF_MEMORY);
		return -ENOMEM;
	}
	*failed |= left_tell(session);
	*failed |= selections_make(&list, session);
	for (size_t i = 0; i < list.n; i++)
		if (*list.all[i].condition) {
			rule_add(&made, &list.all[i]);
			joints_add(&made, &list, &list.all[i]);
		}
	for (size_t i = 0; i < list.n; i++)
		if (!*list.all[i].condition)
			rule_add(&made, &list.all[i]);
	*failed |= made.less;
	if (!made.n)
		cause_report(SAVED_NOTHING, .subject = session->name);
	free(list.all);
	return made.n ? made.n : -ENOENT;
}

void saved_settings(const struct saved_session *session, bool *overwrite,
		    uint64_t *buffer, const char **contexts)
{
	uint64_t size = RING_MIN_BYTES;

	*overwrite |= session->overwrite;
	while (size < session->buffer && size < RING_MAX_BYTES)
		size *= 2;
	if (!*buffer && session->buffer)
		*buffer = size;
	if (!*contexts && session->contexts)
		*contexts = command_write_contexts(session->contexts |
						   CONTEXT_VTID);
}
