/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting for gdbserver's fast tracepoints.
 *
 * A jump pad calls ipa_collect() with the registers. When the tracepoint is at
 * a marker and wants its static data, ipa_collect() keeps the registers as a
 * snapshot, and ipa_hit() collects a moment later: the pad continues with the
 * site's jump, which leads to the marker's arguments.
 *
 * Invariant: the thread that makes a frame is the holder (ipa_hold()), from the
 * first block to ipa_commit().
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "base/host.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "control/service/wakeup.h"
#include "gdbstub/wire/static-block.h"
#include "tracepoints/fields/field-text.h"
#include "tracepoints/frames/builder.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/program/snapshot.h"

#define STATIC_TEXT_MAX	(65535u - STATIC_STAMP_BYTES)

__attribute__((visibility("default"), used)) int32_t gdb_agent_ipa_tdesc_idx;

/* A hit, and the frame that is made of it. */
struct hit {
	struct builder builder;		/* first */
	const uint64_t *general;	/* in the order of struct registers */
	uint64_t address;		/* of the tracepoint */
	uint64_t flags;
	const uint8_t *vectors;		/* area of vectors_kept(), or NULL */
	const struct snapshot *snapshot; /* else: whose vectors are kept */
	struct ipa_marker *marker;	/* whose cell is served, or NULL */
	const struct object *object;	/* of static data, or NULL */
	uint64_t fixed;
	const struct write_var *var;
	uint8_t before;			/* no frame: before the arguments */
	uint64_t refused;		/* struct refused */
};

/* The tracepoints, a bit each in the order of the list, whose conditions were
 * found false on the way from the site: of the thread's last such hit. */
struct refused {
	const uint8_t *behind;
	uint64_t stack;
	uint64_t points;
};

#define REFUSED_MAX	64u

static __thread struct refused refused
	__attribute__((tls_model("initial-exec")));

void ipa_collect(struct ipa_point *point, struct ipa_registers *registers,
		 const uint8_t *vectors);

/* The program counter is the site; the other registers are those of the hit. */
static enum ax_verdict hit_register(void *arg, uint32_t number,
				    uint64_t *value)
{
	struct hit *hit = arg;

	if (number != REGISTER_RIP)
		return builder_ax_register(hit->general, hit->flags, number,
					   value);
	*value = hit->address;
	return AX_DONE;
}

static enum ax_verdict hit_variable_get(void *arg, uint32_t number,
					uint64_t *value)
{
	struct hit *hit = arg;

	return hit->before || ipa_variable_get(number, (int64_t *)value) ?
		       AX_UNAVAILABLE : AX_DONE;
}

static enum ax_verdict hit_variable_set(void *arg, uint32_t number,
					uint64_t value)
{
	struct hit *hit = arg;

	return hit->before || ipa_variable_set(number, (int64_t)value) ?
		       AX_UNAVAILABLE : AX_DONE;
}

static enum ax_verdict hit_variable_collect(void *arg, uint32_t number)
{
	struct hit *hit = arg;
	int64_t value;

	if (hit->before || ipa_variable_get(number, &value))
		return AX_UNAVAILABLE;
	return builder_variable(&hit->builder, number, value);
}

static const struct ax_machine machine = {
	.read = builder_ax_read,
	.reg = hit_register,
	.variable_get = hit_variable_get,
	.variable_set = hit_variable_set,
	.variable_collect = hit_variable_collect,
	.collect = builder_ax_collect,
	.collect_string = builder_ax_collect_string,
	.nregisters = REGISTERS_NUMBERED,
};

/* A hit whose vector registers are not there has none of the others either: the
 * block cannot say which it has. */
static void add_registers(struct hit *hit)
{
	uint32_t description = (uint32_t)gdb_agent_ipa_tdesc_idx;
	const uint8_t *vectors = hit->vectors;
	uint32_t before = hit->builder.used;
	uint8_t *block;

	if (!vectors && hit->snapshot)
		vectors = ipa_kept(hit->snapshot);
	if (!vectors)
		return;
	block = builder_registers_room(&hit->builder,
				       ipa_block_bytes(description));
	if (block)
		ipa_block_fill(block, description,
			       &(struct ipa_state){ hit->general, hit->address,
						    hit->flags, vectors });
	if (!hit->vectors && !ipa_kept(hit->snapshot))
		hit->builder.used = before;
}

/* Returns true when an action wants static data: by gdbserver's action, or by
 * the filter's, which works in every gdbserver (gdbstub/wire/static-block.h).
 */
static bool is_static(const struct ipa_action *action)
{
	const struct ipa_action_memory *memory = (const void *)action;

	return action->type == IPA_ACTION_STATIC ||
	       (action->type == IPA_ACTION_MEMORY && memory->base < 0 &&
		memory->address == STATIC_BLOCK_ADDRESS);
}

/*
 * Adds static data as text with a NUL, which gdb shows to the user. Where the
 * filter asks for it (static-block.h), the time and the thread stand before the
 * text, and the marker's id is in a block of its own, unless no other marker
 * can come to the marker's address.
 */
static void add_static(struct hit *hit, int for_gdbserver)
{
	const uint64_t address = STATIC_BLOCK_ADDRESS;
	const uint64_t name_address = STATIC_NAME_ADDRESS;
	uint32_t thread[2] = { host_tid(), 0 };
	struct builder raw = { .bytes = ipa_text, .room = IPA_TEXT_BYTES / 2 };
	char *string = (char *)ipa_text + IPA_TEXT_BYTES / 2;
	struct field_event event;
	struct text text;
	uint32_t stamp = for_gdbserver ? 0 : STATIC_STAMP_BYTES;
	uint64_t time = 0;
	uint16_t n;

	if (!hit->object)
		return;
	builder_static(&raw, &hit->object->shape, hit->fixed, hit->var);
	event = (struct field_event){ hit->object->site->kind_,
				      hit->object->site->nfields_,
				      hit->object->types, hit->object->format,
				      shown_of_site(hit->object->site) };
	text_open(&text, string, STATIC_TEXT_MAX);
	field_text(&text, &event, raw.bytes + 3, raw.used - 3);
	n = (uint16_t)(stamp + text.used + 1);
	if (!builder_room(&hit->builder, 3u + (uint32_t)sizeof(address) + n))
		return;
	if (for_gdbserver) {
		hit->builder.bytes[hit->builder.used++] = COLLECT_BLOCK_STATIC;
		builder_put(&hit->builder, &n, sizeof(n));
		builder_put(&hit->builder, string, n);
		return;
	}
	if (process.page)
		time = clock_to_realtime_ns(&process.page->start, clock_hz(),
					    clock_read());
	hit->builder.bytes[hit->builder.used++] = COLLECT_BLOCK_MEMORY;
	builder_put(&hit->builder, &address, sizeof(address));
	builder_put(&hit->builder, &n, sizeof(n));
	builder_put(&hit->builder, &time, sizeof(time));
	builder_put(&hit->builder, thread, sizeof(thread));
	builder_put(&hit->builder, string, n - stamp);
	n = (uint16_t)text_length(hit->object->id);
	if (hit->object->module->headers == ipa->executable ||
	    !builder_room(&hit->builder, 3u + (uint32_t)sizeof(address) + n))
		return;
	hit->builder.bytes[hit->builder.used++] = COLLECT_BLOCK_MEMORY;
	builder_put(&hit->builder, &name_address, sizeof(name_address));
	builder_put(&hit->builder, &n, sizeof(n));
	builder_put(&hit->builder, hit->object->id, n);
}

/* Keeps the first error of the trace, and the tracepoint for it. */
static void error_note(struct ipa_point *point, int error)
{
	if (gdb_agent_expr_eval_result || !ipa_trace_same())
		return;
	gdb_agent_error_tracepoint = point;
	store_release(&gdb_agent_expr_eval_result, error, IPA_ERROR);
}

/* An error that the program's data cause, such as a bad pointer, does not end
 * the trace: the frame only lacks the value. */
static bool expression_run(struct hit *hit, struct ipa_point *point,
			   const struct ipa_expression *expression,
			   int want_result, uint64_t *result)
{
	int error = 0;
	const struct ax_program *program =
		ipa_program(expression, &machine, want_result, &error);
	enum ax_verdict verdict;

	if (!program) {
		error_note(point, error);
		return false;
	}
	verdict = ax_run(program, NULL, hit, result);
	if (verdict == AX_DIVIDED_BY_ZERO)
		error_note(point, IPA_DIVIDED_BY_ZERO);
	return verdict == AX_DONE;
}

/* Adds the blocks of all actions. Static data comes first, before all that may
 * be cut, when an action wants it. A tracepoint at a marker's cell that has no
 * action wants only static data. */
static void frame_fill(struct hit *hit, struct ipa_point *point)
{
	const struct ipa_action_memory *memory;
	uint64_t base;
	uint32_t i;

	if (!point->nactions && hit->marker)
		add_static(hit, 0);
	for (i = 0; i < point->nactions; i++)
		if (is_static(point->actions[i]))
			break;
	if (i < point->nactions)
		add_static(hit, point->actions[i]->type == IPA_ACTION_STATIC);
	for (i = 0; i < point->nactions; i++) {
		const struct ipa_action *action = point->actions[i];

		if (is_static(action))
			continue;
		switch ((enum ipa_action_type)action->type) {
		case IPA_ACTION_REGISTERS:
			add_registers(hit);
			break;
		case IPA_ACTION_STATIC:
			break;
		case IPA_ACTION_MEMORY:
			memory = (const void *)action;
			base = 0;
			if (memory->base < 0 ||
			    hit_register(hit, (uint32_t)memory->base, &base) ==
				    AX_DONE)
				builder_memory(&hit->builder,
					       base + memory->address,
					       memory->bytes);
			break;
		case IPA_ACTION_EXPRESSION:
			expression_run(hit, point,
				       ((const struct ipa_action_expression *)
						action)->expression,
				       0, &base);
			break;
		}
	}
}

/* Makes the frame beside the buffer, then reserves room for all of it. A frame
 * that does not fit ends the trace. */
static void frame_make(struct hit *hit, struct ipa_point *point)
{
	struct ipa_frame head = { .number = (uint16_t)point->number };
	uint8_t *place;

	hit->builder.bytes = ipa_frame;
	hit->builder.room = ipa_limits_room();
	hit->builder.used = sizeof(head);
	hit->builder.cut = 0;
	frame_fill(hit, point);
	head.bytes = hit->builder.used - (uint32_t)sizeof(head);
	__builtin_memcpy(ipa_frame, &head, sizeof(head));
	place = ipa_trace_same() && ipa_limits_fit(hit->builder.used) ?
			ipa_reserve(hit->builder.used) : NULL;
	if (!place) {
		if (load_acquire(&gdb_agent_tracing, IPA_TRACING) &&
		    ipa_trace_same())
			gdb_agent_trace_buffer_is_full = 1;
		return;
	}
	builder_copy(place, ipa_frame, hit->builder.used);
	point->usage += head.bytes;
	if (ipa_commit())
		ipa_limits_add(hit->builder.used, hit->builder.cut);
}

/* Returns false when the trace must end. A condition that fails does not hold,
 * and is counted. */
static bool point_hit(struct hit *hit, struct ipa_point *point)
{
	uint64_t result = 1;

	if (!point->enabled)
		return true;
	if (point->condition &&
	    !expression_run(hit, point, point->condition, 1, &result)) {
		if (ipa_trace_same())
			ipa_limits_fail();
		result = 0;
	}
	if (!result)
		return !gdb_agent_expr_eval_result;
	point->hit_count++;
	if (point->pass_count && point->hit_count >= point->pass_count &&
	    !point->step_count && !gdb_agent_stopping_tracepoint &&
	    ipa_trace_same())
		gdb_agent_stopping_tracepoint = point;
	frame_make(hit, point);
	return !gdb_agent_stopping_tracepoint &&
	       !gdb_agent_trace_buffer_is_full && !gdb_agent_expr_eval_result;
}

/* Serves all fast tracepoints of an address; they follow each other in the
 * list. */
static void points_hit(struct hit *hit, struct ipa_point *point)
{
	uint64_t address = point->address;
	uint64_t left = hit->refused;

	for (; point && point->address == address; point = point->next) {
		int is_refused = left & 1;

		left >>= 1;
		if (is_refused || point->type != IPA_FAST ||
		    point_hit(hit, point))
			continue;
		ipa_call(ipa_stop_tracing);
		return;
	}
}

/* Returns the distance of the jump at a site. The site's first byte may be a
 * breakpoint. */
static int32_t jump_at(uint64_t address)
{
	int32_t distance;

	__builtin_memcpy(&distance, (const uint8_t *)address + 1,
			 sizeof(distance));
	return distance;
}

/*
 * When `point` is NULL, serves the tracepoint of the marker: the one that a pad
 * came with, as long as the jump to that pad is there. Each trace has new pads.
 * It is looked up here because gdbserver begins no trace while a thread is in a
 * pad, but may begin one while a thread is between a pad and the marker.
 * gdbserver's list cannot be used: it is empty when its first tracepoint is of
 * another kind.
 */
static void hit_serve(struct hit *hit, struct ipa_point *point)
{
	const struct ipa_marker *marker;

	ipa_trace_enter();
	memory_stack_here(&hit->builder.stack, hit->general[7]);
	if (!point && hit->marker) {
		point = ipa_cell_point(hit->marker);
	} else if (!point) {
		marker = ipa_marker_find(hit->address);
		if (marker && load_acquire(&marker->jump, IPA_JUMP) ==
				      jump_at(hit->address))
			point = marker->point;
	}
	if (point && load_acquire(&gdb_agent_tracing, IPA_TRACING))
		points_hit(hit, point);
	ipa_release();
}

/* Returns true when a tracepoint at the address of this one collects static
 * data. */
static bool wants_static(const struct ipa_point *point)
{
	uint64_t address = point->address;

	for (; point && point->address == address; point = point->next)
		for (uint32_t i = 0; i < point->nactions; i++)
			if (is_static(point->actions[i]))
				return true;
	return false;
}

/* Returns true when a tracepoint at this one's address, not a refused one,
 * collects registers. */
static bool wants_registers(const struct ipa_point *point, uint64_t without)
{
	uint64_t address = point->address;

	for (; point && point->address == address;
	     point = point->next, without >>= 1)
		for (uint32_t i = 0; i < point->nactions && point->enabled &&
			    !(without & 1); i++)
			if (point->actions[i]->type == IPA_ACTION_REGISTERS)
				return true;
	return false;
}

/* Returns the tracepoints whose conditions are false. A condition that uses a
 * variable, or fails, is looked at later. The holder only. */
static uint64_t find_refused(struct hit *hit, const struct ipa_point *point)
{
	uint64_t address = point->address;
	const struct ax_program *program;
	uint64_t points = 0;
	uint64_t result;
	uint32_t i;
	int error;

	for (i = 0; i < REFUSED_MAX && point && point->address == address;
	     i++, point = point->next) {
		if (!point->enabled || !point->condition)
			continue;
		result = 1;
		program = ipa_program(point->condition, &machine, 1, &error);
		if (program &&
		    ax_run(program, NULL, hit, &result) == AX_DONE && !result)
			points |= 1ull << i;
	}
	return points;
}

SIGSAFE int ipa_wants_registers(const uint8_t *behind, const uint64_t *general,
				uint64_t flags)
{
	struct snapshot snapshot = { .behind = behind };
	struct hit hit = { .general = general, .flags = flags, .before = 1,
			   .address = snapshot_address(&snapshot) };
	struct ipa_marker *marker;
	struct ipa_point *point;

	refused.points = 0;
	if (!ipa->on)
		return 0;
	marker = ipa_marker_find(hit.address + 1);
	point = marker ? ipa_cell_point(marker) : NULL;
	if (!point || !wants_registers(point, 0))
		return 0;
	if (ipa_hold_free(general[7])) {
		memory_stack_here(&hit.builder.stack, general[7]);
		hit.refused = find_refused(&hit, point);
		ipa_release();
	}
	refused = (struct refused){ behind, general[7], hit.refused };
	return wants_registers(point, hit.refused);
}

/* Serves a hit in the pad, unless it needs the arguments of the marker or has
 * to wait: ipa_hit() then serves it. */
static void pad_collect(struct ipa_point *point, const uint64_t *general,
			uint64_t flags, const uint8_t *vectors)
{
	struct hit hit = { .general = general, .address = point->address,
			   .flags = flags, .vectors = vectors };
	struct ipa_marker *marker =
		ipa->on ? ipa_marker_find(point->address) : NULL;
	struct object *object;

	if (!marker || !wants_static(point)) {
		if (ipa_hold(!marker, general[7])) {
			hit_serve(&hit, point);
			return;
		}
		if (!marker) {
			ipa_limits_drop();
			return;
		}
		/* ipa_hit() serves it, where the thread can wait */
	}
	marker->point = point;
	store_release(&marker->jump, jump_at(point->address), IPA_JUMP);
	object = load_acquire(&marker->object, IPA_MARKER);
	if (wants_registers(point, 0))
		ipa_keep((const uint8_t *)general[7] + IPA_KEPT_PAD, NULL,
			 vectors);
	snapshot_put(object->site, general, (uint32_t)flags, point->address);
}

/* A child has copies of the pads; there struct ipa is wiped, so `here` is 0. */
void ipa_collect(struct ipa_point *point, struct ipa_registers *r,
		 const uint8_t *vectors)
{
	uint64_t general[16] = { r->rax, r->rbx, r->rcx, r->rdx,
				 r->rsi, r->rdi, r->rbp, r->rsp,
				 r->r8,	 r->r9,	 r->r10, r->r11,
				 r->r12, r->r13, r->r14, r->r15 };

	if (ipa && ipa->here && load_acquire(&gdb_agent_tracing, IPA_TRACING) &&
	    ipa_is_current(point))
		pad_collect(point, general, r->flags, vectors);
}

/* Serves a hit outside a pad, where the thread can wait. */
static void hit_late(struct hit *hit, const struct snapshot *snapshot)
{
	hit->general = snapshot->general;
	hit->flags = snapshot->flags;
	hit->snapshot = snapshot;
	if (ipa_hold(1, snapshot->general[7]))
		hit_serve(hit, NULL);
	else
		ipa_limits_drop();
	ipa_kept_release(snapshot);
}

/* Returns true when a tracepoint at this one's address is enabled and not
 * refused.
 */
static bool is_wanted(const struct ipa_point *point, uint64_t without)
{
	uint64_t address = point->address;

	for (; point && point->address == address;
	     point = point->next, without >>= 1)
		if (point->enabled && !(without & 1))
			return true;
	return false;
}

/* Serves the tracepoints on the site's cell, if it has a cell. */
static void cell_hit(struct hit *hit)
{
	const struct object *object = hit->object;
	struct snapshot *snapshot = snapshot_find(object->site);
	struct ipa_marker *marker;
	struct ipa_point *point;

	if (!snapshot)
		return;
	hit->address = snapshot_address(snapshot);
	marker = ipa_marker_find(hit->address + 1);
	point = marker ? ipa_cell_point(marker) : NULL;
	if (point) {
		/* the conditions count for one hit */
		if (refused.behind == snapshot->behind &&
		    refused.stack == snapshot->general[7])
			hit->refused = refused.points;
		refused.points = 0;
	}
	if (point && is_wanted(point, hit->refused)) {
		hit->marker = marker;
		hit_late(hit, snapshot);
	}
	hit->refused = 0;
	if (load_relaxed(&object->snapshots) == OBJECT_IPA)
		snapshot_release(snapshot);
}

void ipa_hit(struct write_slot *slot, uint64_t fixed,
	     const struct write_var *var)
{
	struct hit hit = { .object = object_of(slot->shape),
			   .fixed = fixed, .var = var };
	struct snapshot *snapshot;

	if (!ipa->on || !load_acquire(&gdb_agent_tracing, IPA_TRACING))
		return;
	cell_hit(&hit);
	snapshot = snapshot_find_put(hit.object->site);
	if (!snapshot)
		return;
	hit.marker = NULL;
	hit.address = (uint64_t)snapshot->behind;
	hit_late(&hit, snapshot);
	snapshot_release(snapshot);
}

COLD SIGSAFE void ipa_end(enum ipa_end why)
{
	if (ipa && ipa->here && load_acquire(&gdb_agent_tracing, IPA_TRACING) &&
	    wakeup_here()) {
		ipa_limits_end(why);
		ipa_call(ipa_stop_tracing);
	}
}
