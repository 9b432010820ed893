/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event records of a session: the page grows to its limit, and a reader that
 * had it open reads on.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "testsuite/stress/bed.h"
#include "testsuite/unit/unit.h"

static struct channel *const channel = &channels[0];

/* Adds a record with four strings, of so many bytes together. */
static struct event_record *add(uint32_t id, uint32_t bytes)
{
	static char text[UINT16_MAX];
	struct event_record model = { .id = id, .line = id };

	memset(text, 'x', sizeof(text));
	text[1] = text[3] = text[5] = text[bytes - 1] = 0;
	return channel_record_add(channel, &model, text, bytes);
}

static void test_growth(uint32_t bytes)
{
	uint32_t each = (uint32_t)(sizeof(struct event_record) + bytes + 7) &
			~7u;
	uint32_t most = RECORDS_MAX_BYTES / each;
	struct event_record *first;
	struct session_view view;
	uint32_t n = 0;
	uint32_t id = 0;
	int dir = open(process.directory, O_RDONLY | O_DIRECTORY);
	bool good;
	char name[32];

	if (bed_channel(channel, bytes, 0, 0, 0))
		abort();
	snprintf(name, sizeof(name), "session.%u", bytes);
	first = add(n++, bytes);
	good = first && !session_view_open(&view, dir, name);
	while (good && add(n, bytes))
		n++;
	unit_equal(n, most, "records of %u bytes", bytes);
	good = good && session_view_update(&view) == 1 && view.nevents == n;
	for (id = 0; good && id < n; id++)
		good = view.events[id]->id == id &&
		       view.events[id]->line == id &&
		       strlen(view.events[id]->file) == bytes - 7;
	unit_check(good, "records of %u bytes: read", bytes);
	unit_check(!add(n, bytes), "records of %u bytes: no more", bytes);
	first->oversize = 1;
	unit_check(first->id == 0 && channel->page == channel->area,
		   "records of %u bytes: where they were", bytes);
	session_view_close(&view);
	close(dir);
	unit_equal(bed_channel_end(channel), 0, "channel ends");
}

int main(void)
{
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	test_growth(UINT16_MAX);
	test_growth(2000);
	bed_close();
	return unit_end();
}
