/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks as `taffrail status` and `taffrail list` show them, of the lines
 * "callback=" of MESSAGE_STATUS.
 */
#include "command/load/listed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/agents/rule.h"
#include "command/common/counted.h"
#include "command/common/printable.h"
#include "traces/array.h"

/* Cuts off the word before the next tab. Returns it, or "" behind the last. */
static const char *cut_word(char **from)
{
	const char *start = strsep(from, "\t");

	return start ? start : "";
}

int shown_take(struct shown *shown, pid_t pid, const char *line)
{
	char *rest = strdup(line);
	struct shown_callback *c;

	if (!rest || !array_grow(&shown->callbacks, shown->count, sizeof(*c))) {
		free(rest);
		return -ENOMEM;
	}
	c = &shown->callbacks[shown->count++];
	*c = (struct shown_callback){ .pid = pid, .text = rest };
	c->state = cut_word(&rest);
	c->markers = strtoull(cut_word(&rest), NULL, 10);
	c->nested = strtoull(cut_word(&rest), NULL, 10);
	c->in_handler = strtoull(cut_word(&rest), NULL, 10);
	c->name = cut_word(&rest);
	c->rule = rest ? rest : "";
	return 0;
}

void shown_ask(struct shown *shown, struct target *target)
{
	struct client_answer answer = { 0 };
	const char *key, *value;
	size_t position = 0;

	if (client_call(&target->client, MESSAGE_STATUS, NULL, &answer))
		return;
	while (client_answer_next(&answer, &position, &key, &value))
		if (!strcmp(key, "callback"))
			shown_take(shown, target->process->pid, value);
	client_answer_release(&answer);
}

const struct shown_callback *shown_of(const struct shown *shown,
				      const char *id, size_t *position)
{
	while (*position < shown->count) {
		const struct shown_callback *c =
			&shown->callbacks[(*position)++];

		if (!strcmp(c->state, "enabled") &&
		    rule_matches(c->rule, id, NULL))
			return c;
	}
	return NULL;
}

void shown_free(struct shown *shown)
{
	for (size_t i = 0; i < shown->count; i++)
		free(shown->callbacks[i].text);
	free(shown->callbacks);
	*shown = (struct shown){ 0 };
}

void shown_print(const struct shown *shown, const char *before)
{
	if (shown->count)
		printf("%scallbacks:\n%9s %-24s %-10s %s\n", before, "PID",
		       "CALLBACK", "STATE", "RULE");
	for (size_t i = 0; i < shown->count; i++) {
		const struct shown_callback *c = &shown->callbacks[i];

		printable_print("%9d %-24s %-10s %s\n", c->pid, c->name,
				c->state, c->rule);
		if (!strcmp(c->state, "enabled") && !c->markers)
			printf("%9s no marker calls it\n", "");
		if (c->nested || c->in_handler)
			printf("%9s not called for %s in callbacks, and %s in "
			       "signal handlers\n", "",
			       counted(c->nested, "hit"),
			       counted(c->in_handler, "hit"));
	}
}

void shown_json(const struct shown *shown, struct json *json)
{
	json_open(json, "callbacks", '[');
	for (size_t i = 0; i < shown->count; i++) {
		const struct shown_callback *c = &shown->callbacks[i];

		json_open(json, NULL, '{');
		json_number(json, "pid", (uint64_t)c->pid);
		json_string(json, "callback", c->name);
		json_string(json, "rule", c->rule);
		json_string(json, "state", c->state);
		json_number(json, "markers", c->markers);
		json_number(json, "missed_in_callbacks", c->nested);
		json_number(json, "missed_in_handlers", c->in_handler);
		json_close(json, '}');
	}
	json_close(json, ']');
}
