/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace runs: put gdb's tracepoints at markers, in a session for gdb alone.
 */
#include "gdbstub/tracing/run.h"

#include <errno.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "control/causes.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"
#include "gdbstub/tracing/defined.h"
#include "gdbstub/tracing/forms-private.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/frames/print.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/usdt.h"

#define WHY_BYTES	640	/* eight names of sessions, and the rest */

#define RUN_SESSION	"gdb"

/* At a hit of a marker with that field, the variable is the field's value. */
#define FIELD_VARIABLE	"taffrail_"
#define FIELDS_MAX	32

struct field_variable {
	uint32_t number;
	char name[sizeof((struct trace_variable *)0)->name];
};

static struct {
	struct run_state state;
	struct session *session;	/* while there are frames */
	uint32_t id;			/* of the frame event */
	uint32_t slots;			/* in use */
	uint32_t failed;		/* the tracepoint that cannot start */
	uint64_t failed_at;		/* its address */
	uint32_t numbers[COLLECT_POINTS_MAX];	/* of tracepoints, by slot */
	/* by slot, in the form that hits use; none when no run is on. The
	 * registry's lock guards the next two: other threads load libraries */
	const struct collect_point *ready[COLLECT_POINTS_MAX];
	uint64_t addresses[COLLECT_POINTS_MAX];
	/* the same lock: the variables that are named FIELD_VARIABLE and the
	 * name of a field */
	struct field_variable fields[FIELDS_MAX];
	uint32_t nfields;
	struct usdt_point points[COLLECT_POINTS_MAX + PRINTS_MAX]; /* by slot,
				 * then by the place of dprintfs */
	struct frames *frames;
	int pid;			/* of the process that made the run */
} run TABLE;

/* Notes the tracepoint that fails if a step fails. */
static void failed_note(uint32_t number, uint64_t address)
{
	run.failed = number;
	run.failed_at = address;
}

/* Every time comes from one clock, because gdb compares them. */
static uint64_t clock_us(uint64_t clock)
{
	return clock_to_realtime_ns(&process.page->start, clock_hz(), clock) /
	       1000;
}

/* Forgets the index and the forms of the last run. */
static void frames_drop(void)
{
	if (run.frames)
		frames_close(run.frames);
	run.frames = NULL;
	registry_lock();
	forms_forget();
	registry_unlock();
}

/* Returns true when code of this marker is at that address. The registry's lock
 * is held here, and in all functions that take an object. */
static bool object_at(const struct object *object, uint64_t address)
{
	const struct code *code = object->codes;

	while (code && (uint64_t)code->address != address)
		code = code->next;
	return !!code;
}

struct place {
	uint64_t address;
	uint32_t bit;			/* of the channel */
	const struct object *found;
};

/* As a function of registry_each(): looks for the marker of a place. */
static int place_look(struct object *object, void *arg)
{
	struct place *place = arg;
	const struct usdt_adopted *probe = object->adopted;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD || usdt_is_call(probe) ||
	    usdt_is_given(probe) ||
	    /* a hit of another name of a place is one of the first name, too */
	    (probe && probe->aliases) || !object_at(object, place->address))
		return 0;
	if (!place->found || object->on >> place->bit & 1 ||
	    usdt_is_point(place->found->adopted))
		place->found = object;
	return object->on >> place->bit & 1;
}

bool run_object_serves(const struct object *object, uint64_t address,
		       const struct channel *channel)
{
	struct place place = { address, channel_bit(channel), NULL };

	if (!object_at(object, address))
		return false;
	registry_each(place_look, &place);
	return place.found == object;
}

struct pass {
	const struct patcher *patcher;
	uint64_t address;	/* of one tracepoint, or 0: all */
	int ret;
};

/* As a function of registry_each(): returns 1, which ends the walk, at a marker
 * of the id in `arg` that has tracepoints. */
static int is_collecting(struct object *object, void *arg)
{
	return object->collect && text_equal(object->id, arg);
}

/* Switches a guard on when a marker of its id has tracepoints, in any module:
 * TAFFRAIL_ENABLED tests the id. */
static int guard_enable(struct object *object, void *arg)
{
	struct pass *pass = arg;
	struct object_use use = { 0 };

	if (object->site->kind_ != TAFFRAIL_KIND_GUARD ||
	    !registry_each(is_collecting, object->id))
		return 0;
	use.channel = run.session->channel;
	object_enable(object, &use, pass->patcher);
	return 0;
}

/* Finds the variables that are fields of a marker. Returns how many. */
static uint32_t fields_find(const struct object *object,
			    struct collect_field *found)
{
	static struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint32_t nfields = object->site->nfields_;
	uint32_t n = 0;
	uint32_t k;

	if (!run.nfields || fields_parse(object->format, object->site->kind_,
					 (int)nfields, names))
		return 0;
	for (uint32_t i = 0; i < run.nfields; i++)
		for (k = 0; k < nfields && n < TAFFRAIL_FIELDS_MAX; k++)
			if (text_equal(run.fields[i].name, names[k].name))
				found[n++] = (struct collect_field){
					run.fields[i].number, k };
	return n;
}

/* Gives a marker the tracepoints of the run that are there, in the order in
 * which a hit serves them. A form is noted before its marker has the
 * tracepoints: see forms-private.h. An error ends the walk, and run.failed is
 * the number of the first tracepoint there. */
static int object_serve(struct object *object, void *arg)
{
	const struct collect_point *points[COLLECT_POINTS_MAX];
	struct collect_field fields[TAFFRAIL_FIELDS_MAX];
	struct collect_wish wish = { .points = points, .fields = fields };
	struct pass *pass = arg;

	if (pass->address && !object_at(object, pass->address))
		return 0;
	for (uint32_t i = 0; i < COLLECT_POINTS_MAX; i++) {
		if (!run.ready[i] ||
		    !run_object_serves(object, run.addresses[i],
				       run.session->channel))
			continue;
		if (!wish.n)
			failed_note(run.numbers[i], run.addresses[i]);
		forms_note(run.addresses[i], object);
		points[wish.n++] = run.ready[i];
	}
	if (!wish.n)
		return 0;
	wish.nfields = fields_find(object, fields);
	pass->ret = collect_set(object, run.session->channel, &wish,
				pass->patcher);
	return pass->ret;
}

/* As a function of registry_each(): stops at a marker of gdb's own that could
 * not be switched on. */
static int refused_look(struct object *object, void *arg)
{
	struct pass *pass = arg;

	if (!usdt_is_point(object->adopted) || !object->collect || !object->on)
		return 0;
	pass->ret = registry_adopted->refused(object->adopted);
	for (uint32_t i = 0; pass->ret && i < COLLECT_POINTS_MAX; i++)
		if (run.ready[i] && object_at(object, run.addresses[i]))
			failed_note(run.numbers[i], run.addresses[i]);
	return pass->ret;
}

/* Makes markers where the tracepoints need some. Returns 0, or why one that is
 * enabled has none: enum usdt_reason, or a negative errno; run.failed is the
 * number. */
static int points_place(const struct patcher *patcher)
{
	const struct trace_point *point;
	int why;

	session_points_adopt(run.points, ARRAY_SIZE(run.points), patcher);
	for (point = trace_get()->points; point; point = point->next) {
		why = point->slot ? run.points[point->slot - 1].why : 0;
		if (why == -ESRCH && !usdt_functions)
			why = -ELIBACC;
		failed_note(point->number, point->address);
		if (why && point->enabled && !point->at_marker)
			return why;
	}
	return 0;
}

/* Puts the tracepoints of one address at their marker, or all when `address` is
 * 0, after it made those that have a slot but were not made yet. Returns 0, or
 * as points_place(), and run.failed is the number of the tracepoint that
 * failed. */
static int points_serve(uint64_t address)
{
	static struct collect_action actions[COLLECT_ACTIONS_MAX];
	const struct trace_point *point = trace_get()->points;
	struct patcher patcher;
	struct pass pass = { .patcher = &patcher, .address = address };
	struct collect_request request;
	struct ax_refusal why;
	const struct trace *t;
	const char *name;

	registry_lock();
	/* the variables that are fields */
	t = trace_get();
	run.nfields = 0;
	for (uint32_t i = 0; i < COLLECT_VARIABLES_MAX; i++) {
		struct field_variable *field = &run.fields[run.nfields];

		name = t->variables[i].defined ?
			       text_after(t->variables[i].name,
					  FIELD_VARIABLE) :
			       NULL;
		if (!name || run.nfields == FIELDS_MAX)
			continue;
		field->number = i;
		text_copy(field->name, sizeof(field->name), name);
		run.nfields++;
	}
	for (; point && !pass.ret; point = point->next) {
		uint32_t slot = point->slot - 1;

		if (!point->slot || run.ready[slot])
			continue;
		run.addresses[slot] = point->address;
		failed_note(point->number, point->address);
		trace_request(point, &request, actions);
		if (!request.nactions) {
			/* while a trace runs, gdb sends a new tracepoint before
			 * its user can type the actions */
			actions[0] = (struct collect_action){
				.kind = COLLECT_STATIC
			};
			request.actions = actions;
			request.nactions = 1;
		}
		pass.ret = collect_point_make(&run.ready[slot], &request, slot,
					      &why);
	}
	if (!pass.ret) {
		patch_open(&patcher);
		pass.ret = points_place(&patcher);
		if (!pass.ret)
			registry_each(object_serve, &pass);
		registry_each(guard_enable, &pass);
		patch_close(&patcher);
	}
	if (!pass.ret)
		registry_each(refused_look, &pass);
	registry_unlock();
	return pass.ret;
}

/* Withdraws the tracepoints from that slot on: libraries that come later do not
 * get them. */
static void points_unready(uint32_t slot)
{
	registry_lock();
	for (; slot < COLLECT_POINTS_MAX; slot++)
		run.ready[slot] = NULL;
	registry_unlock();
}

void run_module_came(struct object *object, const struct patcher *patcher)
{
	struct pass pass = { .patcher = patcher };

	/* a forked child has a copy of its parent's run */
	if (run.pid != (int)sys_getpid())
		return;
	if (object->site->kind_ == TAFFRAIL_KIND_GUARD)
		guard_enable(object, &pass);
	else if (!object_serve(object, &pass) && object->collect)
		registry_each(guard_enable, &pass);
}

void run_print_point(uint32_t place, uint64_t address)
{
	registry_lock();
	run.points[COLLECT_POINTS_MAX + place] = (struct usdt_point){
		.address = address, .why = -ESRCH
	};
	registry_unlock();
}

int run_prints_place(const struct patcher *patcher)
{
	const struct usdt_point *point;

	session_points_adopt(run.points, ARRAY_SIZE(run.points), patcher);
	for (uint32_t i = 0; i < PRINTS_MAX; i++) {
		point = &run.points[COLLECT_POINTS_MAX + i];
		if (point->address && point->why)
			return usdt_functions ? point->why : -ELIBACC;
	}
	return 0;
}

static int adopted_serve(struct object *object, void *arg)
{
	return usdt_is_point(object->adopted) && !object->collect &&
	       object_serve(object, arg);
}

void run_adopted(const struct patcher *patcher)
{
	struct pass pass = { .patcher = patcher };

	if (run.pid == (int)sys_getpid() && run.state.phase == RUN_ON)
		registry_each(adopted_serve, &pass);
}

const char *run_refusal(int why)
{
	return why > 0 ? usdt_functions->reason(why) :
	       why == -ESRCH ? "this code can have no tracepoint" :
	       why == -ERANGE ? "no room for code within a jump's reach" :
	       why == -EAGAIN ? "a thread blocks SIGTRAP" :
	       why == -EPERM ? "the program ignores SIGTRAP" :
	       why == -EFAULT ?
		       "its instruction may fault, and the program handles "
		       "SIGSEGV or SIGBUS" :
	       why == -ELIBACC ? "the agent has no libtaffrail-usdt.so" :
	       why == -ENOTSUP ?
		       "its marker tests a flag, and has no registers" :
	       why == -EBUSY ? "another debugger has changed the code" :
	       why == -EINVAL ? "its actions are not valid" :
	       why == -EUSERS ? "sessions use all eight places" :
	       why == -ENOMEM ? "no memory" : "it cannot be switched on";
}

/* Gives a tracepoint its counters. Returns 0, or -ENOSPC. */
static int slot_take(struct trace_point *point)
{
	if (run.slots == COLLECT_POINTS_MAX)
		return -ENOSPC;
	run.numbers[run.slots] = point->number;
	collect_counts[run.slots].enabled = point->enabled;
	run.points[run.slots] = (struct usdt_point){
		.address = point->at_marker ? 0 : point->address,
		.why = -ESRCH
	};
	point->slot = ++run.slots;
	return 0;
}

const char *run_install(struct trace_point *point)
{
	int ret;

	if (run.state.phase != RUN_ON || point->aside)
		return NULL;
	if (slot_take(point))
		return "a run has 256 tracepoints at most";
	ret = points_serve(point->address);
	if (!ret)
		return NULL;
	points_unready(point->slot - 1);
	point->slot = 0;
	run.points[run.slots - 1] = (struct usdt_point){ 0 };
	points_serve(point->address);	/* without the new one */
	if (!load_relaxed(&collect_counts[run.slots - 1].hits))
		run.slots--;
	return run_refusal(ret);
}

int run_enable(struct trace_point *point, int on)
{
	if (run.state.phase != RUN_ON || !point->slot)
		return 0;
	if (on && !point->at_marker && run.points[point->slot - 1].why)
		return -ENOENT;
	store_relaxed(&collect_counts[point->slot - 1].enabled, (uint32_t)on);
	return 0;
}

/* Nothing keeps a pointer to a definition afterwards: the session, which is
 * destroyed, is the last to do so. */
void run_forget(void)
{
	struct trace_point *point = trace_get() ? trace_get()->points : NULL;

	run_stop(RUN_STOPPED);
	frames_drop();
	if (run.session)
		session_destroy(run.session);
	run.session = NULL;
	run.state = (struct run_state){ 0 };
	run.slots = 0;
	registry_lock();
	__builtin_memset(run.points, 0,
			 COLLECT_POINTS_MAX * sizeof(run.points[0]));
	registry_unlock();
	for (; point; point = point->next)
		point->slot = 0;
}

/* Returns the part of one CPU in the buffer size that gdb wants; 0: the
 * default. */
static uint64_t cpu_share(const struct trace *t)
{
	return t && t->size ? (t->size - 1) / agent_cpus_online + 1 : 0;
}

/* Starts all complete tracepoints. Those aside are at no marker. */
static int points_start(struct trace *t)
{
	struct trace_point *point;
	int ret;

	for (uint32_t i = 0; i < COLLECT_VARIABLES_MAX; i++)
		if (t->variables[i].defined)
			collect_variable_set(i, t->variables[i].initial);
	for (point = t->points; point; point = point->next) {
		if (!point->complete || point->aside)
			continue;
		ret = slot_take(point);
		if (ret)
			return ret;
	}
	ret = collect_start(run.session->channel, run.id);
	run.state.started = clock_us(clock_read());
	run.state.phase = RUN_ON;
	return ret ? ret : points_serve(0);
}

/* Returns why the session of a run cannot be made, from session_start()'s
 * error, in words for gdb's user. */
static const char *session_refusal(int ret)
{
	static char why[WHY_BYTES];
	struct text text;

	if (ret == -EUSERS) {
		text_open(&text, why, sizeof(why));
		text_add(&text, "the process takes part in ");
		text_add_unsigned(&text, SESSIONS_MAX);
		text_add(&text, " sessions, which is the limit: ");
		session_holders(&text);
		text_add(&text, "; end one first (taffrail destroy NAME)");
		return why;
	}
	switch (session_failure(ret)) {
	case CAUSE_SESSION_USER_CHANGED:
		return "the program has changed its user, and can no longer "
		       "make files in its directory";
	case CAUSE_SESSION_ROOT_CHANGED:
		return "the program has changed its root directory, and can no "
		       "longer make files in its directory";
	case CAUSE_SESSION_LANDLOCKED:
	case CAUSE_SESSION_RESTRICTED:
		return "the program is restricted (Landlock, for example), and "
		       "can no longer make files in its directory";
	}
	if (ret == -EACCES)
		return "the program may not write in its directory";
	return ret == -EEXIST ?
		       "the program already has a session named gdb" :
		       "no room for the trace buffer";
}

/* Tells whether a tracepoint has more than one location. */
static bool locations_several(const struct trace *t, uint32_t number)
{
	const struct trace_point *point = t->points;
	uint32_t n = 0;

	for (; point; point = point->next)
		n += point->number == number;
	return n > 1;
}

int run_start(const char **why)
{
	static struct session model TABLE;
	static char named[128];
	struct trace *t = trace_get();
	struct event_record *record;
	struct text text;
	uint32_t matched;
	int ret;

	*why = "no memory";
	if (!t)
		return -ENOMEM;
	run_forget();
	model = (struct session){ .owned = 1 };
	text_copy(model.name, sizeof(model.name), RUN_SESSION);
	model.flags = t->circular ? SESSION_OVERWRITE : 0;
	model.buffer = cpu_share(t);
	ret = session_start(&model, &matched);
	*why = session_refusal(ret);
	if (ret < 0)
		goto failed;
	run.session = session_at((uint32_t)ret);
	record = collect_record_publish(run.session->channel);
	ret = -ENOSPC;
	if (!record)
		goto failed;
	run.id = record->id;
	run.failed = 0;
	ret = points_start(t);
	if (!ret)
		return 0;
	*why = "no memory for a trace run";
	if (run.failed) {
		text_open(&text, named, sizeof(named));
		text_add(&text, "tracepoint ");
		text_add_unsigned(&text, run.failed);
		if (locations_several(t, run.failed)) {
			text_add(&text, " at 0x");
			text_add_hex(&text, run.failed_at, 1);
		}
		text_add(&text, ": ");
		text_add(&text, run_refusal(ret));
		*why = named;
	}
failed:
	run_forget();
	return ret;
}

void run_stop(enum run_reason reason)
{
	if (run.state.phase != RUN_ON)
		return;
	points_unready(0);
	collect_stop();
	session_stop(run.session);
	run.state.phase = RUN_ENDED;
	run.state.reason = reason;
	run.state.ended = clock_us(clock_read());
}

void run_connected(void)
{
	int pid = (int)sys_getpid();

	if (run.pid == pid)
		return;
	frames_drop();
	__builtin_memset(&run, 0, sizeof(run));
	run.pid = pid;
}

void run_disconnected(void)
{
	struct trace *t = trace_get();

	if (t && t->disconnected)
		return;
	run_forget();
	if (t)
		trace_forget(t);
}

void run_look(struct run_state *state)
{
	struct frames_tally tally;
	uint64_t clock;
	uint32_t slot;

	if (run.state.phase != RUN_ON)
		goto out;
	if (collect_ended(&slot, &clock) == COLLECT_PASSED) {
		run.state.passed = run.numbers[slot];
		run_stop(RUN_PASSED);
		run.state.ended = clock_us(clock);
	} else if (!(run.session->flags & SESSION_OVERWRITE)) {
		frames_tally(run.session->channel, &tally);
		if (tally.lost > 0)
			run_stop(RUN_FULL);
	}
out:
	*state = run.state;
}

bool run_exists(void)
{
	return run.state.phase != RUN_NONE;
}

void run_tally(struct frames_tally *tally)
{
	*tally = (struct frames_tally){ 0 };
	if (run.session)
		frames_tally(run.session->channel, tally);
	else
		tally->bytes_room = (uint64_t)agent_cpus_online *
				    channel_ring_bytes(cpu_share(trace_get()),
						       agent_cpus_online);
}

void run_counts(const struct trace_point *point, uint64_t *hits,
		uint64_t *bytes)
{
	*hits = *bytes = 0;
	if (!point->slot)
		return;
	*hits = collect_hits(point->slot - 1);
	if (point->pass)
		*hits = min_u64(*hits, point->pass);
	*bytes = collect_bytes(point->slot - 1, *hits);
}

const struct frames *run_frames(void)
{
	if (run.state.phase != RUN_ENDED)
		return NULL;
	if (!run.frames)
		run.frames = frames_open(run.session->channel, run.id);
	return run.frames;
}
