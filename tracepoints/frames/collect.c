/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collecting: prepares tracepoints, starts and stops the run.
 */
#include "tracepoints/frames/collect-private.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "base/arena.h"
#include "base/sys.h"
#include "tracepoints/conditions/ax-insn.h"
#include "tracepoints/frames/frames.h"
#include "tracepoints/program/memory.h"

/* Bytes of a sub-buffer that a frame cannot use: heads. */
#define FRAME_SPARE_BYTES	256u
#define REQUEST_BYTES_MAX	(16u << 20)

static struct arena_copy *points;
static struct arena_copy *lists;
static const struct channel *run_channel;
static uint64_t *frames_oversize[CHANNELS_MAX];
static const struct write_shape frame_shape = {
	.fixed_bytes = 8,
	.nvar = 1,
	.oversize = frames_oversize,
	.var = { { .fixed_before = 8, .element_bytes = 1 } },
};

/* Verifies an expression and appends the program to the point. */
static int program_add(struct collect_point *point, uint64_t room,
		       const struct ax_source *source, uint64_t *offset,
		       struct ax_refusal *why)
{
	struct ax_program *program;
	int ret;

	*offset = align_up(point->bytes, 8);
	program = (struct ax_program *)((char *)point + *offset);
	ret = ax_verify(program, room - *offset, source, why);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < program->ninsns; i++)
		point->registers |= program->insns[i].step == STEP_REG;
	point->bytes = *offset + program->bytes;
	return 0;
}

/* Adds an action to the point. Returns 0, or -EINVAL and the reason. */
static int action_add(struct collect_point *point, uint64_t room,
		      const struct collect_action *action,
		      struct ax_refusal *why)
{
	struct point_action *made = &point->actions[point->nactions++];
	struct ax_source source = { .code = action->code,
				    .bytes = action->code_bytes,
				    .machine = &collect_machine };
	struct ax_simple_memory memory;
	int ret;

	made->kind = action->kind;
	made->base = action->base;
	made->offset = action->offset;
	made->bytes = action->bytes;
	if (action->kind == COLLECT_REGISTERS ||
	    (action->kind == COLLECT_MEMORY &&
	     action->base != COLLECT_ABSOLUTE))
		point->registers = 1;
	if (action->kind == COLLECT_MEMORY ||
	    action->kind == COLLECT_EXPRESSION)
		point->reads = 1;
	if (action->kind != COLLECT_EXPRESSION)
		return 0;
	ret = program_add(point, room, &source, &made->program, why);
	if (ret ||
	    !ax_simple_collect(&memory, (const void *)((const char *)point +
						       made->program)))
		return ret;
	/* the expression does nothing but collect memory: drops the program */
	made->kind = COLLECT_MEMORY;
	made->base = memory.reg == AX_SIMPLE_NO_REGISTER ? COLLECT_ABSOLUTE :
							   memory.reg;
	made->offset = memory.offset;
	made->bytes = memory.bytes;
	point->bytes = made->program;
	return 0;
}

/* Fills a point. `room` is large enough for all programs, so only the verifier
 * can refuse. */
static int point_build(struct collect_point *point, uint64_t room,
		       const struct collect_request *request, uint32_t slot,
		       struct ax_refusal *why)
{
	struct ax_source source = { .code = request->condition,
				    .bytes = request->condition_bytes,
				    .want_result = 1,
				    .machine = &collect_machine };
	struct ax_simple *test = &point->test;
	int ret = 0;

	point->bytes = sizeof(*point) +
		       request->nactions * sizeof(struct point_action);
	point->number = request->number;
	point->slot = slot;
	point->count = &collect_counts[slot];
	point->address = request->address;
	point->pass = request->pass;
	if (request->condition)
		ret = program_add(point, room, &source, &point->condition, why);
	if (!ret && point->condition) {
		ax_simple_test(test, (const void *)((const char *)point +
						    point->condition));
		/* a hit evaluates a simple condition without the interpreter: a
		 * value in memory must then be on a stack, or in memory that is
		 * certain */
		if (test->reg == AX_SIMPLE_NO_REGISTER ?
		    !memory_is_fixed(test->offset, test->bytes) :
		    test->reg >= 16)
			test->is = 0;
		point->reads = 1;
	}
	for (uint32_t i = 0; !ret && i < request->nactions; i++)
		ret = action_add(point, room, &request->actions[i], why);
	return ret;
}

int collect_point_make(const struct collect_point **point,
		       const struct collect_request *request, uint32_t slot,
		       struct ax_refusal *why)
{
	/* the most bytes that the point can take */
	uint64_t room = sizeof(struct collect_point) +
			request->nactions * sizeof(struct point_action);
	struct collect_point *builder;
	int ret;

	if (request->condition)
		room += AX_PROGRAM_BYTES(request->condition_bytes) + 8;
	for (uint32_t i = 0; i < request->nactions; i++)
		if (request->actions[i].kind == COLLECT_EXPRESSION)
			room += AX_PROGRAM_BYTES(
					request->actions[i].code_bytes) + 8;
	why->offset = 0;
	why->fact = "too much for one tracepoint";
	if (room > REQUEST_BYTES_MAX || slot >= COLLECT_POINTS_MAX)
		return -EINVAL;
	builder = sys_map_anonymous(room);
	if (!builder)
		return -ENOMEM;
	ret = point_build(builder, room, request, slot, why);
	if (!ret) {
		*point = arena_copy(&points, builder, builder->bytes);
		ret = *point ? 0 : -ENOMEM;
	}
	sys_munmap(builder, room);
	return ret;
}

/* Adds a variable that is a field; one that is no integer is left out. */
static void field_add(struct collect_list *list, const struct object *object,
		      const struct collect_field *field)
{
	const uint8_t code[] = { AX_FIELD, (uint8_t)field->field, AX_END };
	const struct ax_layout layout = { &object->shape, object->types };
	const struct ax_source source = { .code = code,
					  .bytes = sizeof(code),
					  .want_result = 1,
					  .layout = &layout,
					  .machine = &ax_bare };
	uint64_t room[AX_PROGRAM_BYTES(sizeof(code)) / 8 + 1];
	struct ax_program *program = (struct ax_program *)room;
	struct collect_value *value = &list->fields[list->nfields];
	struct ax_refusal why;

	if (ax_verify(program, sizeof(room), &source, &why))
		return;
	value->variable = field->variable;
	value->program = arena_copy(&points, program, program->bytes);
	list->nfields += !!value->program;
}

int collect_set(struct object *object, struct channel *channel,
		const struct collect_wish *wish, const struct patcher *patcher)
{
	const struct collect_point *const *of = wish->points;
	uint32_t n = wish->n;
	struct object_use use = { .channel = channel, .hit = collect_hit };
	union {
		struct collect_list list;
		uint8_t room[sizeof(struct collect_list) +
			     COLLECT_POINTS_MAX * sizeof(of[0])];
	} builder = { .list = { .n = n } };
	const struct collect_list *list;
	uint32_t snapshots;
	int ret;

	if (!n) {
		object_disable(object, channel, patcher);
		store_release(&object->collect, NULL, COLLECT_LIST);
		return object_snapshots(object, OBJECT_COLLECT, 0, patcher);
	}
	if (n > COLLECT_POINTS_MAX)
		return -ENOMEM;
	if (object->codes && !object->codes->next)
		builder.list.address = (uint64_t)object->codes->address;
	__builtin_memcpy(builder.list.points, of, n * sizeof(of[0]));
	for (uint32_t i = 0; i < wish->nfields && i < TAFFRAIL_FIELDS_MAX; i++)
		field_add(&builder.list, object, &wish->fields[i]);
	list = arena_copy(&lists, &builder,
			  sizeof(builder.list) + n * sizeof(of[0]));
	if (!list)
		return -ENOMEM;
	/* a snapshot has the registers, and the address of the copy that is
	 * hit */
	snapshots = !list->address;
	for (uint32_t i = 0; i < n; i++)
		snapshots |= of[i]->registers;
	/* first: every hit that finds the list then has a snapshot */
	if (snapshots) {
		ret = object_snapshots(object, OBJECT_COLLECT, 1, patcher);
		if (ret)
			return ret;
	}
	store_release(&object->collect, list, COLLECT_LIST);
	return object_enable(object, &use, patcher);
}

uint64_t collect_hits(uint32_t slot)
{
	return load_relaxed(&collect_counts[slot].hits) +
	       tally_sum(&collect_tally, slot);
}

uint64_t collect_bytes(uint32_t slot, uint64_t hits)
{
	const struct collect_count *count = &collect_counts[slot];

	return hits * load_relaxed(&count->usual) + load_relaxed(&count->rest);
}

int collect_start(struct channel *channel, uint32_t id)
{
	struct write_slot *slot = &collect_frame_slot;
	int header = write_header_of(id);
	struct tally *tally = &collect_tally;
	uint64_t bytes = channel->cpus * sizeof(tally->rows[0]);
	char *page;

	/* the page of the run, which fork wipes */
	if (!collect_run) {
		page = sys_map_anonymous(4096);
		if (!page)
			return -ENOMEM;
		sys_madvise(page, 4096, MADV_WIPEONFORK);
		store_relaxed(&collect_run, (struct collect_run *)page);
	}
	/* without these places, large frames are cut */
	if (!collect_places)
		store_relaxed(&collect_places,
			      sys_map_anonymous(FRAME_PLACES *
						FRAME_LARGE_BYTES));
	for (uint32_t i = 0; i < COLLECT_POINTS_MAX; i++) {
		collect_counts[i].hits = 0;
		collect_counts[i].usual = 0;
		collect_counts[i].rest = 0;
	}
	/* The rows are made once: all channels have rings for as many CPUs.
	 * Without rows, hits are counted by atomic additions. */
	if (!tally->rows && channel->cpus) {
		tally->rows = sys_map_anonymous(bytes);
		store_release(&tally->cpus, tally->rows ? channel->cpus : 0,
			      TALLY_ROWS);
	}
	if (tally->rows)
		__builtin_memset(tally->rows, 0,
				 tally->cpus * sizeof(tally->rows[0]));
	collect_cut = 0;
	collect_undecided = 0;
	collect_run->ended = 0;
	collect_run->limit = channel->sub_bytes - FRAME_SPARE_BYTES;
	slot->shape = &frame_shape;
	slot->fixed_bytes = frame_shape.fixed_bytes;
	slot->id = id;
	store_release(&slot->hit, write_choose(&frame_shape, channel, id,
					       &slot->step), SITE_HIT);
	slot->rings[!header] = &rings_off;
	store_release(&slot->rings[header], channel->rings, WRITE_SLOT);
	run_channel = channel;
	store_release(&collect_run->word,
		      collect_run->word + COLLECT_RUN_STEP + COLLECT_ON,
		      COLLECT_RUN);
	return 0;
}

/* Returns true when every counted hit has become a frame, or is counted as
 * lost. */
static bool run_is_settled(void)
{
	struct frames_tally tally;
	uint64_t hits = 0;

	for (uint32_t i = 0; i < COLLECT_POINTS_MAX; i++)
		hits += collect_hits(i);
	frames_tally(run_channel, &tally);
	return tally.written + tally.lost == hits;
}

void collect_stop(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct write_slot *slot = &collect_frame_slot;
	uint32_t word;

	if (!collect_run)
		return;
	/* ends the counting of hits, except of those of a pass count that has
	 * ended the run. COLLECT-COUNT: this store comes before the counts are
	 * read; a hit that is counted later sees it, or its frame would be cut
	 * off */
	word = load_relaxed(&collect_run->word);
	if (COLLECT_PHASE(word) == COLLECT_ON)
		__atomic_compare_exchange_n(&collect_run->word, &word,
					    word - COLLECT_ON, 0,
					    SEQ_CST(COLLECT_COUNT),
					    SEQ_CST(COLLECT_COUNT));
	patch_grace();	/* a barrier in all threads */
	for (int i = 0; i < COLLECT_SETTLE_MS && !run_is_settled(); i++)
		sys2(SYS_nanosleep, &pause, NULL);
	store_release(&collect_run->word,
		      collect_run->word & ~(COLLECT_RUN_STEP - 1), COLLECT_RUN);
	store_release(&slot->rings[WRITE_COMPACT], &rings_off, WRITE_SLOT);
	store_release(&slot->rings[WRITE_WIDE], &rings_off, WRITE_SLOT);
	patch_grace();
}

enum collect_end collect_ended(uint32_t *slot, uint64_t *clock)
{
	/* COLLECT-END: when this load sees LAST, slot and time are set */
	uint32_t word =
		collect_run ? load_acquire(&collect_run->word, COLLECT_END) : 0;
	uint32_t ended;

	if (COLLECT_PHASE(word) != COLLECT_LAST)
		return COLLECT_GOES_ON;
	ended = collect_run->ended;
	*slot = ended >> 8;
	*clock = collect_run->ended_at;
	return (enum collect_end)(ended & 0xff);
}

struct event_record *collect_record_publish(struct channel *channel)
{
	static const char text[] = COLLECT_CHANNEL "\0" COLLECT_EVENT "\0"
				   "tracepoint, vtid, frame\0";
	struct event_record model = { .kind = TAFFRAIL_KIND_EVENT,
				      .nfields = 3,
				      .types = { TAFFRAIL_T_U32, TAFFRAIL_T_S32,
						 TAFFRAIL_T_SEQUENCE |
							 TAFFRAIL_T_U8 } };
	struct event_record *record =
		channel_record_add(channel, &model, text, sizeof(text));
	uint32_t bit = channel_bit(channel);

	if (record)
		store_release(&frames_oversize[bit], &record->oversize,
			      OVERSIZE_COUNT);
	return record;
}
