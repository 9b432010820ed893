/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting: a hit of a marker that has tracepoints of gdb.
 *
 * Invariant: this code runs in the program's threads and signal handlers. It
 * takes no lock, allocates nothing, does not change errno, and loads only from
 * memory that is certain to be mapped (tracepoints/program/memory.h).
 */
#include "tracepoints/frames/collect-private.h"

#include "base/base.h"
#include "base/host.h"
#include "buffers/clock.h"
#include "tracepoints/frames/builder.h"
#include "tracepoints/frames/hit-place.h"
#include "tracepoints/program/snapshot.h"

struct collect_run *collect_run;
struct write_slot collect_frame_slot;
struct collect_count collect_counts[COLLECT_POINTS_MAX];
struct tally collect_tally;
uint64_t collect_cut;
uint64_t collect_undecided;

uint8_t *collect_places;
static uint64_t places[FRAME_PLACES];

/* Trace state variables; any thread reads and writes them, as whole words. */
static int64_t variables[COLLECT_VARIABLES_MAX];

/* A hit, and the frame that is being made of it. */
struct hit {
	struct builder builder;			/* first */
	const struct snapshot *snapshot;	/* or NULL */
	const struct object *object;
	uint64_t fixed;
	const struct write_var *var;
	int place;			/* place of the frame, or -1 */
	uint64_t token;			/* of that place */
};

/* The head of a frame, as the value of the event's fixed part. */
union frame_head {
	struct {
		uint32_t tracepoint;
		uint32_t vtid;
	};
	uint64_t value;
};

SIGSAFE int collect_variable_get(uint32_t number, int64_t *value)
{
	if (number >= COLLECT_VARIABLES_MAX)
		return -1;
	if (number == COLLECT_TIMESTAMP)
		*value = (int64_t)(clock_to_realtime_ns(&process.page->start,
					clock_hz(), clock_read()) / 1000);
	else
		*value = load_relaxed(&variables[number]);
	return 0;
}

SIGSAFE int collect_variable_set(uint32_t number, int64_t value)
{
	if (number >= COLLECT_VARIABLES_MAX || number == COLLECT_TIMESTAMP)
		return -1;
	store_relaxed(&variables[number], value);
	return 0;
}

/* Moves a frame from the stack to a larger place. Returns 0 if none is free. */
static COLD int frame_move(struct builder *builder)
{
	struct hit *hit = (struct hit *)builder;
	uint8_t *place;

	if (hit->place >= 0 || !collect_places)
		return 0;
	hit->token = place_token((uint64_t)__builtin_frame_address(0));
	hit->place = place_take(places, FRAME_PLACES, 0, hit->token);
	if (hit->place < 0)
		return 0;
	place = collect_places + (uint32_t)hit->place * FRAME_LARGE_BYTES;
	__builtin_memcpy(place, builder->bytes, builder->used);
	builder->bytes = place;
	builder->room =
		(uint32_t)min_u64(FRAME_LARGE_BYTES, collect_run->limit);
	return 1;
}

/* Adds the register block, if the site has stored the registers. */
static void add_registers(struct hit *hit)
{
	uint8_t *to;

	if (!hit->snapshot)
		return;
	to = builder_registers_room(&hit->builder, REGISTERS_BLOCK_BYTES);
	if (to)
		snapshot_block(hit->snapshot, to);
}

/* Functions for agent expressions */

/* Gets a register of the program at the marker. Without a snapshot none is
 * known. */
static SIGSAFE enum ax_verdict hit_register(void *arg, uint32_t number,
					    uint64_t *value)
{
	struct hit *hit = arg;

	if (!hit->snapshot)
		return AX_UNAVAILABLE;
	if (number != REGISTER_RIP)
		return builder_ax_register(hit->snapshot->general,
					   hit->snapshot->flags, number, value);
	*value = snapshot_address(hit->snapshot);
	return AX_DONE;
}

static SIGSAFE enum ax_verdict hit_variable_get(void *arg, uint32_t number,
						uint64_t *value)
{
	const struct hit *hit = arg;
	const struct ax_event event = { hit->fixed, hit->var };
	const struct collect_list *list =
		load_acquire(&hit->object->collect, COLLECT_LIST);

	for (uint32_t i = 0; list && i < list->nfields; i++)
		if (list->fields[i].variable == number)
			return ax_run(list->fields[i].program, &event, NULL,
				      value);
	return collect_variable_get(number, (int64_t *)value) ?
		       AX_UNAVAILABLE : AX_DONE;
}

static SIGSAFE enum ax_verdict hit_variable_set(void *arg, uint32_t number,
						uint64_t value)
{
	return collect_variable_set(number, (int64_t)value) ? AX_UNAVAILABLE :
							      AX_DONE;
}

static SIGSAFE enum ax_verdict hit_variable_collect(void *arg, uint32_t number)
{
	struct hit *hit = arg;
	uint64_t value;

	if (hit_variable_get(hit, number, &value) != AX_DONE)
		return AX_UNAVAILABLE;
	return builder_variable(&hit->builder, number, (int64_t)value);
}

const struct ax_machine collect_machine = {
	.read = builder_ax_read,
	.reg = hit_register,
	.variable_get = hit_variable_get,
	.variable_set = hit_variable_set,
	.variable_collect = hit_variable_collect,
	.collect = builder_ax_collect,
	.collect_string = builder_ax_collect_string,
	.nregisters = REGISTERS_NUMBERED,
};

/* Returns a program of the point by the offset that the point keeps. */
static const struct ax_program *program_at(const struct collect_point *point,
					   uint64_t offset)
{
	return (const struct ax_program *)((const char *)point + offset);
}

/* An action that fails does not stop the others. */
static void action_run(struct hit *hit, const struct collect_point *point,
		       const struct point_action *action)
{
	uint64_t base = 0;

	switch ((enum collect_kind)action->kind) {
	case COLLECT_REGISTERS:
		add_registers(hit);
		break;
	case COLLECT_STATIC:
		builder_static(&hit->builder, &hit->object->shape, hit->fixed,
			       hit->var);
		break;
	case COLLECT_MEMORY:
		if (action->base != COLLECT_ABSOLUTE &&
		    hit_register(hit, action->base, &base) != AX_DONE)
			break;
		builder_memory(&hit->builder, base + action->offset,
			       action->bytes);
		break;
	case COLLECT_EXPRESSION:
		ax_run(program_at(point, action->program), NULL, hit, &base);
		break;
	}
}

/* Only the first of several pass counts ends the run, and no later run. */
static void run_end(uint32_t run, enum collect_end end, uint32_t slot)
{
	uint32_t none = COLLECT_GOES_ON;

	if (!__atomic_compare_exchange_n(&collect_run->ended, &none,
					 (uint32_t)end | slot << 8, 0,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	collect_run->ended_at = clock_read();
	/* COLLECT-END: a thread that sees LAST also sees both values; without
	 * the order it could take old ones */
	__atomic_compare_exchange_n(&collect_run->word, &run, run + 1, 0,
				    SEQ_CST(COLLECT_END), __ATOMIC_RELAXED);
}

/*
 * Returns true when the hit that was just counted still belongs to the run.
 * When a pass count has ended the run, only hits of that tracepoint do.
 */
static bool run_takes(uint32_t run, uint32_t slot)
{
	uint32_t now;

	/* COLLECT-COUNT: this load must not move before the count, or
	 * collect_stop() might miss the count and cut off the frame; the
	 * CPU's barrier is on the other side */
	__atomic_signal_fence(SEQ_CST(COLLECT_COUNT));
	now = load_acquire(&collect_run->word, COLLECT_COUNT);
	if (likely(now == run))
		return true;
	return now == run + 1 && load_relaxed(&collect_run->ended) >> 8 == slot;
}

/* Counts the bytes of a frame; see struct collect_count. */
static void bytes_count(struct collect_count *count, uint32_t bytes)
{
	uint64_t usual = load_relaxed(&count->usual);

	if (likely(bytes == usual))
		return;
	if (!usual && __atomic_compare_exchange_n(&count->usual, &usual, bytes,
						  0, __ATOMIC_RELAXED,
						  __ATOMIC_RELAXED))
		return;
	__atomic_fetch_add(&count->rest, bytes - usual, __ATOMIC_RELAXED);
}

/* A separate function: a hit whose condition does not hold does not need room
 * for a frame on the stack. */
static __attribute__((noinline)) void
frame_write(struct hit *hit, const struct collect_point *point)
{
	uint8_t small[FRAME_SMALL_BYTES];
	struct builder *builder = &hit->builder;
	union frame_head head = { { point->number, host_tid() } };
	struct write_var var;

	builder->bytes = small;
	builder->room = (uint32_t)min_u64(sizeof(small), collect_run->limit);
	builder->used = 0;
	builder->cut = 0;
	builder->more = frame_move;
	hit->place = -1;
	builder_put(builder, &point->address, sizeof(point->address));
	for (uint32_t i = 0; i < point->nactions; i++)
		action_run(hit, point, &point->actions[i]);
	var.p = builder->bytes;
	var.n = builder->used;
	if (unlikely(hit->place >= 0) &&
	    !place_is(&places[hit->place], hit->token)) {
		var.p = &point->address;
		var.n = sizeof(point->address);
		builder->cut = 1;
	}
	load_relaxed(&collect_frame_slot.hit)(&collect_frame_slot, head.value,
					      &var);
	bytes_count(point->count, builder->used);
	if (unlikely(builder->cut))
		__atomic_fetch_add(&collect_cut, 1, __ATOMIC_RELAXED);
	if (unlikely(hit->place >= 0))
		place_release(&places[hit->place], hit->token);
}

/* Returns true when the condition holds. */
static bool condition_holds(struct hit *hit, const struct collect_point *point)
{
	uint64_t result;

	if (likely(ax_run(program_at(point, point->condition), NULL, hit,
			  &result) == AX_DONE))
		return result != 0;
	__atomic_fetch_add(&collect_undecided, 1, __ATOMIC_RELAXED);
	return false;
}

/* The slow part of a hit: the condition holds, or must still be evaluated
 * (`ask`). */
static __attribute__((noinline)) void
point_hit(const struct collect_point *point, const struct object *object,
	  const struct snapshot *snapshot, uint64_t fixed,
	  const struct write_var *var, int ask)
{
	struct hit hit;		/* not cleared: that takes 10 ns */
	uint32_t run = load_acquire(&collect_run->word, COLLECT_RUN);
	uint64_t n = 0;

	if (unlikely(COLLECT_PHASE(run) != COLLECT_ON))
		return;
	hit.snapshot = snapshot;
	hit.object = object;
	hit.fixed = fixed;
	hit.var = var;
	if (point->reads)
		memory_stack_here(&hit.builder.stack,
				  snapshot ? snapshot->general[7] : 0);
	if (unlikely(ask) && !condition_holds(&hit, point))
		return;
	if (point->pass || !tally_add(&collect_tally, point->slot))
		n = __atomic_add_fetch(&point->count->hits, 1,
				       SEQ_CST(COLLECT_COUNT));
	/* COLLECT-COUNT: see run_takes() */
	if ((point->pass && n > point->pass) || !run_takes(run, point->slot)) {
		__atomic_sub_fetch(&point->count->hits, 1, __ATOMIC_RELAXED);
		return;
	}
	frame_write(&hit, point);
	if (unlikely(point->pass && n == point->pass))
		run_end(run, COLLECT_PASSED, point->slot);
}

/* Loads a value of 1, 2, 4 or 8 bytes from an address that is certain to be
 * mapped. */
static ALWAYS_INLINE uint64_t word_load(uint64_t address, uint32_t bytes)
{
	const void *from = (const void *)address;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (bytes) {
	case 4:
		__builtin_memcpy(&u32, from, sizeof(u32));
		return u32;
	case 8:
		__builtin_memcpy(&u64, from, sizeof(u64));
		return u64;
	case 2:
		__builtin_memcpy(&u16, from, sizeof(u16));
		return u16;
	default:
		return *(const uint8_t *)from;
	}
}

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_ASK };

/* Evaluates a simple condition. Reads memory only if it was certain from the
 * start, or lies in the stack pointer's page, not below the pointer. */
static ALWAYS_INLINE enum answer
test_answer(const struct ax_simple *test, const struct snapshot *snapshot)
{
	uint64_t value = test->offset;

	if (test->reg != AX_SIMPLE_NO_REGISTER) {
		if (unlikely(!snapshot))
			return ANSWER_ASK;
		value += snapshot->general[test->reg];
		if (test->bytes) {
			uint64_t sp = snapshot->general[7];

			if (value < sp || value - sp + 8 > 4096 - (sp & 4095))
				return ANSWER_ASK;
		}
	} else if (unlikely(load_relaxed(&memory_has_holes))) {
		return ANSWER_ASK;
	}
	if (test->bytes)
		value = word_load(value, test->bytes);
	return (value << test->shift) - test->low <= test->span ? ANSWER_YES :
								  ANSWER_NO;
}

/* Serves a hit. `users`: of the snapshot, if there is one. */
static ALWAYS_INLINE void hit_serve(const struct object *object,
				    uint64_t fixed, const struct write_var *var,
				    struct snapshot *snapshot, uint32_t users)
{
	const struct collect_list *list =
		load_acquire(&object->collect, COLLECT_LIST);
	uint64_t address;

	if (unlikely(!list))
		goto release;
	if (unlikely(COLLECT_PHASE(load_acquire(&collect_run->word,
						COLLECT_RUN)) != COLLECT_ON))
		goto release;
	address = snapshot ? snapshot_address(snapshot) : list->address;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct collect_point *point = list->points[i];
		enum answer answer = ANSWER_YES;

		if (unlikely(point->address != address) ||
		    !load_relaxed(&point->count->enabled))
			continue;
		if (point->test.is)
			answer = test_answer(&point->test, snapshot);
		else if (point->condition)
			answer = ANSWER_ASK;
		if (answer != ANSWER_NO)
			point_hit(point, object, snapshot, fixed, var,
				  answer == ANSWER_ASK);
	}
release:
	if (snapshot && users == OBJECT_COLLECT)
		snapshot_release(snapshot);
}

/* The arguments of a hit, passed through collect_kept(). */
struct brought {
	const struct object *object;
	uint64_t fixed;
	const struct write_var *var;
	struct snapshot *snapshot;
	uint32_t users;			/* of the snapshot */
};

/* Serves a hit with arguments that collect_kept() has passed on. */
static SIGSAFE int brought_serve(void *arg, void *unused)
{
	const struct brought *brought = arg;

	hit_serve(brought->object, brought->fixed, brought->var,
		  brought->snapshot, brought->users);
	return 0;
}

int (*collect_kept)(int (*fn)(void *a, void *b), void *a, void *b);

/* Serves a hit of a USDT probe: the upper parts of the vector registers still
 * hold the program's values. */
static SIGSAFE __attribute__((noinline)) void
probe_serve(const struct object *object, uint64_t fixed,
	    const struct write_var *var)
{
	struct brought brought = { object, fixed, var, NULL,
				   load_relaxed(&object->snapshots) };

	if (brought.users)
		brought.snapshot = snapshot_find_put(object->site);
	if (collect_kept)
		collect_kept(brought_serve, &brought, NULL);
}

SIGSAFE void collect_hit(struct write_slot *slot, uint64_t fixed,
			 const struct write_var *var)
{
	const struct object *object = object_of(slot->shape);
	uint32_t users = load_relaxed(&object->snapshots);
	struct snapshot *snapshot = NULL;

	if (unlikely(object->adopted)) {
		probe_serve(object, fixed, var);
		return;
	}
	if (users)
		snapshot = snapshot_find(object->site);
	hit_serve(object, fixed, var, snapshot, users);
}
