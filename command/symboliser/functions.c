/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of an ELF file in memory, and whether rules fn:GLOB can have their
 * calls and returns, by the agent's own plans: the symboliser's child.
 *
 * Invariant: the file is not trusted. Texts stay in the file: nothing here
 * copies them.
 */
#include "command/symboliser/serve-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/debug.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/prototypes.h"

#define CHOICES_MAX	512		/* libc has some 90 */
#define FIELDS		4
/* As events have them whose rule says no types. */
#define FIELD_NAMES	"arg1, arg2, arg3, cfa"

/* The functions of a file. */
struct functions {
	uint32_t how;			/* SYMBOLISER_PLAN and the like */
	uint8_t function;		/* as of a marker */
	struct usdt_wanted *wanted;
	size_t n;
	size_t room;
	const char *choices[CHOICES_MAX]; /* names of IFUNCs */
	size_t nchoices;
};

static int choice_seen(const struct usdt_symbol_found *found, void *priv)
{
	struct functions *f = priv;

	f->choices[f->nchoices++] = found->name;
	return f->nchoices == CHOICES_MAX;
}

/* Tells whether a function has the name of an IFUNC: it is an older version. */
static bool is_former(const struct functions *f, const char *name)
{
	size_t i = 0;

	while (i < f->nchoices && strcmp(f->choices[i], name))
		i++;
	return i < f->nchoices;
}

/* Notes a function. Returns 0 or -ENOMEM. */
static int function_seen(const struct usdt_symbol_found *found, void *priv)
{
	struct functions *f = priv;
	struct usdt_wanted *more;

	if (f->n == f->room) {
		more = reallocarray(f->wanted, 2 * f->room + 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->wanted = more;
		f->room = 2 * f->room + 64;
	}
	f->wanted[f->n++] = (struct usdt_wanted){
		.address = found->address, .site = found->site,
		.name = found->name, .source = found->source, .entry = 1,
		.exits = 1,
	};
	return 0;
}

/* By site; names of one site in the file's order. */
static int compare_sites(const void *left, const void *right)
{
	const struct usdt_wanted *a = left, *b = right;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Gives a function by one of the names to `take`, and returns the result. The
 * plans, if there are any, know it as `planned`. */
static int function_tell(const struct functions *f, struct usdt_calls *calls,
			 const struct usdt_wanted *wanted,
			 const struct usdt_wanted *planned,
			 symboliser_take *take, void *priv)
{
	const struct usdt_prototype *known = f->how & SYMBOLISER_LIBC ?
		usdt_prototype_find(wanted->name) : NULL;
	struct symboliser_found found = {
		.marker = { .address = wanted->address, .kind = MARKER_USDT,
			    .function = f->function, .nfields = FIELDS,
			    .former = is_former(f, wanted->name),
			    .types = { TAFFRAIL_T_S64, TAFFRAIL_T_S64,
				       TAFFRAIL_T_S64, TAFFRAIL_T_PTR } },
		.strings = { "fn", wanted->name, FIELD_NAMES,
			     wanted->source ? wanted->source : "" },
	};
	struct symboliser_marker *m = &found.marker;
	const struct usdt_plan *entry;
	struct usdt_plan other;
	uint64_t at;
	int why;
	bool leaves;

	if (known) {
		found.strings[2] = known->fields;
		found.shown = (const char *)known->shown;
		found.shown_bytes = usdt_prototype_shown(known) *
				    sizeof(*known->shown);
		m->nfields = (uint8_t)(strlen(known->arguments) + 1);
		for (size_t i = 0; known->arguments[i]; i++)
			m->types[i] = usdt_prototype_type(known->arguments[i]);
		m->types[m->nfields - 1] = TAFFRAIL_T_PTR;
	}
	if (!calls)
		return take(&found, priv);
	leaves = !usdt_calls_exits(calls, planned, &at);
	entry = usdt_calls_entry(calls, planned, &why);
	at = usdt_wanted_at(planned);
	m->placement = PLACED_JUMP;
	if (why && !usdt_calls_pun(calls, planned, &other)) {
		at = planned->site;
		entry = &other;
		why = 0;
		m->placement = PLACED_PUNNED;
	}
	if (entry && !why)
		m->operand = (int32_t)(at + entry->covered - wanted->address);
	if (why)
		m->placement = usdt_calls_trap(calls, planned->site, false,
					       &other) ?
				       PLACED_NOT : PLACED_INT3;
	m->why = (uint8_t)(why < 0  ? WHY_REACH :
			   why	    ? WHY_USDT + why :
			   !leaves  ? WHY_EXITS : WHY_UNSAID);
	if (strlen(wanted->name) > FUNCTION_SYMBOL_MOST) {
		m->placement = PLACED_NOT;
		m->why = WHY_SYMBOL;
	}
	return take(&found, priv);
}

/* Returns why a program that handles faults cannot use a plan, or 0; see
 * usdt_calls. */
static int faults_refused(const struct usdt_plan *plan, void *arg)
{
	return plan->faults ? USDT_FAULTS : 0;
}

/* Gives the functions, planned, to `take`. Returns the result, or a negative
 * errno. */
static int functions_plan(const struct usdt_file *unbound, struct functions *f,
			  symboliser_take *take, void *priv)
{
	struct usdt_wanted *once = calloc(f->n + 1, sizeof(*once));
	size_t at, end, n = 0, i;
	struct usdt_file file = *unbound;
	struct usdt_bounds bounds;
	struct usdt_calls calls;
	uint16_t type;
	int ret;

	memcpy(&type, file.bytes + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	if (usdt_bounds_open(&bounds, &file) == -ENOMEM) {
		free(once);
		return -ENOMEM;
	}
	file.bounds = &bounds;
	/* others are loaded far above */
	ret = usdt_calls_open(&calls, &file, usdt_zydis(),
			      type == ET_EXEC ? 0 : UINT32_MAX);
	if (ret || !once) {
		usdt_bounds_close(&bounds);
		free(once);
		return ret ? ret : -ENOMEM;
	}
	if (f->how & SYMBOLISER_HANDLES)
		calls.refused = faults_refused;
	for (i = 0; i < f->n; i++)
		if (!n || once[n - 1].site != f->wanted[i].site)
			once[n++] = f->wanted[i];
	i = 0;
	for (at = 0; at < n && !ret; at = end) {
		end = at + usdt_calls_plan(&calls, once + at,
					   n - at > UINT32_MAX ?
						   UINT32_MAX :
						   (uint32_t)(n - at));
		for (; at < end; at++)
			for (; i < f->n && !ret &&
			       f->wanted[i].site == once[at].site; i++)
				ret = function_tell(f, &calls, &f->wanted[i],
						    &once[at], take, priv);
	}
	free(once);
	usdt_calls_close(&calls);
	usdt_bounds_close(&bounds);
	return ret;
}

int symboliser_read_functions(const struct usdt_file *file,
			      const struct usdt_file *debug, uint32_t how,
			      symboliser_take *take, void *priv)
{
	static struct usdt_file mini;
	struct functions f = { .how = how };
	bool plan = how & SYMBOLISER_PLAN;
	int ret;

	if (usdt_functions_refused(file))
		return -EOPNOTSUPP;
	if (file->size < sizeof(Elf64_Ehdr))
		return -ENOEXEC;
	/* the texts of the last answer were in it */
	if (mini.bytes)
		usdt_mini_close(&mini);
	mini.bytes = NULL;
	if (!debug && !usdt_has_symbols(file)) {
		if (usdt_mini_open(&mini, file))
			debug = &mini;
		else
			mini.bytes = NULL;
	}
	f.function = debug || usdt_has_symbols(file) ? 1 : SYMBOLISER_EXPORTED;
	usdt_choices_read(file, choice_seen, &f);
	ret = usdt_functions_read(file, debug, function_seen, &f);
	if (f.n)
		qsort(f.wanted, f.n, sizeof(*f.wanted), compare_sites);
	if (plan && !ret)
		ret = functions_plan(file, &f, take, priv);
	for (size_t i = 0; i < f.n && !plan && !ret; i++)
		ret = function_tell(&f, NULL, &f.wanted[i], NULL, take, priv);
	free(f.wanted);
	return ret;
}
