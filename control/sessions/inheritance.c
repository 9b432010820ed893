/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that a process executes take part in the sessions that a command has
 * started in the process.
 *
 * The command has written each of these sessions to sessions/NAME@PID.STARTTIME
 * and given the process this name. The process hands it on in TAFFRAIL_JOIN
 * where libc's functions execute a program (agent/wrap/). A program that was
 * executed in another way does not have it: it looks for a file of an ancestor.
 *
 * Invariant: the start time in the name tells a process from a later
 * one with the same number.
 */
#include "control/sessions/inheritance.h"

#include <stdbool.h>

#include "base/base.h"
#include "base/lines.h"
#include "base/sys.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/threads/settings.h"

#define ANCESTORS_MAX	64

/* Takes the names that begin with `drop` from the list that is handed on, and
 * adds one. Leaves the list as it is where there is no room. */
static void list_change(const char *drop, const char *add)
{
	/* a thread of the program may be reading the one that is in use */
	static char lists[2][PROTOCOL_JOIN_BYTES] TABLE;
	char *to = lists[settings.join == lists[0]];
	const char *list = settings.join;
	char name[PROTOCOL_JOIN_NAME_BYTES];
	struct text text;

	text_open(&text, to, sizeof(lists[0]));
	while (settings_join_next(&list, name, sizeof(name))) {
		if (text_after(name, drop))
			continue;
		text_add(&text, name);
		text_add_char(&text, PROTOCOL_JOIN_SEPARATOR);
	}
	text_add(&text, add);
	if (!text.cut)
		store_release(&settings.join, text.used ? to : NULL, JOIN_LIST);
}

void inheritance_begin(const char *lines)
{
	char name[PROTOCOL_JOIN_NAME_BYTES];

	if (line_find(lines, "heirs", name, sizeof(name)) &&
	    settings_inheritance(name))
		list_change(name, name);
}

void inheritance_end(const char *session)
{
	char name[PROTOCOL_JOIN_NAME_BYTES];
	struct text text;

	text_open(&text, name, sizeof(name));
	text_add(&text, session);
	text_add_char(&text, PROTOCOL_INHERITANCE);
	list_change(name, "");
}

bool inheritance_claim(const char *file)
{
	int64_t pid = 0;
	char name[48];
	const char *of = file;
	struct text text;

	while (*of++ != PROTOCOL_INHERITANCE)
		;
	for (int i = 0; i < ANCESTORS_MAX; i++) {
		text_open(&text, name, sizeof(name));
		text_add_number(&text, pid ? pid : sys_getpid());
		text_add_char(&text, '.');
		text_add_unsigned(&text, place_number(pid));
		if (text_equal(of, name)) {
			list_change(file, file);
			return true;
		}
		pid = place_parent(pid);
		if (pid <= 0)
			break;
	}
	return false;
}
