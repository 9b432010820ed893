/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment that a program which the process executes gets: with the
 * inheritance files that the process hands on.
 */
#include "testsuite/unit/unit.h"

#include <string.h>

#include "control/protocol.h"
#include "control/threads/settings.h"

#define GUARD_BYTES	2048
#define GUARD		0x5a

static char *const own[] = { "A=1", "TAFFRAIL_JOIN=one", "B=2", NULL };

/* The room stands between guards: returns whether they are as they were. */
static char place[3 * GUARD_BYTES];

static char *room_open(void)
{
	memset(place, GUARD, sizeof(place));
	return place + GUARD_BYTES;
}

static bool guards_whole(size_t bytes)
{
	for (size_t i = 0; i < sizeof(place); i++)
		if ((i < GUARD_BYTES || i >= GUARD_BYTES + bytes) &&
		    place[i] != GUARD)
			return false;
	return true;
}

int main(void)
{
	char inherited[] = "two" "*";
	size_t bytes;
	char **made;

	inherited[3] = PROTOCOL_INHERITANCE;
	unit_equal(settings_hand_room(own), 0, "nothing to hand on: no room");

	settings.join = inherited;
	bytes = settings_hand_room(own);
	unit_check(bytes > sizeof(own), "a file to hand on: room");
	made = settings_hand_on(own, room_open(), false);
	unit_check(made == (void *)(place + GUARD_BYTES), "it is a copy");
	unit_check(made[0] == own[0] && made[1] == own[2] && !made[3],
		   "other variables stay");
	unit_check(!strncmp(made[2], "TAFFRAIL_JOIN=one:two@", 21),
		   "the list has both");
	unit_check(guards_whole(bytes), "the copy stays in its room");

	made = settings_hand_on(own, room_open(), true);
	unit_equal_string(made[2], "TAFFRAIL_JOIN=one:two@"
			  PROTOCOL_JOIN_UNFILTERED, "no filter: it is told");
	settings_read(made);
	unit_check(settings.unfiltered, "the next agent is told");
	unit_equal_string(made[2], "TAFFRAIL_JOIN=one:two@",
			  "and takes the word off");
	settings_read(made);
	unit_check(!settings.unfiltered, "so it is told one time");
	settings.join = inherited;
	made = settings_hand_on(own + 2, room_open(), true);
	unit_check(!strstr(made[1], PROTOCOL_JOIN_UNFILTERED),
		   "no list, so no recorder: it is not told");

	/* as when another thread unloads the agent meanwhile */
	settings.join = NULL;
	made = settings_hand_on(own, room_open(), false);
	unit_check(made == (char **)own, "taken back meanwhile: no copy");
	unit_check(guards_whole(bytes),
		   "taken back meanwhile: nothing beside its room");
	return unit_end();
}
