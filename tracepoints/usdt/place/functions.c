/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes markers of functions that a module's symbols name: a jump replaces the
 * first instructions of each.
 *
 * Invariant: no two jumps cover the same byte, whether they are on or off.
 */
#include <errno.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/address-set.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/functions.h"

#define CHANNEL		"fn"
#define ARGUMENTS	3	/* that are recorded if the rule says nothing */
#define ARGUMENTS_MAX	6	/* in registers of integers */
#define ALIGNED		64	/* bytes, of a site */

/* A function that is wanted. */
struct wanted {
	uint64_t site;			/* address in the file */
	const char *name;
};

struct choosing {
	struct module *module;
	const struct usdt_asking *asking;
	const struct patcher *patcher;
	const struct usdt_file *file;
	struct index *codes;
	struct wanted *wanted;		/* or NULL: they are counted */
	uint32_t count;
	uint32_t room;
	int again;			/* a later call may place more */
};

/* Writes "fn/NAME". Returns 0 when it is too long. */
static int id_make(char *id, size_t bytes, const char *name)
{
	struct text text;

	text_open(&text, id, bytes);
	text_add(&text, CHANNEL "/");
	text_add(&text, name);
	return !text.cut;
}

static void place_tell(const struct choosing *c, const struct wanted *wanted,
		       int why)
{
	char id[128];

	id_make(id, sizeof(id), wanted->name);
	c->asking->untaken(c->module, id, c->module->base + wanted->site, why);
}

/* Counts or keeps a function that a rule wants, and that is not there yet. */
static int function_seen(const struct usdt_symbol_found *found, void *arg)
{
	struct choosing *c = arg;
	struct rule_types types;

	if (!c->asking->function_wanted(c->module, found->name, &types,
					c->asking->arg) ||
	    address_has(c->codes, c->module->base + found->site) ||
	    address_has(&c->module->usdt_refused, found->site))
		return 0;
	if (c->wanted && c->count < c->room)
		c->wanted[c->count] = (struct wanted){ found->site,
						       found->name };
	c->count++;
	return 0;
}

/* Sorts by address; of several names of one address the first one stays. */
static void wanted_sort(struct choosing *c)
{
	struct wanted *wanted = c->wanted;
	uint32_t gap = 1, kept = 0;
	uint32_t i, k;

	while (gap < c->count / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3) {
		for (i = gap; i < c->count; i++) {
			struct wanted one = wanted[i];

			for (k = i; k >= gap && wanted[k - gap].site > one.site;
			     k -= gap)
				wanted[k] = wanted[k - gap];
			wanted[k] = one;
		}
	}
	for (i = 0; i < c->count; i++)
		if (!kept || wanted[kept - 1].site != wanted[i].site)
			wanted[kept++] = wanted[i];
	c->count = kept;
}

/* Registers of the arguments, by gdb's numbers. */
static const uint8_t registers[ARGUMENTS_MAX] = { 5, 4, 3, 2, 8, 9 };
#define RSP	7

/* Makes the fields: arg1, arg2, ... as the types say, and the address of the
 * frame (DWARF's CFA). */
static void fields_set(struct usdt_adopted *probe, struct text *text,
		       const struct rule_types *types, uint32_t arguments)
{
	struct usdt_operand *operand = probe->operands;
	uint32_t i;

	for (i = 0; i < arguments; i++, operand++) {
		int string = types->strings >> i & 1;

		text_add(text, "arg");
		text_add_unsigned(text, i + 1);
		text_add(text, ", ");
		*operand = (struct usdt_operand){
			.place = USDT_REGISTER, .base = registers[i],
			.type = string ? TAFFRAIL_T_STRING : TAFFRAIL_T_S64,
			.bytes = 8, .index = USDT_NO_REGISTER,
		};
		if (string && types->lengths[i] <= arguments)
			operand->length = types->lengths[i];
		probe->strings += (uint32_t)string;
	}
	text_add(text, "cfa");
	*operand = (struct usdt_operand){
		.place = USDT_SUM, .value = 8, .base = RSP, .bytes = 8,
		.type = TAFFRAIL_T_PTR, .index = USDT_NO_REGISTER,
	};
	probe->count = arguments + 1;
	probe->site.nvar_ = (uint8_t)probe->strings;
	probe->site.nfields_ = (uint8_t)probe->count;
	probe->site.fixed_bytes_ =
		(uint16_t)(8 * (probe->count - probe->strings));
	for (i = 0; i < probe->count; i++)
		probe->site.types_[i] = probe->operands[i].type;
}

/* Makes a probe, with memory only for the fields that it has. Returns NULL
 * without memory, or when the name is too long. */
static struct usdt_adopted *probe_make(const struct choosing *c,
				       const struct wanted *wanted,
				       const char *texts[static 4])
{
	struct usdt_adopted *probe;
	struct rule_types types;
	uint32_t arguments;
	struct text text;
	size_t bytes;

	c->asking->function_wanted(c->module, wanted->name, &types,
				   c->asking->arg);
	arguments = types.count ? types.count : ARGUMENTS;
	if (arguments > ARGUMENTS_MAX)
		arguments = ARGUMENTS_MAX;
	bytes = align_up(offsetof(struct usdt_adopted, operands) +
				 (arguments + 1) * sizeof(*probe->operands),
			 ALIGNED);
	probe = arena_keep(bytes);
	if (!probe)
		return NULL;
	__builtin_memset(probe, 0, bytes);
	probe->address = c->module->base + wanted->site;
	probe->function = USDT_ENTRY;
	probe->site.version_ = TAFFRAIL_SITE_VERSION;
	probe->site.kind_ = TAFFRAIL_KIND_EVENT;
	text_open(&text, probe->text, sizeof(probe->text));
	texts[0] = probe->text;
	text_add_bytes(&text, CHANNEL, sizeof(CHANNEL));
	texts[1] = probe->text + text.used;
	text_add(&text, wanted->name);
	text_add_bytes(&text, "", 1);
	texts[2] = probe->text + text.used;
	fields_set(probe, &text, &types, arguments);
	text_add_bytes(&text, "", 1);
	texts[3] = probe->text + text.used;
	probe->site.text_bytes_ = (uint32_t)text.used + 1;
	return text.cut ? NULL : probe;
}

/* Tells whether a site of the module is among the bytes that a plan covers, or
 * its jump may reach them. */
static int has_neighbour(const struct choosing *c, const struct usdt_plan *plan)
{
	uint64_t base = c->module->base;
	uint64_t at = plan->address - plan->start;
	uint32_t k;

	for (k = 1; k < plan->covered; k++)
		if (address_has(c->codes, base + plan->address + k))
			return 1;
	for (k = 1; k < USDT_PATCH_MAX && k <= at; k++)
		if (address_has(c->codes, base + plan->address - k))
			return 1;
	return 0;
}

/* Places a function by its plan. Returns 0, a reason (enum usdt_reason) or a
 * negative errno. */
static int function_place(struct choosing *c, const struct wanted *wanted,
			  const struct usdt_plan *plan)
{
	struct usdt_adopted *probe;
	const char *texts[4];
	struct code code;
	struct object *object;
	int ret;

	if (plan->reason)
		return plan->reason;
	if (plan->faults && usdt_faults_handled())
		return USDT_FAULTS;
	if (has_neighbour(c, plan))
		return USDT_OVERLAPS;
	probe = probe_make(c, wanted, texts);
	if (!probe)
		return -ENOMEM;
	ret = usdt_place_jump(probe, plan, c->module->base, c->patcher);
	if (ret)
		return ret;
	code = (struct code){ .address = (uint8_t *)probe->address,
			      .stub = usdt_place_stub(probe) };
	object = registry_add(c->module, &probe->site, texts, &code);
	if (!object) {
		usdt_place_gone(probe);
		return -ENOMEM;
	}
	object->shape.narrow = 1;
	object->adopted = probe;
	return address_add(c->codes, probe->address);
}

/* Functions that are planned together. */
#define PLANS_MAX	4096u
#define PLANS_BYTES	(PLANS_MAX * sizeof(struct usdt_plan))

/* Plans and places functions, `n` of them from number `first` on. */
static void portion_place(struct choosing *c, struct usdt_plan *plans,
			  uint32_t first, uint32_t n)
{
	uint32_t i;
	int why;

	for (i = 0; i < n; i++)
		plans[i] = (struct usdt_plan){
			.address = c->wanted[first + i].site, .whole = 1,
		};
	usdt_plan(c->file, usdt_place_decoder(), plans, n);
	for (i = 0; i < n; i++) {
		const struct wanted *wanted = &c->wanted[first + i];

		/* the next one begins among these bytes */
		if (!plans[i].reason && first + i + 1 < c->count &&
		    wanted[1].site < wanted->site + plans[i].covered)
			plans[i].reason = USDT_OVERLAPS;
		why = function_place(c, wanted, &plans[i]);
		place_tell(c, wanted, why);
		c->again |= why < 0 || why == USDT_NO_MEMORY;
		if (why > 0 && why != USDT_NO_MEMORY && why != USDT_FAULTS)
			address_add(&c->module->usdt_refused, wanted->site);
	}
}

/* Tells whether the module is one of the agent's own, or has the agent. */
static int is_own(const struct module *module)
{
	uint64_t entry = (uint64_t)usdt_entry;

	return text_after(module->name, "libtaffrail") ||
	       text_after(module->name, "libZydis") ||
	       (entry >= module->start && entry < module->end);
}

int usdt_functions_adopt(struct module *module,
			 const struct usdt_asking *asking,
			 const struct patcher *patcher,
			 const struct usdt_file *file, struct index *codes)
{
	struct choosing c = { .module = module, .asking = asking,
			      .patcher = patcher, .file = file,
			      .codes = codes };
	struct usdt_plan *plans;
	uint64_t bytes;
	uint32_t i, n;

	if (!asking->function_wanted || is_own(module) ||
	    usdt_functions_read(file, function_seen, &c) || !c.count ||
	    usdt_functions_refused(file))
		return 0;
	c.room = c.count;
	bytes = c.room * sizeof(*c.wanted);
	c.wanted = sys_map_anonymous(bytes);
	plans = sys_map_anonymous(PLANS_BYTES);
	c.again = !c.wanted || !plans;
	if (!c.again) {
		c.count = 0;
		usdt_functions_read(file, function_seen, &c);
		c.count = c.count < c.room ? c.count : c.room;
		wanted_sort(&c);
		for (i = 0; i < c.count; i += n) {
			n = (uint32_t)min_u64(c.count - i, PLANS_MAX);
			portion_place(&c, plans, i, n);
		}
	}
	if (c.wanted)
		sys_munmap(c.wanted, bytes);
	if (plans)
		sys_munmap(plans, PLANS_BYTES);
	return c.again;
}
