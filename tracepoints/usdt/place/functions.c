/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes markers of functions that a module's symbols name: jumps replace the
 * first instructions, and those at each exit. Return addresses are never
 * changed. A function of which one exit cannot be had gets none: a reader could
 * not tell a call that was left there from one that goes on.
 *
 * Invariant: no two jumps cover the same byte, whether they are on or off.
 */
#include <errno.h>
#include <stddef.h>

#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/functions.h"

/* In usdt_refused: a function's exits; it, or they, also by traps. */
#define EXITS		(1ull << 63)
#define BY_TRAPS	(1ull << 62)

struct choosing {
	struct module *module;
	const struct usdt_asking *asking;
	const struct patcher *patcher;
	struct index *codes;
	struct index taken;		/* bytes that jumps cover */
	struct index gates;		/* that have no spot */
	struct index markers;		/* bytes of these */
	struct usdt_sharing sharing;
	struct usdt_calls calls;
	struct usdt_adopted *entry;	/* of the last function, or NULL */
	struct usdt_naming naming;
	int again;			/* a later call may place more */
};

/* Tells why a place has no way (enum usdt_reason or a negative errno), or, with
 * 0, that it has one. */
static void place_tell(const struct choosing *c,
		       const struct usdt_wanted *wanted, int exit,
		       uint64_t address, int why)
{
	char name[USDT_NAME_BYTES], id[USDT_NAME_BYTES];
	struct text text;

	text_open(&text, id, sizeof(id));
	text_add(&text, USDT_CHANNEL "/");
	text_add(&text, usdt_name_make(name, wanted, exit));
	c->asking->untaken(c->module, id, c->module->base + address, why);
}

/* Tells whether the module has the jump of an entry, which may be behind
 * pushes. */
static bool is_placed(const struct choosing *c, uint64_t site)
{
	uint32_t bytes;

	do {
		if (address_has(c->codes, c->module->base + site))
			return true;
		bytes = usdt_calls_push(&c->calls, site);
		site += bytes;
	} while (bytes);
	return false;
}

#define MARKER_BYTES	6	/* nop, and test or jmp */

int usdt_markers_take(struct index *taken, const struct module *module)
{
	const struct object *object;
	const struct code *code;
	int ret = 0;

	for (object = module->objects; object; object = object->next)
		for (code = object->adopted ? NULL : object->codes; code;
		     code = code->next)
			ret |= usdt_bytes_take(taken, (uint64_t)code->address,
					       MARKER_BYTES);
	return ret;
}

/* Takes the bytes of the sites that the module has. */
static int taken_fill(struct choosing *c)
{
	return usdt_ways_take(&c->taken, c->module->start, c->module->end) |
	       usdt_gates_find(&c->gates, c->module->start, c->module->end) |
	       usdt_share_open(&c->sharing, c->module->start, c->module->end) |
	       usdt_markers_take(&c->markers, c->module) |
	       usdt_markers_take(&c->taken, c->module);
}

/* Returns why a plan cannot be used here, or 0; see usdt_calls. */
static int plan_refused(const struct usdt_plan *plan, void *arg)
{
	const struct choosing *c = arg;

	if (plan->faults && usdt_faults_handled())
		return USDT_FAULTS;
	return usdt_bytes_taken(&c->taken, c->module->base + plan->address,
				plan->covered) ? USDT_OVERLAPS : 0;
}

/* Tells whether a jump that is there has a gate for this exit. */
static int exit_made(uint64_t address, void *arg)
{
	const struct choosing *c = arg;

	return !!usdt_gates_way(&c->gates, c->module->base + address, true);
}

/* Tells whether a jump that is there could be made anew, with a gate for this
 * place. */
static bool is_shared(const struct choosing *c, uint64_t address, bool exit)
{
	const struct usdt_spot spot = { .address = c->module->base + address,
					.leaves = exit };
	struct usdt_plan plan;

	return usdt_share_plan(&c->sharing, &spot, &plan);
}

static bool exit_shared(uint64_t address, void *arg)
{
	return is_shared(arg, address, true);
}

/* Tells whether a place may be tried again later. */
static bool is_passing(int why)
{
	return why == -ENOMEM || why == -EBUSY || why == -EADDRINUSE ||
	       why == USDT_NO_MEMORY;
}

/* Takes the bytes of a way that has been placed. Returns 0 or -ENOMEM. */
static int way_take(struct choosing *c, const struct way *way)
{
	return usdt_share_add(&c->sharing, way) |
	       usdt_bytes_take(&c->taken, way->site, way->covered);
}

/* Makes the way of the entry or of an exit of a function, or takes a gate that
 * is there, or of one that is made anew. Without these, or where no jump
 * reaches the code, each hit is a trap. Returns NULL, and a negative errno in
 * *why. */
static struct usdt_adopted *site_place(struct choosing *c,
				       const struct usdt_wanted *wanted,
				       const struct usdt_exit *exit,
				       struct usdt_plan *plan, int *why)
{
	struct usdt_adopted *probe = usdt_function_make(&c->naming, wanted,
							exit, NULL);
	uint64_t base = c->module->base;
	struct usdt_plan trap;
	struct way *way;

	*why = -ENOMEM;
	if (!probe)
		return NULL;
	way = usdt_gates_way(&c->gates, probe->spot.address, !!exit);
	*why = -EADDRINUSE;
	if (way)
		*why = usdt_place_join(&probe->spot, way, c->patcher);
	/* a jump that was made anew meanwhile may have the bytes */
	else if (plan && (plan->way || !plan_refused(plan, c)))
		*why = usdt_place_jump(&probe->spot, plan, base, c->patcher);
	if (*why == -EADDRINUSE)
		*why = usdt_share_make(&c->sharing, &probe->spot);
	if (*why == -EADDRINUSE && !plan)
		*why = -ERANGE;
	probe->placed = plan && plan->pun ? USDT_PUNNED : USDT_FUNCTION;
	if ((*why == -ERANGE || *why == -ENOSPC) && wanted->traps &&
	    (!plan || plan->ngates == 1) &&
	    !usdt_calls_trap(&c->calls, probe->spot.address - base, !!exit,
			     &trap)) {
		*why = usdt_place_jump(&probe->spot, &trap, base, c->patcher);
		probe->placed = USDT_INT3;
	}
	if (!*why && way_take(c, probe->spot.way))
		c->again = 1;
	return *why ? NULL : probe;
}

/* Makes the marker of a place that has a way. Returns 0 or -ENOMEM. */
static int site_register(struct choosing *c, const struct usdt_wanted *wanted,
			 struct usdt_adopted *probe)
{
	char name[USDT_NAME_BYTES];
	int ret = usdt_marker_make(c->module, probe,
				   usdt_name_make(name, wanted,
						  probe->function == USDT_EXIT),
				   usdt_function_file(c->module, wanted),
				   usdt_place_stub(&probe->spot));

	if (ret) {
		usdt_place_gone(&probe->spot);
		return ret;
	}
	return address_add(c->codes, probe->spot.address);
}

/* Notes that the entry or the exits of a function cannot be had. */
static void refused_note(struct choosing *c, const struct usdt_wanted *wanted,
			 uint64_t key)
{
	address_add(&c->module->usdt_refused,
		    key | (wanted->traps ? BY_TRAPS : 0));
}

/* Tells whether that is known. */
static bool is_refused(const struct choosing *c,
		       const struct usdt_wanted *wanted, uint64_t key)
{
	return address_has(&c->module->usdt_refused,
			   key | (wanted->traps ? BY_TRAPS : 0));
}

/* Returns why a place has no jump, for a session: whether a trap could be
 * there. */
static int why_told(const struct choosing *c, int why, uint64_t at, bool exit)
{
	struct usdt_plan plan;

	if ((why <= 0 && why != -ERANGE) || why == USDT_NO_MEMORY ||
	    usdt_calls_trap(&c->calls, at, exit, &plan))
		return why;
	return (why < 0 ? USDT_REACH : why) | USDT_TRAPS;
}

/* Places the entry. */
static void entry_place(struct choosing *c, const struct usdt_wanted *wanted)
{
	struct usdt_wanted at = *wanted;
	struct usdt_plan *plan, pun;
	int why, told;

	plan = usdt_calls_entry(&c->calls, wanted, &why);
	if (why && usdt_gates_way(&c->gates, c->module->base +
						      usdt_wanted_at(wanted),
				  false))
		why = 0;
	if (why > 0 && why != USDT_NO_MEMORY &&
	    is_shared(c, wanted->site, false)) {
		at.skipped = at.pushes = 0;
		plan = NULL;
		why = 0;
	}
	if (((why > 0 && why != USDT_NO_MEMORY) || why == -ERANGE) &&
	    !usdt_calls_pun(&c->calls, wanted, &pun)) {
		at.skipped = at.pushes = 0;
		plan = &pun;
		why = 0;
	}
	told = why_told(c, why, wanted->site, false);
	if (why && told != why && wanted->traps) {
		at.skipped = at.pushes = 0;
		plan = NULL;
		why = 0;
	}
	if (!why)
		c->entry = site_place(c, &at, NULL, plan, &why);
	if (!told && (why || (c->entry && c->entry->placed == USDT_INT3)))
		told = why_told(c, why ? why : -ERANGE, wanted->site, false);
	if (c->entry)
		why = site_register(c, wanted, c->entry);
	else if (why == -ENOSPC)
		why = USDT_PAGES;
	if (why)
		c->entry = NULL;
	/* not every session allows a trap */
	place_tell(c, wanted, 0, wanted->site, told ? told : why);
	c->again |= is_passing(why);
	if (why && !is_passing(why) && why != USDT_FAULTS && why != -EAGAIN)
		refused_note(c, wanted, wanted->site);
}

/* Reads the names of functions if an exit jumps to one. */
static void targets_read(struct choosing *c, const struct usdt_wanted *wanted)
{
	const struct usdt_exit *exits = c->calls.found + wanted->first;

	for (int i = 0; i < wanted->nexits; i++)
		if (exits[i].leaving == USDT_JUMPS ||
		    exits[i].leaving == USDT_JUMPS_IF) {
			usdt_targets_read(&c->naming);
			return;
		}
}

/* Places all exits, or none. Returns 0 or a negative errno; in *told why an
 * exit has a trap, and where. */
static int exits_place(struct choosing *c, const struct usdt_wanted *wanted,
		       int *told, uint64_t *at)
{
	const struct usdt_exit *exits = c->calls.found + wanted->first;
	struct usdt_adopted *probes[USDT_EXITS_MAX];
	int i, n, ret = 0;

	for (n = 0; n < wanted->nexits; n++) {
		probes[n] = site_place(c, wanted, &exits[n],
				       usdt_calls_exit(&c->calls, &exits[n]),
				       &ret);
		if (ret)
			break;
		if (probes[n]->placed != USDT_INT3)
			continue;
		*at = exits[n].address;
		*told = why_told(c, exits[n].trap ? exits[n].trap : -ERANGE,
				 *at, true);
	}
	for (i = 0; i < n && ret; i++)
		usdt_place_gone(&probes[i]->spot);
	for (i = 0; i < n && !ret; i++) {
		/* a session without traps gets no exit rather than some */
		if (*told)
			probes[i]->placed = USDT_INT3;
		ret = site_register(c, wanted, probes[i]);
	}
	return ret;
}

/* Places the entry and the exits that are wanted. */
static void function_place(struct choosing *c, const struct usdt_wanted *wanted)
{
	const struct usdt_plan *entry = usdt_calls_entry(&c->calls, wanted,
							 NULL);
	uint64_t at = 0;
	int why = 0, told = 0;

	c->entry = NULL;
	why = usdt_calls_exits(&c->calls, wanted, &at);
	if (wanted->entry)
		entry_place(c, wanted);
	if (!wanted->exits)
		return;
	/* the jump that was to have an exit, too, is not there */
	if (wanted->entry && entry->ngates > 1 && !c->entry)
		why = USDT_OVERLAPS;
	if (!why) {
		targets_read(c, wanted);
		why = exits_place(c, wanted, &told, &at);
	} else if (wanted->nexits > 0) {
		told = why_told(c, why, at, true);
	}
	c->again |= why == -ENOMEM || why == USDT_NO_MEMORY;
	if (why != USDT_NO_MEMORY && why != -ENOMEM && why != -EAGAIN &&
	    (why || !wanted->nexits))
		refused_note(c, wanted, wanted->address | EXITS);
	if (c->entry && (why || told) && c->entry->placed != USDT_INT3)
		c->entry->placed = USDT_ENTRY_ONLY;
	place_tell(c, wanted, 1, at, told ? told : why);
}

/* Adds a field to those that a call has. */
static void call_field(struct usdt_adopted *call, uint8_t type)
{
	call->site.types_[call->site.nfields_++] = type;
	if (type == TAFFRAIL_T_STRING)
		call->site.nvar_++;
	else
		call->site.fixed_bytes_ = (uint16_t)(call->site.fixed_bytes_ +
						     scalar_bytes(type));
}

/* Adds how the fields of an entry or an exit are shown, behind others, as far
 * as there is room. */
static void call_shown(struct text *text, const struct usdt_adopted *probe,
		       uint32_t before)
{
	const char *end = probe->text + probe->site.text_bytes_;
	const char *p = usdt_texts_rest(probe, end > probe->text ? 4 : 0);
	struct taffrail_shown shown;
	size_t n;

	for (; p < end; p += n) {
		__builtin_memcpy(&shown, p, sizeof(shown));
		n = sizeof(shown) + shown.bytes_;
		if (text->used + n + USDT_NAME_BYTES > USDT_TEXTS_BYTES)
			continue;
		shown.field_ = (uint8_t)(shown.field_ + before);
		text_add_bytes(text, (const char *)&shown, sizeof(shown));
		text_add_bytes(text, p + sizeof(shown), n - sizeof(shown));
	}
}

/* Tells whether an exit of an entry's function has this field. */
static bool call_ends_with(const struct choosing *c,
			   const struct usdt_adopted *entry, const char *field)
{
	const struct object *object;

	for (object = c->module->objects; object; object = object->next) {
		const struct usdt_adopted *exit = object->adopted;

		if (exit && exit->function == USDT_EXIT &&
		    usdt_start(exit) == usdt_start(entry) &&
		    text_after(usdt_fields_names(exit), field))
			return true;
	}
	return false;
}

/* Adds the names of the arguments, each with ", " before it. The names of
 * results are those of no argument: "value_2", also in calls that end by a
 * jump. */
static void call_arguments(struct text *text, const struct choosing *c,
			   const struct usdt_adopted *entry)
{
	const char *p = usdt_fields_names(entry), *end;

	/* the frame's "cfa" stands behind them */
	for (uint32_t i = 0; i + 1 < entry->count; i++, p = end + 2) {
		for (end = p; *end && *end != ',';)
			end++;
		text_add(text, ", ");
		text_add_bytes(text, p, (size_t)(end - p));
		if ((text_after(p, "value, ") &&
		     call_ends_with(c, entry, "value, ")) ||
		    (text_after(p, "to, ") && call_ends_with(c, entry, "to, ")))
			text_add(text, "_2");
	}
}

/* Makes the marker of calls that end as an exit does. Returns NULL without
 * memory. */
static struct usdt_adopted *call_make(const struct choosing *c,
				      struct usdt_adopted *entry,
				      const struct usdt_adopted *exit)
{
	const char *name = usdt_place_name(entry);
	struct usdt_adopted model = {
		.spot.address = entry->spot.address,
		.operands = entry->operands,
		.placed = entry->placed == USDT_INT3 ? USDT_INT3 : exit->placed,
		.function = USDT_WHOLE,
		.entry = entry,
		.site = { .version_ = TAFFRAIL_SITE_VERSION,
			  .kind_ = TAFFRAIL_KIND_EVENT,
			  .line_ = entry->site.line_ },
	};
	const char *file = object_of(entry->site.agent_)->file;
	const struct taffrail_shown duration = {
		.field_ = 1, .how_ = TAFFRAIL_HOW_DURATION_NS,
	};
	struct usdt_adopted *call;
	char texts[USDT_TEXTS_BYTES];
	struct text text;

	usdt_texts_open(&text, texts, name);
	text_add(&text, "duration, depth");
	call_field(&model, TAFFRAIL_T_U64);
	call_field(&model, TAFFRAIL_T_U32);
	call_arguments(&text, c, entry);
	for (uint32_t i = 0; i + 1 < entry->count; i++)
		call_field(&model, entry->operands[i].type);
	if (exit->count > 1) {
		text_add(&text, exit->strings ? ", to" : ", value");
		call_field(&model, exit->operands[0].type);
	}
	text_add_bytes(&text, "", 1);
	usdt_texts_file(&text, file, sizeof(duration));
	text_add_bytes(&text, (const char *)&duration, sizeof(duration));
	call_shown(&text, entry, 2);
	if (exit->count > 1)
		call_shown(&text, exit, model.site.nfields_ - 1u);
	call = usdt_adopted_keep(&model, &text);
	if (!call || usdt_marker_make(c->module, call, name, file,
				      usdt_place_stub(&entry->spot)))
		return NULL;
	call->next = entry->calls;
	entry->calls = call;
	return call;
}

/* Tells whether a rule is for whole calls of a function, by a marker's name. */
static bool is_called(const struct choosing *c, const struct object *object)
{
	const char *name = object->name;
	struct rule_types types;

	return c->asking->function_wanted(c->module, &name, 1, &types,
					  c->asking->arg) & USDT_WANTED_CALL;
}

static bool same_start(uint64_t value, const void *start)
{
	return usdt_start((const struct usdt_adopted *)value) ==
	       *(const uint64_t *)start;
}

/* Makes the markers of whole calls, of functions that have all exits. */
static void calls_make(struct choosing *c)
{
	const struct object *object;
	struct index called = { 0 };
	int ret = 0;

	for (object = c->module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted;

		if (probe && probe->function == USDT_ENTRY &&
		    !usdt_first(probe)->calls &&
		    is_called(c, object))
			ret |= index_add(&called,
					 address_hash(usdt_start(probe)),
					 (uint64_t)usdt_first(probe));
	}
	for (object = c->module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted, *entry, *call;
		uint64_t start;

		/* another name has the first here */
		if (!probe || probe->function != USDT_EXIT || probe->calls)
			continue;
		start = usdt_start(probe);
		entry = (struct usdt_adopted *)
			index_find(&called, address_hash(start), same_start,
				   &start);
		if (!entry)
			continue;
		/* exits that are left in the same way have the same fields */
		for (call = entry->calls; call; call = call->next)
			if (call->exits->count == probe->count &&
			    call->exits->operands[0].place ==
				    probe->operands[0].place)
				break;
		if (!call)
			call = call_make(c, entry, probe);
		if (!call) {
			ret = -ENOMEM;
			continue;
		}
		probe->entry = entry;
		probe->calls = call;
		probe->next = call->exits;
		call->exits = probe;
	}
	for (object = c->module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted, *call;

		if (!probe || probe->function != USDT_ENTRY ||
		    !probe->aliases || !is_called(c, object))
			continue;
		for (call = probe->first->calls; call; call = call->next)
			ret |= usdt_alias_make(&c->naming, call, object->name,
					       NULL);
	}
	index_clear(&called);
	if (ret)
		c->again = 1;
}

/* Adds the functions whose exits are there to a set. Returns 0 or -ENOMEM. */
static int left_fill(const struct choosing *c, struct index *left)
{
	const struct object *object;
	int ret = 0;

	for (object = c->module->objects; object && !ret; object = object->next)
		if (object->adopted && object->adopted->function == USDT_EXIT &&
		    !address_has(left, usdt_start(object->adopted)))
			ret = address_add(left, usdt_start(object->adopted));
	return ret;
}

/* Plans and places the functions that are wanted and not there yet, and makes
 * markers of their other names. */
static void functions_place(struct choosing *c)
{
	struct usdt_wanted *wanted;
	uint32_t i, end, n, count = 0;
	struct index left = { 0 };

	n = usdt_names_choose(&c->naming, &wanted);
	if (left_fill(c, &left))
		c->again = 1;
	for (i = 0; i < n; i++) {
		wanted[count] = wanted[i];
		wanted[count].entry &=
			!is_placed(c, wanted[i].site) &&
			!is_refused(c, &wanted[i], wanted[i].site);
		wanted[count].exits &=
			!address_has(&left,
				     c->module->base + wanted[i].address) &&
			!is_refused(c, &wanted[i], wanted[i].address | EXITS);
		count += wanted[count].entry || wanted[count].exits;
	}
	index_clear(&left);
	if (count && taken_fill(c))
		c->again = 1;
	for (i = 0; i < count && !c->again;) {
		end = i + usdt_calls_plan(&c->calls, wanted + i, count - i);
		for (; i < end; i++)
			function_place(c, &wanted[i]);
	}
	index_clear(&c->taken);
	index_clear(&c->gates);
	index_clear(&c->markers);
	index_clear(&c->sharing.ways);
	if (!c->again && usdt_aliases_make(&c->naming))
		c->again = 1;
}

bool usdt_functions_adopt(struct module *module,
			  const struct usdt_asking *asking,
			  const struct patcher *patcher,
			  const struct usdt_file *file, struct index *codes)
{
	struct choosing c = { .module = module, .asking = asking,
			      .patcher = patcher, .codes = codes,
			      .naming = { .module = module, .file = file,
					  .asking = asking } };
	struct usdt_file more;
	int ret;

	if (!asking->function_wanted)
		return false;
	if (!usdt_module_name(module) || usdt_functions_refused(file))
		return false;
	ret = usdt_calls_open(&c.calls, file, usdt_place_decoder(),
			      module->base);
	if (ret)
		return ret == -ENOMEM;
	c.calls.refused = plan_refused;
	c.calls.made = exit_made;
	c.calls.shared = exit_shared;
	c.sharing = (struct usdt_sharing){
		.image = &c.calls.image, .decoder = c.calls.decoder,
		.sites = &c.markers, .patcher = patcher,
		.base = module->base, .low = c.calls.low,
	};
	c.calls.arg = &c;
	if (usdt_more_map(&more, file, module))
		c.naming.more = &more;
	ret = usdt_names_read(&c.naming, file);
	c.again = ret == -ENOMEM;
	if (!ret && c.naming.count)
		functions_place(&c);
	if (c.naming.calls && !c.again)
		calls_make(&c);
	usdt_names_forget(&c.naming);
	if (c.naming.more)
		usdt_module_unmap(&more);
	usdt_calls_close(&c.calls);
	return c.again;
}
