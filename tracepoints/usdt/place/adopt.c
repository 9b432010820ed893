/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes markers from the notes in a module's file.
 *
 * A note is believed only if everything that it names lies in the same module,
 * the file is the one that is loaded, and a nop is at the address.
 */
#include "tracepoints/usdt/usdt.h"

#include <errno.h>

#include "base/arena.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/address-set.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/note.h"
#include "tracepoints/usdt/plan/operand.h"

/* Plans made together for one module. */
#define PLANS_MAX	4096u
#define PLANS_BYTES	(PLANS_MAX * sizeof(struct usdt_plan))

struct pass {
	struct module *module;
	const struct usdt_asking *asking;
	const struct patcher *patcher;
	struct usdt_file file;
	uint32_t seen;
	int again;			/* a later pass may succeed */
	int left;			/* some probes need more than a byte */
	struct usdt_plan *plans;	/* sorted; or NULL */
	uint32_t planned;
	struct rule_types types;	/* of the last wanted note */
	int how;			/* USDT_WANTED_ of that note */
	char id[128];			/* its "provider/name" */
};

/* Tells whether the module has n bytes there, in a segment with these flags. */
static bool module_holds(const struct pass *pass, uint64_t address, uint64_t n,
			 uint32_t flags)
{
	const struct module *module = pass->module;
	const struct notes notes = {
		.ph = module->headers, .nph = module->nheaders,
		.base = (const char *)module->base,
	};

	return !!notes_at(&notes, address - module->base, n, flags);
}

/* Sets of addresses, filled for one pass: the sites of the module's markers,
 * and the nops of the module's probes. */
static struct index codes;
static struct index nops;

/* Adds the nop of a probe. */
static int nop_learn(const struct usdt_probe *note, void *arg)
{
	const struct pass *pass = arg;

	return address_add(&nops, pass->module->base + note->address);
}

/* Returns how far another probe's nop is behind this one, or before it; 0 if
 * none is within a jump's length. */
static uint32_t nop_near(uint64_t address, int before)
{
	for (uint32_t k = 1; k < USDT_JUMP_BYTES; k++) {
		uint64_t at = before ? address - k : address + k;

		if (address_has(&nops, at))
			return k;
	}
	return 0;
}

/* Returns true when another nop is so near that one jump may cover both. */
static bool has_neighbour(uint64_t address)
{
	return nop_near(address, 0) || nop_near(address, 1);
}

/* Finds a symbol of the module, for an operand that names it. */
static int symbol_find(const char *name, uint32_t length, uint64_t *address,
		       void *priv)
{
	struct pass *pass = priv;

	if (!usdt_file_symbol(&pass->file, name, length, address))
		return 0;
	*address += pass->module->base;
	return 1;
}

/* Returns true when argument i is wanted as a string, and can be the address of
 * one. Stores the number among fields of the argument that has the length. */
static bool string_take(struct usdt_operand *operands, uint32_t n, uint32_t i,
			const struct rule_types *types)
{
	uint32_t length = types->lengths[i];

	if (!(types->strings >> i & 1) || !usdt_operand_points(&operands[i]))
		return false;
	if (!length)
		return true;
	if (length > n || !usdt_operand_counts(&operands[length - 1]))
		return false;
	for (uint32_t k = 0; k < length; k++)
		operands[i].length += operands[k].place != USDT_UNKNOWN;
	return true;
}

/* Makes a field of each argument that can be fetched, named by the number. */
static void fields_set(struct usdt_adopted *probe, struct text *text,
		       const struct usdt_probe *note, struct pass *pass)
{
	struct usdt_operand parsed[TAFFRAIL_FIELDS_MAX];
	uint32_t n = usdt_operands_parse(note->operands, parsed, symbol_find,
					 pass);

	usdt_hotspot_types(note, parsed, n, &pass->types);
	for (uint32_t i = 0; i < n; i++) {
		struct usdt_operand *operand = &probe->operands[probe->count];
		bool string = string_take(parsed, n, i, &pass->types);

		if (parsed[i].place == USDT_UNKNOWN)
			continue;
		text_add(text, probe->count ? ", arg" : "arg");
		text_add_unsigned(text, i + 1);
		*operand = parsed[i];
		probe->in_memory |= operand->place == USDT_MEMORY;
		if (string) {
			operand->type = TAFFRAIL_T_STRING;
			probe->strings++;
			probe->site.nvar_++;
		} else {
			probe->site.fixed_bytes_ = (uint16_t)(
				probe->site.fixed_bytes_ + operand->bytes);
		}
		probe->site.types_[probe->count++] = operand->type;
	}
	probe->site.nfields_ = (uint8_t)probe->count;
}

/* The memory of the next probe: a probe that cannot be placed uses none. */
static struct usdt_adopted *spare;

#define SPARE_BYTES	(usdt_adopted_bytes(USDT_TEXT_BYTES) + \
			 TAFFRAIL_FIELDS_MAX * sizeof(struct usdt_operand))

/* Fills the spare probe from a note. Returns NULL without memory, or when the
 * texts do not fit. */
static struct usdt_adopted *probe_make(const struct usdt_probe *note,
				       const char *texts[static 4],
				       struct pass *pass)
{
	struct usdt_adopted *probe;
	struct text text;

	if (!spare)
		spare = arena_keep(SPARE_BYTES);
	probe = spare;
	if (!probe)
		return NULL;
	__builtin_memset(probe, 0, SPARE_BYTES);
	probe->operands = (struct usdt_operand *)
		((char *)probe + usdt_adopted_bytes(USDT_TEXT_BYTES));
	probe->spot.address = pass->module->base + note->address;
	probe->site.version_ = TAFFRAIL_SITE_VERSION;
	probe->site.kind_ = TAFFRAIL_KIND_EVENT;
	text_open(&text, probe->text, USDT_TEXT_BYTES);
	texts[0] = probe->text;
	text_add(&text, note->provider);
	text_add_bytes(&text, "", 1);
	texts[1] = probe->text + text.used;
	text_add(&text, note->name);
	text_add_bytes(&text, "", 1);
	texts[2] = probe->text + text.used;
	fields_set(probe, &text, note, pass);
	text_add_bytes(&text, "", 1);
	texts[3] = probe->text + text.used;
	probe->site.text_bytes_ = (uint32_t)text.used + 1;
	return text.cut ? NULL : probe;
}

/* Tells that the last wanted probe has no way, or has one (`why` 0). */
static void place_tell(const struct pass *pass, const struct usdt_probe *note,
		       int why)
{
	pass->asking->untaken(pass->module, pass->id,
			      pass->module->base + note->address, why);
}

/* Makes the marker of a probe that is placed. Returns 0 or -ENOMEM. */
static int probe_register(struct usdt_adopted *probe,
			   const struct usdt_probe *note,
			   const char *const texts[static 4],
			   struct pass *pass)
{
	uint64_t semaphore = pass->module->base + note->semaphore;
	struct code code = { .address = (uint8_t *)probe->spot.address,
			     .stub = usdt_place_stub(&probe->spot) };
	struct object *object;

	if (note->semaphore && !(semaphore & 1) &&
	    module_holds(pass, semaphore, 2, PF_R | PF_W))
		code.semaphore = (uint16_t *)semaphore;
	object = registry_add(pass->module, &probe->site, texts, &code);
	if (!object) {
		usdt_place_gone(&probe->spot);
		return -ENOMEM;
	}
	spare = NULL;
	object->shape.narrow = 1;
	object->adopted = probe;
	/* a second note for the same nop is not another probe */
	address_add(&codes, probe->spot.address);
	return 0;
}

#define ROW_MAX		16	/* probes side by side that are looked at */

/* Wants plans for a probe and for the row of probes before it: they decide
 * which of them share a jump. Most notes are sorted already. */
static void plans_want(struct pass *pass, uint64_t address)
{
	uint64_t base = pass->module->base;
	uint32_t before = 0;
	uint32_t at;

	pass->left = 1;
	for (uint32_t i = 0; i < ROW_MAX && (!i || before); i++) {
		address -= before;
		before = nop_near(base + address, 1);
		if (pass->planned == PLANS_MAX ||
		    address_has(&pass->module->usdt_refused, address))
			continue;
		if (!pass->plans)
			pass->plans = sys_map_anonymous(PLANS_BYTES);
		at = usdt_plans_before(pass->plans, pass->planned, address);
		if (!pass->plans || (at < pass->planned &&
				     pass->plans[at].address == address))
			continue;
		__builtin_memmove(&pass->plans[at + 1], &pass->plans[at],
				  (pass->planned - at) * sizeof(*pass->plans));
		pass->plans[at].address = address;
		pass->planned++;
	}
}

/* Tells whether a session wants the probe, and the code is in the module. */
static bool note_wanted(const struct usdt_probe *note, struct pass *pass)
{
	uint64_t address = pass->module->base + note->address;
	struct text text;

	text_open(&text, pass->id, sizeof(pass->id));
	text_add(&text, note->provider);
	text_add_char(&text, '/');
	text_add(&text, note->name);
	if (text.cut ||
	    !module_holds(pass, address, USDT_JUMP_BYTES, PF_R | PF_X))
		return false;
	pass->seen++;
	pass->how = pass->asking->wanted(pass->id, &pass->types,
					 pass->asking->arg);
	return pass->how && !address_has(&codes, address);
}

/* Gives a probe the way that was made for it and another one. Returns 0,
 * -EADDRINUSE: there is none, or another negative errno. */
static int beside_place(struct usdt_adopted *probe, const struct pass *pass)
{
	int ret = usdt_place_beside(&probe->spot, pass->patcher);

	if (!ret)
		probe->placed = USDT_MERGED;
	return ret;
}

/* The first reading: places the probes that need one byte. */
static int note_seen(const struct usdt_probe *note, void *arg)
{
	struct usdt_adopted *probe;
	struct pass *pass = arg;
	const char *texts[4];
	int ret;

	if (!note_wanted(note, pass))
		return 0;
	probe = probe_make(note, texts, pass);
	if (!probe)
		ret = -ENOMEM;
	else if (has_neighbour(probe->spot.address))
		ret = beside_place(probe, pass);
	else
		ret = usdt_place_byte(&probe->spot, pass->patcher);
	if (ret == -EADDRINUSE) {
		plans_want(pass, note->address);
		return 0;
	}
	if (!ret)
		ret = probe_register(probe, note, texts, pass);
	place_tell(pass, note, ret);
	pass->again |= !!ret;
	return 0;
}

/* Places a probe by the first plan that holds; a plan that fails gets its
 * reason, and the next one is asked for. */
static int place_planned(struct usdt_adopted *probe, uint64_t address,
			 struct pass *pass)
{
	struct usdt_plan *plan;
	int ret = -ERANGE;

	while (ret == -ERANGE) {
		plan = usdt_plan_for(pass->plans, pass->planned, address);
		if (plan && plan->beside) {
			uint64_t other = pass->module->base + plan->address;

			if (plan->address == address)
				other += plan->beside;
			/* the other probe has a way of another kind already */
			if (address_has(&codes, other)) {
				plan->reason = USDT_OVERLAPS;
				continue;
			}
		}
		if (plan && plan->faults && usdt_faults_handled()) {
			plan->reason = USDT_FAULTS;
			continue;
		}
		ret = -EADDRINUSE;
		if (has_neighbour(probe->spot.address))
			ret = beside_place(probe, pass);
		/* another probe is before it, and none in the jump's operand:
		 * one byte may do */
		if (ret == -EADDRINUSE && !(plan && plan->beside) &&
		    nop_near(probe->spot.address, 1) &&
		    !nop_near(probe->spot.address, 0))
			ret = usdt_place_byte(&probe->spot, pass->patcher);
		if (ret == -EADDRINUSE && plan) {
			ret = usdt_place_jump(&probe->spot, plan,
					      pass->module->base,
					      pass->patcher);
			probe->placed = plan->beside ? USDT_MERGED : USDT_JUMP;
		}
		if (ret == -ERANGE)
			plan->reason = USDT_FIXED;
	}
	return ret;
}

/* The second reading: places the others by their plans, or by a trap. A probe
 * that needs a trap is told of even if it has one: not every session allows
 * it. */
static int note_planned(const struct usdt_probe *note, void *arg)
{
	struct pass *pass = arg;
	struct usdt_adopted *probe;
	const char *texts[4];
	int why = USDT_OVERLAPS;
	bool trapped = false;
	uint32_t at;
	int ret;

	if (!note_wanted(note, pass))
		return 0;
	probe = probe_make(note, texts, pass);
	ret = probe ? place_planned(probe, note->address, pass) : -ENOMEM;
	if (ret == -EADDRINUSE) {
		/* of a probe that was refused earlier no plan is made */
		at = usdt_plans_before(pass->plans, pass->planned,
				       note->address);
		if (at == pass->planned ||
		    pass->plans[at].address != note->address)
			why = UNTAKEN_AS_BEFORE;
		else if (pass->plans[at].reason)
			why = pass->plans[at].reason;
		place_tell(pass, note, why);
		if (!(pass->how & USDT_WANTED_INT3))
			return 0;
		ret = usdt_place_trap(&probe->spot, pass->patcher);
		probe->placed = USDT_INT3;
		trapped = true;
	}
	if (!ret)
		ret = probe_register(probe, note, texts, pass);
	if (ret || !trapped)
		place_tell(pass, note, ret);
	pass->again |= !!ret;
	return 0;
}

/* Adopts the wanted probes in two readings: plans need all neighbours, so the
 * first reading collects them. */
static void notes_adopt(struct pass *pass)
{
	if (usdt_notes_read(&pass->file, nop_learn, pass, NULL))
		return;
	usdt_notes_read(&pass->file, note_seen, pass, NULL);
	if (!pass->left)
		return;
	if (pass->planned)
		usdt_plan(&pass->file, usdt_place_decoder(), pass->plans,
			  pass->planned);
	usdt_notes_read(&pass->file, note_planned, pass, NULL);
	/* the file does not change, so a new plan would fail for the same
	 * reason */
	for (uint32_t i = 0; i < pass->planned; i++) {
		if (pass->plans[i].reason == USDT_NO_MEMORY)
			pass->again = 1;
		else if (pass->plans[i].reason)
			address_add(&pass->module->usdt_refused,
				    pass->plans[i].address);
	}
	if (pass->plans)
		sys_munmap(pass->plans, PLANS_BYTES);
}

/* Adopts the probes of a module; see usdt_adopt(). */
static int module_adopt(struct module *module,
			const struct usdt_asking *asking,
			const struct patcher *patcher)
{
	struct pass pass = { .module = module, .asking = asking,
			     .patcher = patcher };
	struct usdt_bounds bounds = { 0 };
	bool none;
	int ret;

	if (!usdt_points_lack(module, asking) && module->usdt_none &&
	    !asking->function_wanted && !asking->lines)
		return 0;
	ret = usdt_module_map(&pass.file, module);
	/* code that has no file has no probes */
	module->unread = ret == -ENOENT ? 0 : ret;
	if (ret)
		return ret != -ENOENT;
	usdt_lines_give(module, asking, patcher);
	pass.again = !!address_add_sites(&codes, module);
	if (!pass.again && !module->usdt_none)
		notes_adopt(&pass);
	none = module->usdt_none || (!pass.again && !pass.seen);
	if (!pass.again && (asking->function_wanted || asking->lines))
		pass.again = usdt_bounds_open(&bounds, &pass.file) == -ENOMEM;
	pass.file.bounds = &bounds;
	if (!pass.again)
		pass.again = usdt_functions_adopt(module, asking, patcher,
						  &pass.file, &codes);
	if (!pass.again)
		pass.again = usdt_lines_adopt(module, asking, patcher,
					      &pass.file);
	usdt_place_done(patcher);
	index_clear(&codes);
	index_clear(&nops);
	module->usdt_none = none;
	usdt_bounds_close(&bounds);
	usdt_module_unmap(&pass.file);
	return pass.again;
}

static bool marker_is_on(const struct usdt_adopted *probe)
{
	return object_of(probe->site.agent_)->on;
}

/* Returns whether a place is on by another name. */
static bool is_aliased(const struct usdt_adopted *probe)
{
	const struct usdt_adopted *alias = probe->alias;

	while (alias && !marker_is_on(alias))
		alias = alias->alias;
	return alias;
}

/* Switches a place of a function, which the first marker, those of other
 * names, and `calls` kinds of calls may want. */
static int function_switch(const struct patcher *patcher,
			   struct usdt_adopted *probe, uint32_t calls)
{
	uint8_t called = (uint8_t)(calls |
				   (is_aliased(probe) ? USDT_ALIASED : 0));

	store_relaxed(&probe->called, called);
	return usdt_place_switch(patcher, &probe->spot,
				 marker_is_on(probe) || called);
}

/* Switches the exits of a kind of calls. Returns 0 or the first error. */
static int exits_switch(const struct patcher *patcher,
			struct usdt_adopted *call, uint32_t on)
{
	struct usdt_adopted *exit;
	int ret = 0, more;

	for (exit = call->exits; exit; exit = exit->next) {
		more = function_switch(patcher, exit, on);
		ret = ret ? ret : more;
	}
	return ret;
}

/* Switches the entry and the exits of a kind of calls; those of other kinds,
 * too: any end of a call must be seen while one kind is on. */
static int call_switch(const struct patcher *patcher,
		       struct usdt_adopted *call)
{
	uint32_t on = marker_is_on(call) || is_aliased(call), calls;
	struct usdt_adopted *entry = call->entry, *other;
	uint32_t before = entry->called & ~USDT_ALIASED;
	int ret, more;

	/* it may be tried again */
	calls = before + on - call->called;
	call->called = (uint8_t)on;
	if (!before != !calls)
		store_relaxed(&entry->turn, entry->turn + 1);
	ret = exits_switch(patcher, call, !!calls);
	for (other = entry->calls; other && !before != !calls;
	     other = other->next)
		if (other != call)
			exits_switch(patcher, other, !!calls);
	more = function_switch(patcher, entry, calls);
	return ret ? ret : more;
}

/* Switches a probe, a place of a function, or whole calls. */
static int probe_switch(const struct patcher *patcher,
			struct usdt_adopted *probe, int on)
{
	probe = usdt_first(probe);
	if (probe->function == USDT_WHOLE)
		return call_switch(patcher, probe);
	if (probe->function)
		return function_switch(patcher, probe,
				       probe->called & ~USDT_ALIASED);
	return usdt_place_switch(patcher, &probe->spot, on);
}

/* Gives the way of a probe back; calls and other names have none. */
static void probe_gone(struct usdt_adopted *probe)
{
	if (probe->spot.way)
		usdt_place_gone(&probe->spot);
}

static const char *reason_text(int why)
{
	return usdt_reason_text((enum usdt_reason)(why & ~USDT_TRAPS));
}

__attribute__((visibility("default")))
const struct usdt_functions usdt_functions_here = {
	.version = USDT_VERSION,
	.adopted_bytes = sizeof(struct usdt_adopted),
	.object_bytes = sizeof(struct object),
	.adopt = module_adopt,
	.gone = probe_gone,
	.switch_to = probe_switch,
	.flush = usdt_place_flush,
	.faulting_off = usdt_switch_faulting,
	.reason = reason_text,
};
