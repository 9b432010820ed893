/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdb's dprintf in the agent: a breakpoint with commands for the target.
 *
 *	Z0,ADDRESS,KIND;XLENGTH,CODE;cmds:PERSIST,XLENGTH,CODE
 *	z0,ADDRESS,KIND
 *
 * Each X before "cmds" is a condition, each one behind it a dprintf at that
 * address. A packet replaces those that are there.
 *
 * Invariant: without commands it is a breakpoint, which would stop a thread.
 * It gets an OK, as gdb closes a connection that refuses one while it begins;
 * but while there is one, gdb's wait for the program is refused. Those that gdb
 * sets by itself, where the dynamic linker and compilers at run time tell of
 * code that came, are none of the user's.
 */
#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/sessions/session.h"
#include "gdbstub/tracing/defined.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/print.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/plan/note.h"
#include "tracepoints/usdt/usdt.h"

static const char no_stop[] = "no breakpoints here: nothing stops the program; "
			      "use tracepoints, or dprintf with `set "
			      "dprintf-style agent'; gdb sends a breakpoint "
			      "for a dprintf that it cannot translate";

static struct channel *channel;		/* while there is a dprintf */
static int made_by;			/* pid of the process that has them */
static bool kept;			/* they stay when gdb goes */

/*
 * Dprintfs that the agent cannot have, by their address. gdb gets an error for
 * such a one, and sends it again before whatever it does, so it would not wait
 * for the others. The second time it gets an OK; the console tells the reason
 * when gdb waits.
 */
static struct refusal {
	uint64_t address;	/* 0: free */
	uint64_t packet;	/* index_hash() of it */
	bool held;		/* gdb takes it for one that is there */
	bool told;
	char text[160];
} refusals[8];
static const struct refusal *refused_last; /* NULL: the extension was told */

struct pass {
	const struct patcher *patcher;
	int ret;
};

/* As a function of registry_each(): has a marker print if a dprintf is
 * there. */
static int object_look(struct object *object, void *arg)
{
	struct pass *pass = arg;
	const struct code *code;
	bool wanted = false;

	for (code = object->codes; code; code = code->next)
		for (uint32_t i = 0; i < PRINTS_MAX && code->stub; i++)
			wanted |= print_address(i) == (uint64_t)code->address &&
				  run_object_serves(object, print_address(i),
						    channel);
	if (wanted != (object->on >> channel_bit(channel) & 1)) {
		int ret = print_switch(object, channel, wanted, pass->patcher);

		pass->ret = pass->ret ? pass->ret : ret;
	}
	return 0;
}

/* As such: stops at a marker of gdb's own that could not be switched on. */
static int refused_look(struct object *object, void *arg)
{
	struct pass *pass = arg;

	if (usdt_is_point(object->adopted) &&
	    object->on >> channel_bit(channel) & 1)
		pass->ret = registry_adopted->refused(object->adopted);
	return pass->ret;
}

void prints_adopted(const struct patcher *patcher)
{
	struct pass pass = { .patcher = patcher };

	if (channel)
		registry_each(object_look, &pass);
}

/* Returns true when there is a dprintf. */
static bool prints_any(void)
{
	uint32_t i = 0;

	while (i < PRINTS_MAX && !print_address(i))
		i++;
	return i < PRINTS_MAX;
}

/* Puts the places into effect. Returns 0 or why one cannot be: as
 * run_refusal(). */
static int prints_apply(void)
{
	struct patcher patcher;
	struct pass pass = { .patcher = &patcher };
	struct object *object;
	bool came;
	int why;

	if (!channel)
		channel = session_hold("dprintf");
	if (!channel)
		return -EUSERS;
	registry_lock();
	patch_open(&patcher);
	object = print_object(&came);
	if (object && came)
		session_module_came(object, &patcher);
	why = run_prints_place(&patcher);
	registry_each(object_look, &pass);
	patch_close(&patcher);
	if (!why && !pass.ret)
		registry_each(refused_look, &pass);
	registry_unlock();
	if (!prints_any()) {
		session_release(channel);
		channel = NULL;
	}
	return why ? why : pass.ret;
}

void prints_connected(void)
{
	int pid = (int)sys_getpid();
	uint32_t i;

	if (made_by == pid)
		return;
	made_by = pid;
	for (i = 0; i < PRINTS_MAX; i++)
		print_set(i, NULL);
	for (i = 0; i < ARRAY_SIZE(refusals); i++)
		refusals[i].address = 0;
	channel = NULL;
	kept = false;
}

/* Takes all dprintfs of an address out; 0: of all. Returns true when there were
 * some. */
static bool prints_clear(uint64_t address)
{
	bool any = false;

	for (uint32_t i = 0; i < PRINTS_MAX; i++) {
		uint64_t at = print_address(i);

		if (!at || (address && at != address))
			continue;
		print_set(i, NULL);
		run_print_point(i, 0);
		any = true;
	}
	return any;
}

/* Reads "LENGTH,CODE" into a buffer. Returns 0 when it is malformed. */
static bool code_read(const char **p, uint8_t *code, uint32_t *bytes)
{
	uint64_t length;

	if (!packet_read_number(p, &length) || !packet_read_char(p, ',') ||
	    length > TRACE_CODE_BYTES + PRINT_TEXT_BYTES ||
	    !packet_read_hex(p, code, length))
		return false;
	frame_base_mend(code, (uint32_t)length);
	*bytes = (uint32_t)length;
	return true;
}

/* Adds a dprintf. Returns NULL or why not. */
static const char *print_add(const struct print_source *source)
{
	const struct print *print;
	struct ax_refusal why;
	const char *left_out;
	uint32_t i = 0;
	int ret;

	while (i < PRINTS_MAX && print_address(i))
		i++;
	if (i == PRINTS_MAX)
		return "there are 64 dprintfs already";
	registry_lock();
	ret = print_make(&print, source, &why);
	registry_unlock();
	if (ret)
		return ret == -EINVAL ? why.fact : "no memory";
	print_set(i, print);
	run_print_point(i, marker_at(source->address, &left_out) ?
				   0 : source->address);
	return NULL;
}

/* Reads the rest behind KIND, and adds the dprintfs. gdb sends as many
 * conditions as dprintfs, in the same order, or none; one is for all. */
static const char *prints_read(uint64_t address, const char *p)
{
	static uint8_t code[TRACE_CODE_BYTES + PRINT_TEXT_BYTES];
	static uint8_t condition[sizeof(code)];
	struct print_source source = { .address = address, .code = code };
	const char *why = NULL, *commands, *start, *conditions[PRINTS_MAX];
	uint32_t wanted = 0, added = 0;
	uint64_t persist;

	while (packet_read_char(&p, ';')) {
		commands = text_after(p, "cmds:");
		if (commands) {
			p = commands;
			if (!packet_read_number(&p, &persist) ||
			    !packet_read_char(&p, ','))
				return trace_malformed;
			kept = persist;
		}
		while (!why && packet_read_char(&p, 'X')) {
			start = p;
			if (!code_read(&p, code, &source.bytes))
				return trace_malformed;
			if (!commands && wanted == PRINTS_MAX)
				return "64 conditions at most";
			if (!commands) {
				conditions[wanted++] = start;
				continue;
			}
			if (wanted > 1 && added == wanted)
				return "fewer conditions than dprintfs";
			if (wanted) {
				start = conditions[wanted > 1 ? added : 0];
				code_read(&start, condition,
					  &source.condition_bytes);
				source.condition = condition;
			}
			why = print_add(&source);
			added++;
		}
	}
	if (!why && wanted > 1 && added < wanted)
		why = "more conditions than dprintfs";
	return why ? why : *p ? trace_malformed : NULL;
}

/* Returns true where gdb sets breakpoints by itself. */
static int module_is_own(struct module *module, void *address)
{
	static const char *const names[] = { "_dl_debug_state",
					     "__jit_debug_register_code" };
	uint64_t at = *(const uint64_t *)address, found;
	struct usdt_file file;
	bool own = false;

	if (module->declared || at < module->start || at >= module->end)
		return 0;
	if (text_after(module->name, "ld-"))
		return 1;
	if (usdt_module_map(&file, module))
		return 0;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		own |= usdt_file_symbol(&file, names[i], text_length(names[i]),
					&found) && found + module->base == at;
	usdt_module_unmap(&file);
	return own;
}

static bool address_is_own(uint64_t address)
{
	int found;

	registry_lock();
	found = registry_each_module(module_is_own, &address);
	registry_unlock();
	return found;
}

/* Returns the place of a breakpoint among the user's, 0: a free one; or
 * NULL. */
static uint64_t *stop_find(struct connection *c, uint64_t stop)
{
	uint32_t i = 0;

	while (i < CONNECTION_STOPS && c->stops[i] != stop)
		i++;
	return i < CONNECTION_STOPS ? &c->stops[i] : NULL;
}

static bool stops_any(const struct connection *c)
{
	uint32_t i = 0;

	while (i < CONNECTION_STOPS && !c->stops[i])
		i++;
	return i < CONNECTION_STOPS;
}

/* Takes a breakpoint out, and all dprintfs at its address. */
static void stop_drop(struct connection *c, uint64_t stop)
{
	uint64_t *old = stop_find(c, stop);

	if (old)
		*old = 0;
	else if (prints_clear(stop))
		prints_apply();
}

/* Reads "TYPE,ADDRESS,KIND". Returns the address, above its bits the type of a
 * breakpoint of another sort than gdb's usual one; 0 when it is malformed. */
static uint64_t stop_read(const char **p)
{
	uint64_t type, address, kind;

	return packet_read_number(p, &type) && type <= 4 &&
	       packet_read_char(p, ',') && packet_read_number(p, &address) &&
	       packet_read_char(p, ',') && packet_read_number(p, &kind) ?
		       address | type << 60 : 0;
}

/* Adds the dprintfs of a packet. Returns as run_refusal(), or why not. */
static const char *prints_take(uint64_t address, const char *p)
{
	const char *why;
	int ret;

	if (!marker_at(address, &why) && !code_at(address))
		return "no code of a module is there";
	why = prints_read(address, p);
	ret = why ? 0 : prints_apply();
	if (why || ret) {
		prints_clear(address);
		prints_apply();
	}
	return ret ? run_refusal(ret) : why;
}

static struct refusal *refusal_find(uint64_t address)
{
	uint32_t i = 0;

	while (i < ARRAY_SIZE(refusals) && refusals[i].address != address)
		i++;
	return i < ARRAY_SIZE(refusals) ? &refusals[i] : NULL;
}

/* Returns one that gdb takes for one that is there; only such as the console
 * has not told, if so wanted; or NULL. */
static struct refusal *refusal_held(bool untold)
{
	struct refusal *r = refusals;

	while (r < refusals + ARRAY_SIZE(refusals) &&
	       !(r->address && r->held && !(untold && r->told)))
		r++;
	return r < refusals + ARRAY_SIZE(refusals) ? r : NULL;
}

static void refusal_drop(uint64_t address)
{
	struct refusal *r = refusal_find(address);

	if (r)
		r->address = 0;
}

/* Keeps why a dprintf is refused. Returns the text, NULL the second time. */
static const char *refusal_take(uint64_t address, uint64_t packet,
				const char *why)
{
	struct refusal *r = refusal_find(address);
	bool again = r && r->packet == packet;
	struct text made;

	r = r ? r : refusal_find(0);
	r = r ? r : refusals;
	*r = (struct refusal){ .address = address, .packet = packet,
				.held = again };
	text_open(&made, r->text, sizeof(r->text));
	text_add(&made, "dprintf at 0x");
	text_add_hex(&made, address, 1);
	text_add(&made, ": ");
	text_add(&made, why);
	if (again)
		return NULL;
	refused_last = r;
	return r->text;
}

int serve_breakpoint_set(struct connection *c, const char *p)
{
	uint64_t stop = stop_read(&p), *free = stop_find(c, 0);
	const char *rest = p, *why;

	if (!stop)
		return trace_answer(c, trace_malformed);
	while (*rest && !text_after(rest, ";cmds:"))
		rest++;
	stop_drop(c, stop);
	if (!*rest && !free)
		return trace_answer(c, no_stop);
	if (!*rest && !address_is_own(stop))
		*free = stop;
	why = *rest ? prints_take(stop, p) : NULL;
	if (why)
		return trace_answer(c, refusal_take(
			stop, index_hash(INDEX_HASH, p, text_length(p)), why));
	refusal_drop(stop);
	return trace_answer(c, NULL);
}

/* gdb does not show why a dprintf is refused: the extension asks, and is told
 * once. */
int serve_breakpoint_refusal(struct connection *c, const char *p)
{
	if (refused_last && refused_last->address)
		packet_add_hex(&c->out, refused_last->text,
			       text_length(refused_last->text));
	refused_last = NULL;
	return 0;
}

int serve_breakpoint_clear(struct connection *c, const char *p)
{
	uint64_t stop = stop_read(&p);

	if (!stop)
		return trace_answer(c, trace_malformed);
	stop_drop(c, stop);
	refusal_drop(stop);
	return serve_ok(c, p);
}

void prints_forget(void)
{
	prints_connected();
	if (prints_clear(0))
		prints_apply();
}

void prints_disconnected(void)
{
	print_console(false);
	for (uint32_t i = 0; i < ARRAY_SIZE(refusals); i++)
		refusals[i].address = 0;
	if (!kept)
		prints_forget();
}

/* "vCont;c": while there are dprintfs, gdb may wait for their texts.
 * There is no answer before it interrupts (stub.c). */
int serve_resume(struct connection *c, const char *p)
{
	if (*p != 'c' || !(prints_any() || refusal_held(false)) ||
	    stops_any(c)) {
		connection_refuse(c, stops_any(c) ? no_stop :
				  "the program keeps running: it is not "
				  "stopped");
		return 0;
	}
	c->waits = true;
	print_lost();
	print_console(true);
	return 1;
}

bool prints_tell(struct packet *out)
{
	char text[PRINT_TEXT_BYTES];
	struct refusal *r = refusal_held(true);
	uint32_t lost;
	int n = r ? 0 : print_take(text);

	if (r) {
		r->told = true;
		packet_add(out, "O");
		packet_add_hex(out, r->text, text_length(r->text));
		packet_add_hex(out, "\n", 1);
		return true;
	}
	if (n >= 0) {
		packet_add(out, "O");
		packet_add_hex(out, text, (uint64_t)n);
		return true;
	}
	lost = print_lost();
	if (lost) {
		struct text made;

		text_open(&made, text, sizeof(text));
		text_add_char(&made, '(');
		text_add_unsigned(&made, lost);
		text_add(&made, " texts of dprintf came too fast)\n");
		packet_add(out, "O");
		packet_add_hex(out, text, made.used);
	}
	return lost;
}
