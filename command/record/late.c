/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What forked children lose after their parent has ended.
 *
 * A child that cannot make its files counts its events as lost in the session's
 * page of its parent. It may do so after the recorder has collected the parent,
 * and removed the file: the recorder keeps the page mapped, and looks again at
 * the end.
 *
 * What must stay true: the number of such pages is bounded, as the guards of
 * mappings are (buffers/reader/map.c). The oldest gets its last look early.
 */
#include "command/record/private.h"

static void look(struct record *record, struct consumer *consumer)
{
	uint32_t orphans;
	int32_t error;

	if (!consumer)
		return;
	orphans = consume_late(consumer, &error);
	shortage_orphans(&record->shortage, orphans, error);
}

void record_late_add(struct record *record, struct consumer *consumer)
{
	struct consumer **slot =
		&record->late[record->nlate++ % RECORD_LATE_MAX];

	look(record, *slot);
	/* what it knows of modules takes memory until then */
	if (*slot)
		consume_names(*slot);
	*slot = consumer;
}

void record_late_end(struct record *record)
{
	for (size_t i = 0; i < RECORD_LATE_MAX; i++) {
		look(record, record->late[i]);
		record->late[i] = NULL;
	}
}
