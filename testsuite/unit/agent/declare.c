/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that another part of the agent declares, with descriptions of their
 * fields: what stands behind the site, and what is refused. The agent sleeps
 * here, so no marker is switched.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/declare.h"
#include "control/threads/settings.h"

static const struct taffrail_event_field fields[] = {
	{ "id", TAFFRAIL_T_S32 },
	{ "v", TAFFRAIL_T_ARRAY | TAFFRAIL_T_U16 },
	{ "s", TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_S8 },
};

/* Adds the number of elements of a field. */
static void add_count(struct text *text, uint32_t number, uint64_t n)
{
	size_t begin = shown_begin(text, number, TAFFRAIL_HOW_COUNT, 1);

	text_add_bytes(text, (const char *)&n, sizeof(n));
	shown_end(text, begin);
}

static struct wish wish_of(const struct text *text)
{
	return (struct wish){ .channel = "app", .name = "event",
			      .fields = fields, .n = 3,
			      .shown = { text->start,
					 text->start + text->used } };
}

static void check_made(void)
{
	static const char texts[] = "app\0event\0id, v, s\0";
	char bytes[256], other[256];
	struct text text, second;
	struct taffrail_declared *event;
	struct shown_bytes shown;
	struct wish wish;

	text_open(&text, bytes, sizeof(bytes));
	add_count(&text, 1, 5);
	shown_end(&text, shown_begin(&text, 1, TAFFRAIL_HOW_BIG_ENDIAN, 0));
	shown_end(&text, shown_begin(&text, 2, TAFFRAIL_HOW_CHARS, 0));
	wish = wish_of(&text);
	event = marker_declare(&wish);
	if (!unit_check(event, "it is declared"))
		return;
	unit_equal(event->site.nfields_, 3, "fields");
	unit_equal(event->site.nvar_, 2, "variable fields");
	unit_equal(event->site.fixed_bytes_, 4, "bytes of the others");
	unit_equal(event->site.types_[1], TAFFRAIL_T_ARRAY | TAFFRAIL_T_U16,
		   "an array");
	unit_equal(event->site.text_bytes_,
		   (long long)(sizeof(texts) + text.used), "bytes behind");
	unit_check(!memcmp(event->text, texts, sizeof(texts)) &&
		   !memcmp(event->text + sizeof(texts), bytes, text.used),
		   "the texts, and the descriptions behind them");
	shown = shown_of_site(&event->site);
	unit_equal(shown_count(&shown, 1, event->site.types_[1]), 5,
		   "elements");
	unit_check(marker_declare(&wish) == event, "the same again");

	/* with a level, which stands in front */
	wish.level = "warning";
	event = marker_declare(&wish);
	if (!unit_check(event, "with a level"))
		return;
	shown = shown_of_site(&event->site);
	unit_equal(shown_level(&shown), 4, "the level");
	unit_check(shown_says(&shown, 1, TAFFRAIL_HOW_BIG_ENDIAN) &&
		   shown_says(&shown, 2, TAFFRAIL_HOW_CHARS),
		   "the descriptions behind it");
	unit_check(marker_declare(&wish) == event, "the same level again");

	text_open(&second, other, sizeof(other));
	add_count(&second, 1, 6);
	wish = wish_of(&second);
	unit_check(marker_declare(&wish) != event,
		   "another description is another marker");
}

static void is_refused(struct wish wish, const char *why)
{
	errno = 0;
	unit_check(!marker_declare(&wish) && errno == EINVAL, "%s", why);
}

static void check_refused(void)
{
	size_t room = UINT16_MAX + 1000, texts = sizeof("app\0event\0id, v, s\0");
	char *bytes = malloc(room);
	struct taffrail_declared *event;
	struct text text;
	struct wish wish;
	size_t begin;

	text_open(&text, bytes, room);
	is_refused(wish_of(&text), "an array of nothing that was said");
	add_count(&text, 1, 0);
	is_refused(wish_of(&text), "an array of no elements");
	text_open(&text, bytes, room);
	add_count(&text, 1, TAFFRAIL_ARRAY_BYTES_MAX / 2 + 1);
	is_refused(wish_of(&text), "an array that is too large");
	text_open(&text, bytes, room);
	add_count(&text, 2, 5);
	is_refused(wish_of(&text), "the number of another field");

	/* as many bytes as a session can describe, and one more */
	text_open(&text, bytes, room);
	add_count(&text, 1, TAFFRAIL_ARRAY_BYTES_MAX / 2);
	begin = shown_begin(&text, 0, TAFFRAIL_HOW_RANGES, 0);
	while (text.used + texts < UINT16_MAX)
		text_add_char(&text, 'a');
	shown_end(&text, begin);
	wish = wish_of(&text);
	event = marker_declare(&wish);
	unit_check(event && event->site.text_bytes_ == UINT16_MAX,
		   "the most bytes");
	text_add_char(&text, 'a');
	shown_end(&text, begin);
	is_refused(wish_of(&text), "one byte more");
	free(bytes);
}

int main(void)
{
	struct wish wish = { .channel = "app", .name = "event" };

	agent_off = "off";
	errno = 0;
	unit_check(!marker_declare(&wish) && errno == ENODEV,
		   "where the agent is off");
	agent_off = agent_detached;
	check_made();
	check_refused();
	return unit_end();
}
