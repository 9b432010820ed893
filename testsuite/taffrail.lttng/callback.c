/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Callbacks at events of LTTng-UST: also one that changes the callbacks, while
 * LTTng is in the event. */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "every.h"

#include <stdio.h>
#include <string.h>
#include <taffrail/probe.h>

static int ones, others, nothings, conditions, enums, refused;

static void at_nothing(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
	nothings++;
}

static void at_other(const struct taffrail_event *event, void *text)
{
	(void)event;
	(void)text;
	others++;
}

static void on_event_one(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
	ones++;
	taffrail_probe_detach("every/one", on_event_one, NULL);
	taffrail_probe_attach("every/nothing", at_nothing, NULL);
}

/* Of three events, the two that the condition holds for. */
static void at_condition(const struct taffrail_event *event, void *unused)
{
	const char *text = "";
	int64_t x = -1;

	(void)unused;
	conditions += taffrail_field_i64(event, 0, &x) && x > 0 &&
		      taffrail_field_string(event, 1, &text, NULL) &&
		      !strcmp(text, "other") &&
		      taffrail_field(event, "s") == 1;
}

static void at_enum(const struct taffrail_event *event, void *unused)
{
	int64_t e = 0;

	(void)unused;
	enums += taffrail_field_i64(event, 0, &e) && e == -5;
}

static void at_none(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
}

int main(void)
{
	int i;

	/* callbacks do not have what events do not have */
	refused = taffrail_probe_attach("every/enums if hidden == -5", at_enum,
					NULL) <= 0 &&
		  taffrail_probe_attach("every/enums if ip > 0", at_enum,
					NULL) <= 0;
	i = taffrail_probe_attach("every/cro*", at_enum, NULL);
	printf("left out: %s\n", taffrail_probe_strerror(i));
	refused &= taffrail_probe_attach("every/*", at_none, NULL) == 9 &&
		   taffrail_probe_detach("every/*", at_none, NULL) == 0 &&
		   taffrail_probe_detach("every/cro*", at_enum, NULL) < 0;
	if (taffrail_probe_attach("every/other if x >= 1 && s ~ \"oth*\"",
				  at_condition, NULL) < 0 ||
	    taffrail_probe_attach("every/enums if e == \"neg\"", at_enum,
				  NULL) < 0)
		return 2;
	lttng_ust_tracepoint(every, enums, -5);
	lttng_ust_tracepoint(every, enums, 0);

	if (taffrail_probe_attach("every/one", on_event_one, NULL) < 0 ||
	    taffrail_probe_attach("every/other", at_other, NULL) < 0)
		return 1;
	for (i = 0; i < 3; i++) {
		lttng_ust_tracepoint(every, one, i, "one");
		lttng_ust_tracepoint(every, other, i, "other");
		lttng_ust_tracepoint(every, nothing);
	}
	taffrail_probe_detach("every/other", at_other, NULL);
	lttng_ust_tracepoint(every, other, i, "other");
	lttng_ust_tracepoint(every, nothing);
	printf("one %d other %d nothing %d conditions %d enums %d refused %d\n",
	       ones, others, nothings, conditions, enums, refused);
	return 0;
}
