/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: when the traced process is gone. A gdbserver that has found an
 * agent writes into the agent's process when it ends a trace, and reads there
 * when gdb asks for the trace's status. Without a process it follows a null
 * pointer. So gdbserver --multi dies when gdb kills a traced process and
 * leaves, and when a gdb asks qTStatus after the process has ended.
 *
 * Invariant: no such request reaches a server that has no process.
 */
#include <string.h>

#include "gdbstub/filter/private.h"

bool filter_gone(const struct filter *f)
{
	return f->introduced && f->host.idle && f->host.idle(f->host.arg);
}

/* Ends the trace before the kill, while the process is there. */
enum filter_verdict filter_kill(struct filter *f, const char *p,
				struct packet *out)
{
	const char *whole = p - strlen("vKill;");
	uint64_t pid;

	if (!f->started || !f->introduced || filter_gone(f) ||
	    !packet_read_number(&p, &pid) ||
	    (f->thread.pid && pid != f->thread.pid) ||
	    strlen(whole) >= sizeof(f->kept))
		return VERDICT_PASS;
	memcpy(f->kept, whole, strlen(whole) + 1);
	f->kind = KIND_KILL;
	packet_add(out, "QTStop");
	return VERDICT_CHANGED;
}

enum filter_verdict filter_killed(struct filter *f, struct packet *out)
{
	packet_add(out, f->kept);
	f->kind = KIND_END;
	return VERDICT_MORE;
}

enum filter_verdict filter_ask_status(struct filter *f, const char *p,
				      struct packet *out)
{
	static const char why[] = "the program is gone";

	if (!filter_gone(f))
		return VERDICT_PASS;
	packet_add(out, "T0;terror:");
	packet_add_hex(out, why, sizeof(why) - 1);
	packet_add(out, ":0;tframes:0;tcreated:0");
	return VERDICT_ANSWERED;
}
