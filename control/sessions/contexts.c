/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contexts by name, as messages, files and the environment have them.
 */
#include <errno.h>

#include "base/base.h"
#include "control/sessions/session.h"

/* No pointers: each would take a relocation. */
static const struct {
	char word[12];
	uint32_t bit;
} contexts[] = {
	{ "vtid", CONTEXT_VTID }, { "vpid", CONTEXT_VPID },
	{ "procname", CONTEXT_PROCNAME }, { "cpu", CONTEXT_CPU },
	{ "ip", CONTEXT_IP }, { "writer", CONTEXT_WRITER },
	{ "pthread_id", CONTEXT_PTHREAD },
};

int session_contexts_parse(uint32_t *chosen, const char *list)
{
	uint32_t bits = 0;

	if (text_equal(list, "none")) {
		*chosen = 0;
		return 0;
	}
	if (!*list)
		return -EINVAL;
	while (*list) {
		char word[16];
		struct text text;
		uint32_t i;

		text_open(&text, word, sizeof(word));
		while (*list && *list != ',')
			text_add_char(&text, *list++);
		if (*list)
			list++;
		for (i = 0; i < ARRAY_SIZE(contexts); i++)
			if (text_equal(word, contexts[i].word))
				break;
		if (i == ARRAY_SIZE(contexts))
			return -EINVAL;
		bits |= contexts[i].bit;
	}
	/* a record would need the fields, too */
	if (bits & CONTEXT_WRITER && bits != CONTEXT_WRITER)
		return -EINVAL;
	*chosen = bits;
	return 0;
}

void session_contexts_add(struct text *out, uint32_t bits)
{
	if (!bits)
		text_add(out, "none");
	for (uint32_t i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (!(bits & contexts[i].bit))
			continue;
		text_add(out, contexts[i].word);
		bits &= ~contexts[i].bit;
		if (bits)
			text_add_char(out, ',');
	}
}
