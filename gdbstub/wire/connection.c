/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers that every part of the stub gives: OK, and errors with or without
 * text.
 */
#include "gdbstub/wire/connection.h"

void connection_refuse(struct connection *c, const char *why)
{
	packet_add(&c->out, "E.");
	packet_add(&c->out, why);
}

void connection_error(struct connection *c, uint8_t number)
{
	packet_add(&c->out, "E");
	packet_add_hex(&c->out, &number, 1);
}

int serve_ok(struct connection *c, const char *p)
{
	packet_add(&c->out, "OK");
	return 0;
}
