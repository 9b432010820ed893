/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: facts that it keeps from the server's answers and notifications.
 */
#include <string.h>

#include "base/text.h"
#include "gdbstub/filter/private.h"

/* A stop is T, two digits, then NAME:VALUE; for each fact. The thread is the
 * last that counts: the events of the stop stand before it. */
void filter_answer_note(struct filter *f, enum filter_kind kind, const char *p)
{
	const char *shares, *child, *at;
	struct filter_thread thread;

	if (*p == 'W' || *p == 'X' || (kind == KIND_END && !strcmp(p, "OK")))
		f->ended = 1;
	if (kind == KIND_FRAME) {
		filter_frame_selected(f, p);
	} else if (kind == KIND_STATUS) {
		f->downloading = text_after(p, "T1") != NULL;
	} else if (kind == KIND_DEFINE) {
		filter_defined(f, p);
	} else if (kind == KIND_NO_ACK) {
		f->no_ack = !strcmp(p, "OK");
	} else if (text_after(p, "QC")) {
		p += 2;
		filter_read_thread(&p, &f->thread);
	} else if (*p == 'T' && filter_is_hex(p[1]) && filter_is_hex(p[2])) {
		for (p += 3; p; p = strchr(p, ';')) {
			p += *p == ';';
			shares = text_after(p, "vfork:");
			child = shares ? shares : text_after(p, "fork:");
			if (child && filter_read_thread(&child, &thread)) {
				f->child = thread.pid;
				f->shares = shares != NULL;
				f->parent.pid = 0;
			} else if (text_after(p, "exec:")) {
				f->replaced = 1;
				if (f->started)
					f->status.end = FILTER_END_EXEC;
			}
			at = text_after(p, "thread:");
			if (!at)
				continue;
			filter_read_thread(&at, &f->thread);
			if (f->child && !f->parent.pid)
				f->parent = f->thread;
			return;
		}
	}
}
