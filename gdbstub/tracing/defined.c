/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps the definitions for tracing. See defined.h.
 */
#include "gdbstub/tracing/defined.h"

#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "gdbstub/wire/packet.h"

const char trace_no_memory[] = "the program has no memory for tracepoints";
const char trace_malformed[] = "the packet is malformed";

static struct trace *mapped;

/* Settings stay. */
void trace_clear(struct trace *t)
{
	struct trace_variable *timestamp = &t->variables[COLLECT_TIMESTAMP];

	t->points = NULL;
	t->npoints = 0;
	t->used = 0;
	t->generation++;
	t->stop_note[0] = 0;
	__builtin_memset(t->variables, 0, sizeof(t->variables));
	timestamp->defined = 1;
	timestamp->builtin = 1;
	text_copy(timestamp->name, sizeof(timestamp->name), "trace_timestamp");
}

void trace_forget(struct trace *t)
{
	trace_clear(t);
	t->circular = t->disconnected = 0;
	t->size = 0;
	t->data = 0;
	t->user[0] = t->notes[0] = 0;
}

struct trace *trace_get(void)
{
	if (!mapped) {
		mapped = sys_map_anonymous(sizeof(*mapped));
		if (!mapped)
			return NULL;
		sys_madvise(mapped, sizeof(*mapped), MADV_WIPEONFORK);
	}
	/* a new mapping, or one in a forked child */
	if (!mapped->generation)
		trace_clear(mapped);
	return mapped;
}

struct trace_point *trace_find(const struct trace *t, uint64_t number,
			       uint64_t address)
{
	struct trace_point *point = t->points;

	while (point && (point->number != number || point->address != address))
		point = point->next;
	return point;
}

void trace_request(const struct trace_point *point,
		   struct collect_request *request,
		   struct collect_action *actions)
{
	const struct trace_action *action;
	uint32_t n = 0;

	for (action = point->actions; action; action = action->next)
		actions[n++] = action->collect;
	*request = (struct collect_request){
		.number = point->number,
		.enabled = point->enabled,
		.address = point->address,
		.pass = point->pass,
		.condition = point->condition,
		.condition_bytes = point->condition_bytes,
		.nactions = n,
		.actions = actions,
	};
}

void *trace_take(struct trace *t, uint32_t bytes)
{
	void *p = t->arena + t->used;

	bytes = (uint32_t)align_up(bytes, 8);
	if (bytes > sizeof(t->arena) - t->used)
		return NULL;
	t->used += bytes;
	__builtin_memset(p, 0, bytes);
	return p;
}

bool trace_read_name(const char **p, uint64_t *number, uint64_t *address)
{
	return packet_read_number(p, number) && packet_read_char(p, ':') &&
	       packet_read_number(p, address);
}
