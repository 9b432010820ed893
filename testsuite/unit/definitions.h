/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What gdb defines for tracing, without an agent: packets go straight to the
 * functions that serve them, markers are at every sixteenth address from
 * 0x1000 to 0x2ff0, and what a run would be told is counted.
 */
#ifndef TESTSUITE_DEFINITIONS_H
#define TESTSUITE_DEFINITIONS_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gdbstub/tracing/defined.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"

static struct {
	int installed;
	int switched;
	int forgotten;
	int refuses; /* what is asked from now on */
} told;

const char *run_install(struct trace_point *point)
{
	if (!point->complete)
		abort();
	told.installed++;
	return told.refuses ? "the run cannot" : NULL;
}

int run_enable(struct trace_point *point, int on)
{
	if (!point->complete || (on != 0 && on != 1))
		abort();
	told.switched++;
	return told.refuses;
}

void run_forget(void)
{
	told.forgotten++;
}

bool marker_at(uint64_t address, const char **why)
{
	*why = NULL;
	return address >= 0x1000 && address < 0x3000 && !(address & 15);
}

int code_at(uint64_t address)
{
	return address >= 0x3000 && address < 0x4000;
}

static enum ax_verdict some_read(void *hit, uint64_t address, void *to,
				 uint32_t bytes)
{
	(void)hit;
	(void)address;
	memset(to, 0, bytes);
	return AX_DONE;
}

static enum ax_verdict some_get(void *hit, uint32_t number, uint64_t *value)
{
	(void)hit;
	*value = number;
	return AX_DONE;
}

static enum ax_verdict some_collect(void *hit, uint64_t address, uint64_t bytes)
{
	(void)hit;
	(void)address;
	(void)bytes;
	return AX_DONE;
}

static enum ax_verdict some_variable(void *hit, uint32_t number)
{
	(void)hit;
	(void)number;
	return AX_DONE;
}

const struct ax_machine collect_machine = {
	.read = some_read,
	.reg = some_get,
	.variable_get = some_get,
	.variable_collect = some_variable,
	.collect = some_collect,
	.collect_string = some_collect,
	.nregisters = 60,
};

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
	(void)p;
	packet_add(&c->out, "OK");
	return 0;
}

static const struct {
	const char *word;
	packet_fn *fn;
} definitions_words[] = {
	{ "QTinit", serve_trace_init },
	{ "QTDP:", serve_define_point },
	{ "QTDPsrc:", serve_define_source },
	{ "QTDV:", serve_define_variable },
	{ "QTEnable:", serve_point_enable },
	{ "QTDisable:", serve_point_disable },
	{ "QTDisconnected:", serve_trace_disconnected },
	{ "QTBuffer:", serve_trace_buffer },
	{ "QTNotes:", serve_trace_notes },
	{ "QTSave:", serve_trace_save },
	{ "QTaffrail:data:", serve_trace_data },
	{ "qTfP", serve_points_first },
	{ "qTsP", serve_points_next },
	{ "qTfV", serve_variables_first },
	{ "qTsV", serve_variables_next },
};

/*
 * Serves a packet. Returns the payload of the answer, which is good until the
 * next one; the empty one for what is not known.
 */
static inline const char *definitions_ask(struct connection *c, const char *p)
{
	size_t i;

	packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
	for (i = 0; i < ARRAY_SIZE(definitions_words); i++) {
		const char *rest = text_after(p, definitions_words[i].word);

		if (!rest)
			continue;
		definitions_words[i].fn(c, rest);
		break;
	}
	packet_close(&c->out);
	c->out_bytes[c->out.used - 3] = 0;
	return c->out_bytes + 1;
}

#endif
