/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace runs, as far as gdb asks for them when it connects: there is none.
 */
#include "gdbstub/connection.h"

/* No ';' at the end: gdb 13.1 refuses to connect then. */
int serve_trace_status(struct connection *c, const char *p)
{
	(void)p;
	packet_add(&c->out, "T0;tnotrun:0;tframes:0;tcreated:0;tfree:0;"
			    "tsize:0;circular:0;disconn:0;starttime:0;"
			    "stoptime:0;username:;notes:");
	return 0;
}

/* NUMBER:VALUE:BUILTIN:NAME */
int serve_variables_first(struct connection *c, const char *p)
{
	static const char name[] = "trace_timestamp";

	(void)p;
	packet_add(&c->out, "1:0:1:");
	packet_add_hex(&c->out, name, sizeof(name) - 1);
	return 0;
}

int serve_list_end(struct connection *c, const char *p)
{
	(void)p;
	packet_add(&c->out, "l");
	return 0;
}
