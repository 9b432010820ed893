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
#include "tracepoints/sites/lock.h"

#define WHY_BYTES	640	/* eight names of sessions, and the rest */

#define RUN_SESSION	"gdb"

static struct {
	struct run_state state;
	struct session *session;	/* while there are frames */
	uint32_t id;			/* of the frame event */
	uint32_t slots;			/* in use */
	uint32_t failed;		/* the tracepoint that cannot start */
	uint32_t numbers[COLLECT_POINTS_MAX];	/* of tracepoints, by slot */
	/* by slot, in the form that hits use; none when no run is on. The
	 * registry's lock guards the next two: other threads load libraries */
	const struct collect_point *ready[COLLECT_POINTS_MAX];
	uint64_t addresses[COLLECT_POINTS_MAX];
	struct frames *frames;
	int pid;			/* of the process that made the run */
} run;

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

/* Makes the form of a tracepoint that hits use. */
static int point_make(const struct trace_point *point,
		      const struct collect_point **made)
{
	static struct collect_action actions[COLLECT_ACTIONS_MAX];
	struct collect_request request;
	struct ax_refusal why;

	trace_request(point, &request, actions);
	if (!request.nactions) {
		/* while a trace runs, gdb sends a new tracepoint before its
		 * user can type the actions */
		actions[0] = (struct collect_action){ .kind = COLLECT_STATIC };
		request.actions = actions;
		request.nactions = 1;
	}
	return collect_point_make(made, &request, point->slot - 1, &why);
}

/* Returns 1 when code of this marker is at that address. */
static int object_at(const struct object *object, uint64_t address)
{
	const struct code *code = object->codes;

	while (code && (uint64_t)code->address != address)
		code = code->next;
	return !!code;
}

struct pass {
	const struct patcher *patcher;
	uint64_t address;	/* of one tracepoint, or 0: all */
	int ret;
};

/* Returns 1 for another site of the marker that collects. */
static int has_points(struct object *object, void *arg)
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
	    !registry_each(has_points, object->id))
		return 0;
	use.channel = run.session->channel;
	object_enable(object, &use, pass->patcher);
	return 0;
}

/* Gathers the tracepoints of the run that are at this marker, in the order in
 * which a hit serves them, and notes the needs of their frames. Returns how
 * many.
 */
static uint32_t points_gather(const struct object *object,
			      const struct collect_point **points)
{
	uint32_t n = 0;
	uint32_t i;

	for (i = 0; i < COLLECT_POINTS_MAX; i++) {
		if (!run.ready[i] || !object_at(object, run.addresses[i]))
			continue;
		if (!n)
			run.failed = run.numbers[i];
		forms_note(run.addresses[i], object);
		points[n++] = run.ready[i];
	}
	return n;
}

/* Gives the marker at one site the tracepoints of the run. An error ends the
 * walk. */
static int object_serve(struct object *object, void *arg)
{
	const struct collect_point *points[COLLECT_POINTS_MAX];
	struct pass *pass = arg;
	uint32_t n;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD ||
	    (pass->address && !object_at(object, pass->address)))
		return 0;
	n = points_gather(object, points);
	if (n)
		pass->ret = collect_set(object, run.session->channel, points, n,
					pass->patcher);
	return pass->ret;
}

/* Makes the tracepoints that have a slot but were not made yet. At an error,
 * run.failed is the number of the one that failed. */
static int points_ready(void)
{
	const struct trace_point *point = trace_get()->points;
	int ret = 0;

	for (; point && !ret; point = point->next) {
		uint32_t slot = point->slot - 1;

		if (!point->slot || run.ready[slot])
			continue;
		run.addresses[slot] = point->address;
		run.failed = point->number;
		ret = point_make(point, &run.ready[slot]);
	}
	return ret;
}

/* Puts the tracepoints of one address at their marker, or all when `address` is
 * 0. */
static int points_serve(uint64_t address)
{
	struct patcher patcher;
	struct pass pass = { .patcher = &patcher, .address = address };

	registry_lock();
	pass.ret = points_ready();
	if (!pass.ret) {
		patch_open(&patcher);
		registry_each(object_serve, &pass);
		registry_each(guard_enable, &pass);
		patch_close(&patcher);
	}
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

/* Gives a tracepoint its counters. */
static int slot_take(struct trace_point *point)
{
	if (run.slots == COLLECT_POINTS_MAX)
		return -ENOSPC;
	run.numbers[run.slots] = point->number;
	collect_counts[run.slots].enabled = point->enabled;
	point->slot = ++run.slots;
	return 0;
}

int run_install(struct trace_point *point)
{
	int ret;

	if (run.state.phase != RUN_ON || point->aside)
		return 0;
	ret = slot_take(point);
	if (ret)
		return ret;
	ret = points_serve(point->address);
	if (!ret)
		return 0;
	points_unready(point->slot - 1);
	point->slot = 0;
	points_serve(point->address);	/* without the new one */
	if (!load_relaxed(&collect_counts[run.slots - 1].hits))
		run.slots--;
	return ret;
}

int run_enable(struct trace_point *point, int on)
{
	if (run.state.phase == RUN_ON && point->slot)
		store_relaxed(&collect_counts[point->slot - 1].enabled,
			      (uint32_t)on);
	return 0;
}

/* Ends the run and drops all that is left of it. */
static void run_drop(void)
{
	struct trace_point *point = trace_get() ? trace_get()->points : NULL;

	run_stop(RUN_STOPPED);
	frames_drop();
	if (run.session)
		session_destroy(run.session);
	run.session = NULL;
	run.state = (struct run_state){ 0 };
	run.slots = 0;
	for (; point; point = point->next)
		point->slot = 0;
}

void run_forget(void)
{
	run_drop();
}

/* Returns the part of one CPU in the buffer size that gdb wants; 0: the
 * default. */
static uint64_t cpu_share(const struct trace *t)
{
	return t && t->size ? (t->size - 1) / agent_cpus_online + 1 : 0;
}

/* Starts the session of the run. Returns the words for the error in *ret; they
 * mean nothing when *ret is 0. */
static const char *session_open(const struct trace *t, int *ret)
{
	static struct session model;
	static char why[WHY_BYTES];
	struct text text;
	struct event_record *record;
	uint32_t matched;

	model = (struct session){ .owned = 1 };
	text_copy(model.name, sizeof(model.name), RUN_SESSION);
	model.flags = t->circular ? SESSION_OVERWRITE : 0;
	model.buffer = cpu_share(t);
	*ret = session_start(&model, &matched);
	if (*ret == -EUSERS) {
		text_open(&text, why, sizeof(why));
		text_add(&text, "the process takes part in ");
		text_add_unsigned(&text, SESSIONS_MAX);
		text_add(&text, " sessions, which is the limit: ");
		session_holders(&text);
		text_add(&text, "; end one first (taffrail destroy NAME)");
		return why;
	}
	if (*ret == -EACCES)
		return session_failure(*ret) == CAUSE_SESSION_USER_CHANGED ?
			       "the program has changed its user, and can no "
			       "longer make files in its directory" :
			       "the program is restricted (Landlock, for "
			       "example), and can no longer make files in its "
			       "directory";
	if (*ret == -EEXIST)
		return "the program already has a session named gdb";
	if (*ret < 0)
		return "no room for the trace buffer";
	run.session = session_at((uint32_t)*ret);
	record = collect_record_publish(run.session->channel);
	*ret = record ? 0 : -ENOSPC;
	if (record)
		run.id = record->id;
	return "no room for the trace buffer";
}

/* Starts all complete tracepoints. Those aside are at no marker. */
static int points_start(struct trace *t)
{
	struct trace_point *point;
	uint32_t i;
	int ret;

	for (i = 0; i < COLLECT_VARIABLES_MAX; i++)
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

/* Returns why a tracepoint could not start, in words for gdb's user. */
static const char *start_fact(int ret)
{
	switch (ret) {
	case -ENOTSUP:
		return "its marker tests a flag, and has no registers";
	case -EBUSY:
		return "another debugger has changed the code of its marker";
	case -EINVAL:
		return "its actions are not valid";
	}
	return "its marker cannot be switched on";
}

/* Returns why points_start() failed, with the tracepoint's number. */
static const char *start_refusal(int ret)
{
	static char why[96];
	struct text text;

	if (!run.failed)
		return "no memory for a trace run";
	text_open(&text, why, sizeof(why));
	text_add(&text, "tracepoint ");
	text_add_unsigned(&text, run.failed);
	text_add(&text, ": ");
	text_add(&text, start_fact(ret));
	return why;
}

int run_start(const char **why)
{
	struct trace *t = trace_get();
	int ret = -ENOMEM;

	*why = "no memory";
	if (!t)
		return ret;
	run_drop();
	*why = session_open(t, &ret);
	if (!ret) {
		run.failed = 0;
		ret = points_start(t);
		if (ret)
			*why = start_refusal(ret);
	}
	if (ret)
		run_drop();
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
	run_drop();
	if (t)
		trace_forget(t);
}

/* Returns 1 when the buffer is not circular and a frame was lost. */
static int run_is_full(void)
{
	struct frames_tally tally;

	if (run.session->flags & SESSION_OVERWRITE)
		return 0;
	frames_tally(run.session->channel, &tally);
	return tally.lost > 0;
}

void run_look(struct run_state *state)
{
	uint64_t clock;
	uint32_t slot;

	if (run.state.phase == RUN_ON) {
		if (collect_ended(&slot, &clock) == COLLECT_PASSED) {
			run.state.passed = run.numbers[slot];
			run_stop(RUN_PASSED);
			run.state.ended = clock_us(clock);
		} else if (run_is_full()) {
			run_stop(RUN_FULL);
		}
	}
	*state = run.state;
}

int run_exists(void)
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
