/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: facts that it keeps from the server's answers and notifications.
 */
#include <string.h>

#include "base/text.h"
#include "gdbstub/filter/private.h"

/* Notes an event in a stop, which is NAME:VALUE or the beginning of that. */
static void stop_event(struct filter *f, const char *p)
{
	const char *shares = text_after(p, "vfork:");
	const char *child = shares ? shares : text_after(p, "fork:");
	struct filter_thread thread;

	if (child && filter_read_thread(&child, &thread)) {
		f->child = thread.pid;
		f->shares = shares != NULL;
		f->parent.pid = 0;
	} else if (text_after(p, "exec:")) {
		f->replaced = 1;
		if (f->started)
			f->status.end = FILTER_END_EXEC;
	}
}

/* T, two digits, then NAME:VALUE; for each fact. One of them is the thread. */
static void stop_note(struct filter *f, const char *p)
{
	if (!filter_is_hex(p[0]) || !filter_is_hex(p[1]))
		return;
	for (p += 2; p; p = strchr(p, ';')) {
		const char *at;

		p += *p == ';';
		stop_event(f, p);
		at = text_after(p, "thread:");
		if (at) {
			filter_read_thread(&at, &f->thread);
			if (f->child && !f->parent.pid)
				f->parent = f->thread;
			return;
		}
	}
}

void filter_answer_note(struct filter *f, enum filter_kind kind, const char *p)
{
	if (*p == 'W' || *p == 'X' || (kind == KIND_END && !strcmp(p, "OK")))
		f->ended = 1;
	if (kind == KIND_FRAME)
		filter_frame_selected(f, p);
	else if (kind == KIND_STATUS)
		f->downloading = text_after(p, "T1") != NULL;
	else if (kind == KIND_DEFINE)
		filter_defined(f, p);
	else if (kind == KIND_NO_ACK)
		f->no_ack = !strcmp(p, "OK");
	else if (*p == 'T')
		stop_note(f, p + 1);
	else if (text_after(p, "QC")) {
		p += 2;
		filter_read_thread(&p, &f->thread);
	}
}
