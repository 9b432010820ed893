/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: functions of several parts, to read packets or write them.
 */
#include "gdbstub/filter/private.h"

enum filter_verdict filter_refuse(struct packet *out, const char *why)
{
	packet_add(out, "E.");
	packet_add(out, why);
	return VERDICT_ANSWERED;
}

enum filter_verdict filter_unserved(struct filter *f,
				    const struct filter_marker *marker,
				    struct packet *out)
{
	return filter_refuse(out, f->host.unserved(f->host.arg, &f->thread,
						   marker));
}

bool filter_read_thread(const char **p, struct filter_thread *thread)
{
	struct filter_thread found = { 0, 0 };

	if (packet_read_char(p, 'p')) {
		if (!packet_read_number(p, &found.pid))
			return false;
		if (packet_read_char(p, '.'))
			packet_read_number(p, &found.tid);
	} else if (!packet_read_number(p, &found.tid)) {
		return false;
	}
	if (!found.pid && !found.tid)
		return false;
	*thread = found;
	return true;
}

bool filter_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}
