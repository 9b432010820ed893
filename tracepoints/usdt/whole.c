/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole calls; see whole-private.h. Every hit of a probe begins here.
 */
#include "tracepoints/usdt/whole-private.h"

#include <errno.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/tunables.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/sites/registry.h"

#define ARGUMENTS	USDT_CALL_ARGUMENTS_MAX
#define RSP		7
#define PAGE		4096

/* In a frame's address: the call may be over. OVER: it is. */
#define DOUBT		1ull
#define OVER		DOUBT
#define FRAME(cfa)	((cfa) & ~DOUBT)

/* A frame that is so near, further in, is hardly one of another stack. */
#define NEAR_BYTES	(32ull << 10)

/* Channels of which a call keeps the depth; others share a place. */
#define DEPTHS		4u

/* Below the frame of a hit, nothing but this hit is on its stack. */
#define HIT_BYTES	512

struct open_call {
	uint64_t cfa;			/* address of the frame, and DOUBT; 0:
					 * it is being made */
	uint64_t begin;			/* the clock */
	const struct usdt_adopted *entry;
	uint64_t depths[DEPTHS];	/* DEPTH(), by the channel modulo
					 * DEPTHS; 0: of none */
	uint32_t turn;			/* the entry's, when it was hit */
	uint32_t back;			/* low half of the return address */
	uint64_t arguments[ARGUMENTS];
};

#define DEPTH(tag, bit, n)	((uint64_t)(tag) << 32 | (bit) << 16 | (n))

struct place {
	uint64_t owner;			/* number << 32 | tid (OPEN-PLACE) */
	uint64_t state;			/* COUNT_BITS of a count; above them,
					 * the stack pointer (OPEN-STATE) */
	uint32_t mark;			/* *fork_mark, when it was taken */
	uint32_t doubts;		/* calls that have got it, ever */
	struct open_call calls[OPEN_CALLS];
	char strings[OPEN_STRINGS][OPEN_STRINGS_BYTES];
};

#define COUNT_BITS	16
#define COUNT(state)	((uint32_t)(state) & ((1u << COUNT_BITS) - 1))
#define STACK(state)	((state) & ~((1ull << COUNT_BITS) - 1))
#define STATE(n, sp)	((sp) << COUNT_BITS | (n))

static struct place *places;	/* OPEN_THREADS of them; or NULL */
static uint64_t scale;		/* ns of a tick, << 32 */
static uint64_t again;		/* a thread may look for a place */

int whole_pool_make(void)
{
	struct place *made;

	if (places)
		return 0;
	if (channel_space_admit(OPEN_THREADS * sizeof(*made)))
		return -ENOMEM;
	made = sys_map_anonymous(OPEN_THREADS * sizeof(*made));
	scale = (1000000000ull << 32) / clock_hz();
	/* OPEN-PLACE: the scale first */
	store_release(&places, made, OPEN_PLACE);
	return made ? 0 : -ENOMEM;
}

static ALWAYS_INLINE uint64_t clock_now(void)
{
	return likely(clock_chosen == CLOCK_KIND_TSC) ? clock_read_tsc() :
							clock_read();
}

/* Takes a place for the calling thread. Returns whether it has it now. */
static bool place_take(struct place *place, uint64_t owner, uint64_t mine)
{
	uint32_t i;

	if (!__atomic_compare_exchange_n(&place->owner, &owner, mine, 0,
					 RELEASE(OPEN_PLACE),
					 __ATOMIC_RELAXED))
		return false;
	store_relaxed(&place->mark, load_relaxed(fork_mark));
	for (i = 0; i < OPEN_CALLS && load_relaxed(&place->calls[i].begin); i++)
		store_relaxed(&place->calls[i].cfa, 0);
	store_relaxed(&place->state, 0);
	return true;
}

/* Returns the place that has the calling thread's number, or NULL. */
static struct place *place_search(uint32_t number)
{
	for (uint32_t i = 0; number && i < OPEN_PLACES; i++) {
		struct place *place =
			&places[(number + i) & (OPEN_THREADS - 1)];

		if (load_relaxed(&place->owner) >> 32 == number)
			return place;
	}
	return NULL;
}

/*
 * Finds or takes a place: a free one, or that of a thread that has ended.
 * Returns NULL if there is none. A forked child cannot tell of the places that
 * its parent's threads have: one of them is its own. The kernel is asked as
 * abort() asks it, and where the agent may.
 */
static COLD struct place *place_look(void)
{
	struct place *place = place_search(load_relaxed(&writer_number));
	uint32_t tid = host_tid(), mark = load_relaxed(fork_mark);
	uint64_t now, mine, owner;

	if (place || !host_tid_certain(tid))
		return place;
	writer_number_take();
	mine = (uint64_t)writer_number << 32 | tid;
	for (uint32_t i = 0; i < OPEN_PLACES; i++) {
		place = &places[(writer_number + i) & (OPEN_THREADS - 1)];
		/* or the handler of a signal has taken it meanwhile */
		if ((!load_relaxed(&place->owner) &&
		     place_take(place, 0, mine)) ||
		    load_relaxed(&place->owner) == mine)
			return place;
	}
	now = clock_now();
	if ((int64_t)(now - load_relaxed(&again)) < 0)
		return NULL;
	for (uint32_t i = 0; i < OPEN_PLACES; i++) {
		place = &places[(writer_number + i) & (OPEN_THREADS - 1)];
		owner = load_relaxed(&place->owner);
		if (((uint32_t)owner == tid ||
		     (!host_confined && load_relaxed(&place->mark) == mark &&
		      sys3(SYS_tgkill, sys_getpid(), (uint32_t)owner, 0) ==
			      -ESRCH)) && place_take(place, owner, mine))
			return place;
	}
	store_relaxed(&again, now + OPEN_PAUSE_TICKS);
	return NULL;
}

/* Returns the place at the thread's number, if the thread has it; else NULL. */
static ALWAYS_INLINE struct place *place_quick(void)
{
	uint32_t number = load_relaxed(&writer_number);
	struct place *place = &places[number & (OPEN_THREADS - 1)];

	return likely(load_relaxed(&place->owner) >> 32 == number && number) ?
		       place : NULL;
}

/* Changes the state in one step, for handlers of the same thread: they see all
 * stores before it then, and none behind it (OPEN-STATE). */
static ALWAYS_INLINE void state_set(struct place *place, uint64_t state)
{
	__atomic_signal_fence(SEQ_CST(OPEN_STATE));
	store_relaxed(&place->state, state);
	__atomic_signal_fence(SEQ_CST(OPEN_STATE));
}

/* Returns whether the change that is going on is one that this hit has
 * interrupted. If it was left, it is over: this hit uses the memory that the
 * other one had, or is further out on the same stack. */
static bool is_changing(const struct place *place, uint64_t sp)
{
	uint64_t stack = STACK(load_relaxed(&place->state)) >> COUNT_BITS;

	return stack && !(sp + HIT_BYTES > stack &&
			  (sp <= stack || (memory_stack_is_own(sp) &&
					   memory_stack_is_own(stack))));
}

/* The event of a call. */
struct whole {
	char block[8 + 4 + (ARGUMENTS + 1) * 8] __attribute__((aligned(8)));
	struct write_var var[ARGUMENTS + 1];
};

/* Lays out the event of a call that ends as `kind` says. */
static ALWAYS_INLINE void whole_make(struct whole *whole,
				     const struct usdt_adopted *entry,
				     const struct usdt_adopted *exit,
				     const uint64_t *arguments,
				     const char *strings, uint64_t duration,
				     uint32_t depth, uint64_t value)
{
	char *to = whole->block;
	uint32_t i, n = 0;

	to = scalar_put(to, duration, 8);
	to = scalar_put(to, depth, 4);
	for (i = 0; i + 1 < entry->count; i++) {
		if (entry->operands[i].type != TAFFRAIL_T_STRING) {
			to = scalar_put(to, arguments[i],
					entry->operands[i].bytes);
			continue;
		}
		whole->var[n].p = strings;
		whole->var[n++].n = WRITE_STRING;
		while (*strings)
			strings++;
		strings++;
	}
	/* the exit's first field, if it has one beside the frame */
	if (exit->strings) {
		whole->var[n].p = (const char *)value;
		whole->var[n].n = WRITE_STRING;
	} else if (exit->count > 1) {
		scalar_put(to, value, exit->operands[0].bytes);
	}
}

static const char no_strings[ARGUMENTS];

/* Returns whether a channel records an open call: its entry and all exits were
 * switched on since it began, and the function is on for the channel now. */
static bool call_counts(const struct open_call *call, uint32_t bit)
{
	const struct usdt_adopted *entry = call->entry, *marker;

	if (!entry || call->turn != load_relaxed(&entry->turn) ||
	    load_relaxed(&call->cfa) & DOUBT)
		return false;
	for (marker = entry->calls; marker;
	     marker = marker->alias ? marker->alias : marker->next)
		if (load_relaxed(&object_of(marker->site.agent_)->on) &
		    1u << bit)
			return true;
	return false;
}

/* Returns the depth of call number `at` in a channel. Each open call around it
 * is looked at once, until a marker is switched or a call is in doubt. */
static uint32_t call_depth(struct place *place, uint32_t at, uint32_t bit)
{
	uint32_t tag = load_acquire(&objects_turn, SITE_CHANNELS) +
		       place->doubts;
	uint64_t known = DEPTH(tag, bit, 0), depth = 0;
	uint32_t n = at - 1;

	for (; n; n--) {
		depth = load_relaxed(&place->calls[n - 1]
					      .depths[bit % DEPTHS]) - known;
		if (depth <= OPEN_CALLS &&
		    load_relaxed(&place->calls[n - 1].cfa))
			break;
	}
	for (depth = n ? depth : 0; n < at - 1; n++) {
		depth += call_counts(&place->calls[n], bit);
		store_relaxed(&place->calls[n].depths[bit % DEPTHS],
			      known + depth);
	}
	return (uint32_t)depth + 1;
}

/* Counts a call that is not kept as lost, once for each channel where it might
 * have been recorded: with the longest duration, and some value. It would be
 * number `at` of a place, or is none: NULL. */
static COLD void call_lose(const struct usdt_adopted *entry,
			   struct place *place, uint32_t at)
{
	const uint64_t arguments[ARGUMENTS] = { 0 };
	const struct usdt_adopted *call, *exit;
	uint64_t ip = entry->spot.address;
	uint64_t generation;
	uint32_t done = 0, left;
	struct whole whole;
	int64_t value;
	bool holds;

	for (call = entry->calls; call;
	     call = call->alias ? call->alias : call->next) {
		const struct object *object = object_of(call->site.agent_);
		struct ax_event event = { (uint64_t)whole.block, whole.var };

		left = load_acquire(&object->on, SITE_CHANNELS) & ~done;
		for (; left; left &= left - 1) {
			uint32_t bit = (uint32_t)__builtin_ctz(left);
			struct channel *channel = &channels[bit];
			const struct ax_program *condition = load_acquire(
				&object_slot(object, bit)->condition,
				SITE_CONDITION);

			uint32_t depth = place ? call_depth(place, at, bit) : 1;

			holds = !condition;
			/* of tail calls, the functions; else some value */
			exit = usdt_first(call)->exits;
			for (value = -1; exit && value < 2 && !holds; value++) {
				whole_make(&whole, entry, exit, arguments,
					   no_strings, INT64_MAX, depth,
					   exit->strings ?
					   (uint64_t)exit->operands[0].value :
					   (uint64_t)value);
				holds = ax_holds(condition, &event, &ip);
				if (exit->strings) {
					exit = exit->next;
					value = -2;
				}
			}
			if (!holds ||
			    !load_acquire(&channel->active, CHANNEL_ACTIVE))
				continue;
			done |= 1u << bit;
			generation = load_acquire(&channel->rings->generation,
						  RINGS_GENERATION);
			channel_count(channel, generation,
				      &channel->area->lost_unplaced);
			channel_count(channel, generation,
				      &channel->area->lost_calls);
		}
	}
}

/* Sets the frame of a call that is over, or may be. */
static void call_doubt(struct place *place, struct open_call *call,
		       uint64_t cfa)
{
	if (!(load_relaxed(&call->cfa) & DOUBT))
		store_relaxed(&place->doubts, place->doubts + 1);
	store_relaxed(&call->cfa, cfa | DOUBT);
}

/*
 * Ends the calls, from `from` on, that a frame proves to be over: those of the
 * same frame, if it is new; of a frame further in on the thread's own stack, of
 * which there is one; and, on any stack, those in memory that this hit uses.
 * Others that lie near are in doubt. Returns how many calls are left.
 */
static COLD uint32_t calls_tidy(struct place *place, uint32_t n, uint32_t from,
				uint64_t cfa)
{
	bool own = memory_stack_is_own(cfa);

	for (uint32_t i = n; i-- > from;) {
		struct open_call *call = &place->calls[i];
		uint64_t frame = FRAME(load_relaxed(&call->cfa));

		if (frame > cfa)
			continue;
		if (frame + HIT_BYTES > cfa || !frame ||
		    (own && memory_stack_is_own(frame)))
			frame = 0;
		if (!frame || frame + NEAR_BYTES > cfa)
			call_doubt(place, call, frame);
	}
	for (; n && load_relaxed(&place->calls[n - 1].cfa) == OVER; n--)
		store_relaxed(&place->calls[n - 1].cfa, 0);
	state_set(place, STATE(n, 0ull));
	return n;
}

/* Returns whether a call seems to be left: another return address is where its
 * own was. True also where that memory may be gone. */
static ALWAYS_INLINE bool is_left(const struct open_call *call, uint64_t sp)
{
	uint64_t at = FRAME(load_relaxed(&call->cfa)) - 8;

	return ((at ^ sp) / PAGE && !memory_stack_stays(at)) ||
	       *(const volatile uint32_t *)at != call->back;
}

/* Calls of other stacks behind which this one's innermost is looked for. */
#define OTHERS_MOST	16

/* Has calls in doubt that an exception or longjmp() has left: from the
 * innermost one on, down to one whose return address is there. It is open, so
 * those around it are. */
static COLD void calls_look(struct place *place, uint32_t n, uint64_t sp)
{
	for (uint32_t others = 0; n && others < OTHERS_MOST; n--) {
		struct open_call *call = &place->calls[n - 1];
		uint64_t cfa = load_relaxed(&call->cfa);

		if (cfa & DOUBT)
			continue;
		if (!is_left(call, sp))
			return;
		if ((cfa - 8) / PAGE != sp / PAGE &&
		    !memory_stack_stays(cfa - 8))
			others++;
		else
			call_doubt(place, call, cfa);
	}
}

/* Makes room for a call in a full place: in the place of one that is over, or
 * else may be, or else of the oldest one of another stack. Returns how many
 * calls are left. */
static COLD uint32_t calls_squeeze(struct place *place)
{
	uint32_t i, at = OPEN_CALLS, rank, least = 3;

	for (i = 0; i < OPEN_CALLS && least; i++) {
		uint64_t cfa = place->calls[i].cfa;

		rank = cfa == OVER ? 0 : cfa & DOUBT ? 1 :
		       memory_stack_is_own(cfa) ? 3 : 2;
		at = rank < least ? i : at;
		least = rank < least ? rank : least;
	}
	if (at == OPEN_CALLS)
		return at;
	if (least == 2)
		call_lose(place->calls[at].entry, NULL, 0);
	store_relaxed(&place->doubts, place->doubts + 1);
	for (i = at; i + 1 < OPEN_CALLS; i++) {
		place->calls[i] = place->calls[i + 1];
		if (i + 1 < OPEN_STRINGS)
			__builtin_memcpy(place->strings[i],
					 place->strings[i + 1],
					 OPEN_STRINGS_BYTES);
		else if (i < OPEN_STRINGS)
			__builtin_memset(place->strings[i], 0, ARGUMENTS);
	}
	store_relaxed(&place->calls[i].cfa, 0);
	state_set(place, STATE(i, 0ull));
	return i;
}

/* Returns the value of an operand; of most, that of a register. */
static ALWAYS_INLINE uint64_t operand_value(const struct usdt_adopted *probe,
					    const struct usdt_operand *operand,
					    const struct usdt_state *state)
{
	return likely(operand->place == USDT_REGISTER) ?
		       state->general[operand->base & 15] :
	       operand->place == USDT_VECTOR ?
		       state->vectors[operand->base & 15][0] :
		       usdt_value_fetch(probe, operand, state);
}

/* Keeps a call that begins. */
static SIGSAFE __attribute__((noinline)) void
whole_enter(struct usdt_adopted *entry, const struct usdt_state *state)
{
	const struct usdt_operand *frame = &entry->operands[entry->count - 1];
	uint64_t sp = state->general[RSP];
	uint64_t cfa = sp + (uint64_t)frame->value;
	struct place *place = place_quick();
	struct open_call *call;
	uint64_t before;
	uint32_t n;

	if (unlikely(!place))
		place = place_look();
	if (unlikely(!place)) {
		call_lose(entry, NULL, 0);
		return;
	}
	before = load_relaxed(&place->state);
	n = COUNT(before);
	if (unlikely(STACK(before)) && !is_changing(place, sp))
		before = n;
	if (!STACK(before)) {
		if (n && load_relaxed(&place->calls[n - 1].cfa) <= cfa)
			n = calls_tidy(place, n, 0, cfa);
		if (n && unlikely(is_left(&place->calls[n - 1], sp)))
			calls_look(place, n, sp);
		if (unlikely(n == OPEN_CALLS))
			n = calls_squeeze(place);
	}
	if (unlikely(n >= OPEN_CALLS)) {
		/* the exit of this one must not find the frame of another */
		for (uint32_t i = 0; i < OPEN_CALLS && !STACK(before); i++)
			if (FRAME(load_relaxed(&place->calls[i].cfa)) == cfa)
				call_doubt(place, &place->calls[i], 0);
		call_lose(entry, place, n + 1);
		return;
	}
	call = &place->calls[n];
	state_set(place, STATE(n + 1, sp));
	call->entry = entry;
	call->turn = load_relaxed(&entry->turn);
	for (uint32_t i = 0; i < DEPTHS; i++)
		store_relaxed(&call->depths[i], 0);
	call->back = *(const uint32_t *)(cfa - 8);
	for (uint32_t i = 0; i + 1 < entry->count; i++)
		call->arguments[i] = operand_value(entry, &entry->operands[i],
						   state);
	if (unlikely(entry->strings) && n < OPEN_STRINGS)
		usdt_strings_copy(entry, state, place->strings[n],
				  OPEN_STRINGS_BYTES);
	store_relaxed(&call->cfa, cfa);
	call->begin = clock_now();
	/* of an interrupted change, which goes on */
	state_set(place, STATE(n + 1, STACK(before) >> COUNT_BITS));
}

/* Returns the number of a call, from 1 on; 0: there is none. On a stack of the
 * system's, none lies below one that is further out. */
static COLD uint32_t call_search(const struct place *place, uint32_t n,
				 uint64_t cfa, const struct usdt_adopted *entry)
{
	bool own = memory_stack_is_own(cfa);
	uint64_t frame;

	for (; n; n--) {
		frame = FRAME(load_relaxed(&place->calls[n - 1].cfa));
		if (frame == cfa && place->calls[n - 1].entry == entry)
			return n;
		if (frame > cfa && own && memory_stack_is_own(frame))
			return 0;
	}
	return 0;
}

/* Ends a call, and those that it left. */
static COLD void call_close(struct place *place, uint32_t at, uint64_t sp)
{
	uint64_t state = load_relaxed(&place->state);
	struct open_call *call = &place->calls[at - 1];
	uint64_t cfa = FRAME(load_relaxed(&call->cfa));
	uint32_t n = COUNT(state);

	call_doubt(place, call, 0);
	if (!STACK(state) || !is_changing(place, sp)) {
		calls_tidy(place, n, at, cfa);
	} else if (at == n) {
		store_relaxed(&call->cfa, 0);
		state_set(place, state - 1);
	}
}

/* Returns whether a marker is on, and has a writer: `on` is set before that,
 * this behind it. */
static ALWAYS_INLINE bool marker_is_led(const struct usdt_adopted *probe)
{
	return load_acquire(&probe->site.enabled_, SITE_ENABLED);
}

/* Returns whether one channel wants a call, by its duration alone (--min-time),
 * and not this one: most calls end so. */
static ALWAYS_INLINE bool is_short(const struct usdt_adopted *call,
				   uint64_t duration)
{
	const struct object *object = object_of(call->site.agent_);
	uint32_t on = load_acquire(&object->on, SITE_CHANNELS);
	const struct ax_program *condition;

	if (!on || on & (on - 1))
		return false;
	condition = load_acquire(
		&object_slot(object, (uint32_t)__builtin_ctz(on))->condition,
		SITE_CONDITION);
	/* the first field, and all of its eight bytes */
	return condition && condition->quick == AX_QUICK_BLOCK &&
	       !condition->offset && !condition->shift &&
	       duration - condition->low > condition->span;
}

/* Writes the event of call number `at` of a place to each channel of a marker,
 * by the channel's depth. */
static ALWAYS_INLINE void call_write(struct place *place, uint32_t at,
				     const struct usdt_adopted *marker,
				     struct whole *whole,
				     const struct write_var *var)
{
	struct write_slot *slot = (struct write_slot *)&marker->site;
	struct object *object = object_of(slot->shape);
	uint32_t left = load_acquire(&object->on, SITE_CHANNELS);

	if (!marker_is_led(marker))
		return;
	for (; left; left &= left - 1) {
		uint32_t bit = (uint32_t)__builtin_ctz(left);

		scalar_put(whole->block + 8, call_depth(place, at, bit), 4);
		if (likely(left == load_relaxed(&object->on) &&
			   !(left & (left - 1)))) {
			load_relaxed(&slot->hit)(slot, (uint64_t)whole->block,
						 var);
			return;
		}
		object_hit_channel(object, bit, (uint64_t)whole->block, var);
	}
}

/* Writes the event of a call that ends, where a session wants it. */
static SIGSAFE __attribute__((noinline)) void
whole_leave(struct usdt_adopted *exit, const struct usdt_state *state)
{
	uint64_t sp = state->general[RSP];
	uint64_t cfa = sp + 8;
	struct place *place = place_quick();
	uint64_t now = clock_now();
	const struct usdt_adopted *other;
	const struct open_call *call;
	const struct write_var *var;
	struct whole whole;		/* not cleared */
	uint64_t before, value;
	uint32_t at;

	if (unlikely(!place))
		place = place_search(load_relaxed(&writer_number));
	if (unlikely(!place))
		return;
	before = load_relaxed(&place->state);
	at = COUNT(before);
	if (unlikely(!at || load_relaxed(&place->calls[at - 1].cfa) != cfa ||
		     place->calls[at - 1].entry != exit->entry))
		at = call_search(place, at, cfa, exit->entry);
	if (unlikely(!at))
		return;
	call = &place->calls[at - 1];
	/* it began when the function was on before, and may have ended */
	if (unlikely(call->turn != load_relaxed(&exit->entry->turn)))
		goto end;
	value = exit->strings ? (uint64_t)exit->operands[0].value :
				operand_value(exit, &exit->operands[0], state);
	now = (int64_t)(now - call->begin) > 0 ? now - call->begin : 0;
	now = (uint64_t)((unsigned __int128)now * scale >> 32);
	if (!exit->calls->alias && is_short(exit->calls, now))
		goto end;
	whole_make(&whole, call->entry, exit, call->arguments,
		   at <= OPEN_STRINGS ? place->strings[at - 1] : no_strings,
		   now, 1, value);
	var = exit->entry->strings || exit->strings ? whole.var : NULL;
	call_write(place, at, exit->calls, &whole, var);
	for (other = exit->calls->alias; unlikely(other != NULL);
	     other = other->alias)
		call_write(place, at, other, &whole, var);
end:
	if (likely(before == at && load_relaxed(&place->state) == before)) {
		store_relaxed(&place->calls[at - 1].cfa, 0);
		state_set(place, at - 1);
	} else {
		call_close(place, at, sp);
	}
}

/* Writes the events of a place by all names: those of other names stand around
 * those of the first. */
static COLD SIGSAFE void aliases_write(struct usdt_adopted *probe,
				       const struct usdt_state *state)
{
	struct usdt_adopted *alias;

	if (probe->function == USDT_EXIT && marker_is_led(probe))
		usdt_hit_write(probe, state);
	for (alias = probe->alias; alias; alias = alias->alias)
		if (marker_is_led(alias))
			usdt_hit_write(alias, state);
	if (probe->function != USDT_EXIT && marker_is_led(probe))
		usdt_hit_write(probe, state);
}

/* Takes a hit where a call begins or ends, or a marker of another name is on.
 * A separate function: other hits do not need its frame. */
static SIGSAFE __attribute__((noinline)) void
called_hit(struct usdt_adopted *probe, const struct usdt_state *state,
	   uint32_t called)
{
	if (called & ~USDT_ALIASED && probe->function == USDT_ENTRY)
		whole_enter(probe, state);
	else if (called & ~USDT_ALIASED)
		whole_leave(probe, state);
	if (called & USDT_ALIASED)
		aliases_write(probe, state);
	else if (marker_is_led(probe))
		usdt_hit_write(probe, state);
}

SIGSAFE void usdt_hit(struct usdt_adopted *probe,
		      const struct usdt_state *state)
{
	uint32_t called = load_relaxed(&probe->called);

	if (called)
		called_hit(probe, state, called);
	else
		usdt_hit_write(probe, state);
}
