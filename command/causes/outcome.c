/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects causes, and prints them. See outcome.h.
 */
#include "command/causes/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "command/common/command.h"
#include "traces/array.h"

void outcome_take(struct outcome *outcome, int status)
{
	if (!outcome->status)
		outcome->status = status;
}

void outcome_keep(struct outcome *outcome, const struct cause *cause)
{
	if (array_grow(&outcome->kept, outcome->nkept, sizeof(*cause)))
		outcome->kept[outcome->nkept++] = *cause;
	else
		outcome_take(outcome, cause_tell(cause));
}

bool outcome_told(const struct outcome *outcome, enum cause_id id)
{
	return outcome->told[id / 64 % ARRAY_SIZE(outcome->told)] >> id % 64 &
	       1;
}

void outcome_say(struct outcome *outcome, const struct cause *cause)
{
	outcome->told[cause->id / 64 % ARRAY_SIZE(outcome->told)] |=
		1ull << cause->id % 64;
	outcome_take(outcome, cause_tell(cause));
}

void outcome_print(struct outcome *outcome, enum cause_id end)
{
	for (;;) {
		size_t next = outcome->nkept;

		for (size_t i = 0; i < outcome->nkept; i++)
			if (outcome->kept[i].id < end &&
			    (next == outcome->nkept ||
			     outcome->kept[i].id < outcome->kept[next].id))
				next = i;
		if (next == outcome->nkept)
			return;
		outcome_take(outcome, cause_tell(&outcome->kept[next]));
		outcome->nkept--;
		memmove(outcome->kept + next, outcome->kept + next + 1,
			(outcome->nkept - next) * sizeof(*outcome->kept));
	}
}

int outcome_end(struct outcome *outcome, int otherwise)
{
	int status;

	outcome_print(outcome, OUTCOME_ALL);
	status = outcome->status;
	free(outcome->kept);
	*outcome = (struct outcome){ 0 };
	return status ? status : otherwise;
}
