/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines of an ELF file by its DWARF: the addresses at which their code
 * begins, and the values that can be had there: the symboliser's child.
 *
 * Questions about a file come together: the file is read once, and of line
 * tables only those that name one of the sources. The answer is text, a line
 * each, with tabs between words:
 *
 *	rule	N				the lines that follow answer
 *						question N, from 0 on
 *	spot	ADDRESS LINE FUNCTION		hexadecimal, decimal
 *	source	PATH				of the last spot, unless in
 *						lists
 *	field	TYPE OPERAND NAME FOLLOWS BITS	of the last spot: usdt_line;
 *						BITS of a bit-field, else 0
 *	names	FIELD BYTES			how the last field is shown
 *	none	NAME WHY			of the last spot; "?NAME" may
 *						be no variable
 *	next	LINE				has code, behind the one asked
 *	before	LINE				for, which has none; or before
 *						it. Of a function, counted from
 *						the line that declares it
 *	plan	WHY				of the last spot, in lists: 0,
 *						or why it has no jump
 *						(enum usdt_reason, USDT_TRAPS)
 *	last	LINE				of the file, or the function,
 *						that has code
 *	near	SOURCE				of the file, if no source has
 *						the name: one like it
 *	unnamed					there is no such function
 *	which	SPELLING			of functions with the name, if
 *						there are several
 *	split	PATH				of a file that is missing
 *
 * A line's code begins where the line table leads from another line to it, or
 * where another function of the line begins, at an instruction that compilers
 * recommend for a stop (is_stmt). Code that such code goes on to is none.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "command/common/nearest.h"
#include "tracepoints/usdt/plan/calls.h"

#define TEXT_MAX	4096
#define NAMES_BYTES	200		/* that are like another one */
#define CALL		0xe8		/* the opcode */

struct place {
	uint64_t address;
	Dwarf_Die unit;
	const char *source;
	int line;
	bool passed;			/* as in a scope */
};

/* A question, and the places that were found for it. Lines of functions are
 * counted from the target's begin. */
struct question {
	struct symboliser_target targets[SYMBOLISER_TARGETS_MAX];
	uint32_t ntargets;		/* 0: there is no such function */
	const char *function;		/* or NULL */
	int line;			/* 0: all, unless of a function */
	const char *expressions[TAFFRAIL_FIELDS_MAX];
	uint32_t n;
	bool parameters;		/* in place of expressions */
	bool handles;			/* plans are for such a program */
	int next, before;		/* lines with code around the wanted */
	int last;			/* line of the file with code */
	struct place *places;
	size_t count, room;
};

/* Tells whether a question is for all lines of a source. */
static bool is_list(const struct question *q)
{
	return !q->line && !q->function;
}

/* The questions about a file. */
struct search {
	struct symboliser_dwarf d;
	struct question *questions;
	uint32_t n;
	const struct question *of;	/* the one that is answered */
	struct symboliser_plans plans;	/* of a list */
	symboliser_put *put;
	struct value_scope scope;
};

/* Puts a line of the answer. */
__attribute__((format(printf, 2, 3)))
static void line_put(const struct search *s, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n > 0 && (size_t)n < sizeof(text))
		s->put(text, (size_t)n);
}

/* Finds the code at an address in the file: *bytes, NULL where the file has
 * less than `room` there. Returns false if there is none: the linker lets the
 * debug information of code that it drops lie at such addresses, as 0. */
static bool code_find(Elf *elf, uint64_t address, size_t room,
		      const uint8_t **bytes)
{
	size_t n = 0, all;
	GElf_Phdr ph;
	uint64_t at;
	const uint8_t *image = (const uint8_t *)elf_rawfile(elf, &all);

	*bytes = NULL;
	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || address < ph.p_vaddr ||
		    address - ph.p_vaddr >= ph.p_memsz)
			continue;
		at = address - ph.p_vaddr;
		if (image && at + room <= ph.p_filesz && ph.p_offset < all &&
		    at + room <= all - ph.p_offset)
			*bytes = image + ph.p_offset + at;
		return true;
	}
	return false;
}

/*
 * Returns how far behind a function's entry the place of a line is, where no
 * jump can be at the entry: behind endbr64; and in a program at a low address
 * behind "push %rbp", if "mov %rsp, %rbp" follows (tracepoints/usdt/plan/plan.h
 * has why). Nothing leads there but these instructions.
 */
static uint32_t entry_skip(Elf *elf, uint64_t entry)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t frame[] = { 0x55, 0x48, 0x89, 0xe5 };
	uint32_t skip = 0;
	const uint8_t *bytes;
	GElf_Ehdr header;

	if (code_find(elf, entry, sizeof(endbr), &bytes) && bytes &&
	    !memcmp(bytes, endbr, sizeof(endbr)))
		skip = sizeof(endbr);
	if (gelf_getehdr(elf, &header) && header.e_type == ET_EXEC &&
	    code_find(elf, entry + skip, sizeof(frame), &bytes) && bytes &&
	    !memcmp(bytes, frame, sizeof(frame)))
		skip++;
	return skip;
}

static void place_add(const struct search *s, struct question *q,
		      const struct place *place)
{
	struct place *more;
	const uint8_t *bytes;

	if (!code_find(s->d.own, place->address, 1, &bytes))
		return;
	if (q->count == q->room) {
		more = reallocarray(q->places, 2 * q->room + 64, sizeof(*more));
		if (!more)
			return;
		q->places = more;
		q->room = 2 * q->room + 64;
	}
	q->places[q->count++] = *place;
}

/* Tells whether a source's name may be that of a question's file. */
static bool is_wanted(const char *name, const void *priv)
{
	const struct search *s = priv;

	name = text_file_name(name);
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->questions[i].ntargets; k++)
			if (!strcmp(name, text_file_name(
					s->questions[i].targets[k].file)))
				return true;
	return false;
}

/* Tells whether a function begins at a place, or one of the line that was
 * inlined there. */
static bool begins_function(const struct place *place)
{
	Dwarf_Die unit = place->unit, *scopes;
	bool begins = false;
	Dwarf_Addr entry;
	int n, line;

	if (!symboliser_unit_whole(&unit))
		return false;
	n = symboliser_scopes(&unit, place->address, &scopes);
	for (int i = 0; i < n; i++)
		begins |= value_is_function(&scopes[i]) &&
			  !dw.entrypc(&scopes[i], &entry) &&
			  entry == place->address &&
			  (dw.tag(&scopes[i]) == DW_TAG_subprogram ||
			   (!dw.decl_line(&scopes[i], &line) &&
			    line == place->line));
	free(scopes);
	return begins;
}

/* Tells whether a path is a file, or ends with that behind a '/'. */
static bool path_ends(const char *path, const char *file)
{
	const size_t length = strlen(path), bytes = strlen(file);

	return length >= bytes && !strcmp(path + length - bytes, file) &&
	       (length == bytes || *file == '/' ||
		path[length - bytes - 1] == '/');
}

/* Tells it of the source's whole path, without "..". */
static bool whole_ends(const struct place *place, const char *file)
{
	Dwarf_Die unit = place->unit;
	const char *folder = "";
	Dwarf_Attribute attr;
	char path[PATH_MAX];

	if (strcmp(text_file_name(place->source), text_file_name(file)) != 0)
		return false;
	if (*place->source != '/')
		folder = dw.formstring(dw.attr(&unit, DW_AT_comp_dir, &attr));
	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "",
		 place->source);
	return path_ends(symboliser_path_tidy(path), file);
}

/* Takes a line of a table, if it is one of the target's. A source is the
 * target's file, or ends with that behind a '/'. The line before is of the
 * source `last`; `same`: it is the same one. */
static void line_take(const struct search *s, struct question *q,
		      struct symboliser_target *t, const struct place *place,
		      const char *last, bool same)
{
	int line = place->line - t->begin;

	if (place->source != last)
		t->ours = path_ends(place->source, t->file) ||
			  (strchr(t->file, '/') && whole_ends(place, t->file));
	if (!t->ours || place->line <= 0 || line < 0 ||
	    (t->end && place->line >= t->end))
		return;
	if ((line == q->line || is_list(q)) &&
	    (!same || begins_function(place)))
		place_add(s, q, place);
	if (line > q->last)
		q->last = line;
	if (line > q->line && (!q->next || line < q->next))
		q->next = line;
	if (line < q->line && line > q->before)
		q->before = line;
}

/* Finds the addresses in a unit's table. */
static void unit_search(const struct search *s, Dwarf_Die *unit)
{
	const char *path, *last = NULL, *before = NULL;
	int before_line = 0;
	bool begins, ends, same;
	struct place place = { .unit = *unit };
	Dwarf_Lines *lines;
	Dwarf_Addr next;
	Dwarf_Line *line, *after;
	size_t n;

	if (dw.getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		line = dw.onesrcline(lines, i);
		if (!line || dw.lineendsequence(line, &ends) ||
		    dw.linebeginstatement(line, &begins) ||
		    dw.lineno(line, &place.line) ||
		    dw.lineaddr(line, &place.address))
			continue;
		if (ends)
			before = NULL;
		path = ends || !begins ? NULL : dw.linesrc(line, NULL, NULL);
		if (!path)
			continue;
		same = before == path && before_line == place.line;
		after = dw.onesrcline(lines, i + 1);
		place.passed = after && !dw.lineaddr(after, &next) &&
			       next == place.address &&
			       !dw.lineendsequence(after, &ends) && !ends;
		place.source = path;
		for (uint32_t k = 0; k < s->n; k++) {
			struct question *q = &s->questions[k];

			for (uint32_t t = 0; t < q->ntargets; t++)
				line_take(s, q, &q->targets[t], &place,
					  last, same);
		}
		last = before = path;
		before_line = place.line;
	}
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Puts the names of an enumeration's values. */
static void names_put(const struct search *s, const struct value *value,
		      uint32_t field)
{
	char hex[VALUE_NAMES_BYTES];

	if (value_names(hex, value, field))
		line_put(s, "names\t%u\t%s\n", field, hex);
}

/* The members of a structure that are put. */
struct flat {
	const struct search *s;
	const char *name;		/* of the structure */
	uint32_t n;			/* fields */
};

/* Puts a member that is a field. */
static void member_put(const struct value *member, const char *name, void *priv)
{
	struct flat *flat = priv;
	bool arrow = *flat->name == '*';
	struct value_field field;
	char whole[TEXT_MAX / 8];

	value_field(&field, member);
	if (snprintf(whole, sizeof(whole), "%s%s%s", flat->name + arrow,
		     arrow ? "->" : ".", name) >= (int)sizeof(whole))
		return;
	if (!field.type) {
		if (!strcmp(field.why ? field.why : "", VALUE_OUT))
			line_put(flat->s, "none\t%s\t%s\n", whole, field.why);
		return;
	}
	line_put(flat->s, "field\t%u\t%s\t%s\t%d\t%u\n", field.type,
		 field.operand, whole, member->follows || field.guarded,
		 member->bits);
	names_put(flat->s, member, flat->n);
	flat->n++;
}

/* Puts a field, or those of a structure's members, or why there is none.
 * Returns the number of fields. */
static uint32_t field_put(const struct search *s, const struct value *value,
			  const char *name, uint32_t n)
{
	struct flat flat = { s, name, n };
	const char *length = strchr(name, '@');
	struct value_field field;
	char names[NAMES_BYTES] = "";

	if (length)
		value_array(&field, value, (uint16_t)atoi(length + 1));
	else
		value_field(&field, value);
	if (!field.type && !length && !is_list(s->of) && name[0] &&
	    name[1] != '*')
		value_members(value, member_put, &flat);
	if (flat.n > n)
		return flat.n;
	if (!field.type) {
		if (field.why == VALUE_UNKNOWN || field.why == VALUE_NO_MEMBER)
			value_nearest(names, sizeof(names));
		line_put(s, "none\t%s\t%s%s%s\n", name,
			 field.why ? field.why : "has no value there",
			 *names ? "; nearest: " : "", names);
		return n;
	}
	line_put(s, "field\t%u\t%s\t%s\t%d\t%u\n", field.type, field.operand,
		 name, value->follows || field.guarded, value->bits);
	if (!length)
		names_put(s, value, n);
	return n + 1;
}

/* The variables of a scope that are put. */
struct listing {
	const struct search *s;
	const char *seen[64];		/* inner ones hide outer ones */
	uint32_t nseen;
	uint32_t fields;
	bool locals;
};

static void variable_put(Dwarf_Die *variable, bool parameter, void *priv)
{
	struct listing *l = priv;
	const char *name = dw.diename(variable);
	Dwarf_Attribute attr;
	struct value value;

	if (!name || (!parameter && !l->locals) ||
	    dw.hasattr(variable, DW_AT_external) ||
	    l->nseen == ARRAY_SIZE(l->seen))
		return;
	for (uint32_t i = 0; i < l->nseen; i++)
		if (!strcmp(l->seen[i], name))
			return;
	if (value_is_later(variable, &l->s->scope))
		return;
	l->seen[l->nseen++] = name;
	value = (struct value){ .base = -1 };
	value_find(&value, variable, &l->s->scope);
	/* compilers have some for themselves */
	if (!value.kind && strcmp(name, "this") != 0 &&
	    dw.attr_integrate(variable, DW_AT_artificial, &attr))
		return;
	l->fields = field_put(l->s, &value, name, l->fields);
}

/* Returns the name of the innermost function at a place, whose `entry` it sets;
 * or NULL: there is none, or it is not asked for. Other instances of a
 * template, and functions that are declared at one line, have the line, too. */
static const char *function_find(const struct question *q,
				 struct value_scope *scope)
{
	bool exact = q->function && strpbrk(q->function, "<(");
	bool named = false, other = false, has_code = false;
	const char *function = NULL;
	Dwarf_Addr entry;
	int line;

	for (int i = 0; i < scope->n; i++) {
		Dwarf_Die *die = &scope->scopes[i];

		if (!value_is_function(die))
			continue;
		if (!function)
			function = dw.diename(die);
		if (q->function && symboliser_is_named(die, q->function))
			named = true;
		else if (q->function)
			other |= exact || (!dw.decl_line(die, &line) &&
					   line == scope->line - q->line);
		/* lambdas and the like are in other functions */
		if (!has_code && dw.tag(die) == DW_TAG_subprogram) {
			has_code = true;
			scope->entry = symboliser_entry(die, &entry) &&
				       entry == scope->address;
		}
	}
	return named || !other ? function : NULL;
}

int symboliser_plans_compare(const void *left, const void *right)
{
	const struct usdt_plan *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Plans a jump at each address, as the agent plans each that is alone
 * (tracepoints/usdt/jumps/spots.c). Returns false if there can be none; the
 * plans are freed in any case. */
static bool plans_make(struct symboliser_plans *p, Elf *elf,
		       const uint64_t *addresses, size_t n, bool handles)
{
	uint32_t kept = 0;
	GElf_Ehdr header;

	memset(p, 0, sizeof(*p));
	p->handles = handles;
	p->file.bytes = (const uint8_t *)elf_rawfile(elf, &p->file.size);
	if (p->file.bytes && usdt_bounds_open(&p->bounds, &p->file) != -ENOMEM)
		p->file.bounds = &p->bounds;
	if (!p->file.bytes || usdt_image_open(&p->image, &p->file) ||
	    !p->image.count || !gelf_getehdr(elf, &header) || n > UINT32_MAX)
		return false;
	p->plans = calloc(n + 1, sizeof(*p->plans));
	if (!p->plans)
		return false;
	/* others are loaded far above */
	p->low = usdt_is_low(header.e_type == ET_EXEC ?
				     p->image.loads[0].p_vaddr : UINT32_MAX);
	for (size_t i = 0; i < n; i++)
		p->plans[i] = (struct usdt_plan){
			.address = addresses[i], .whole = 1, .low = p->low };
	qsort(p->plans, n, sizeof(*p->plans), symboliser_plans_compare);
	for (size_t i = 0; i < n; i++)
		if (!kept || p->plans[kept - 1].address != p->plans[i].address)
			p->plans[kept++] = p->plans[i];
	p->n = kept;
	for (uint32_t i = 0; i < kept; i += USDT_TOGETHER)
		usdt_plan(&p->file, usdt_zydis(), p->plans + i,
			  kept - i < USDT_TOGETHER ? kept - i : USDT_TOGETHER);
	return true;
}

/* Returns why a plan cannot be used, or 0. */
static int plan_refused(const struct symboliser_plans *p,
			const struct usdt_plan *plan)
{
	return plan->reason ? plan->reason :
	       p->handles && plan->faults ? USDT_FAULTS :
	       !usdt_plan_leads(plan) ? USDT_REACH : 0;
}

/* Returns why a place cannot have a jump (enum usdt_reason, with USDT_TRAPS if
 * a trap could be there), or 0. */
static int plans_why(const struct symboliser_plans *p, uint64_t address)
{
	struct usdt_plan earlier[USDT_EARLIER_MAX], other;
	uint32_t at = usdt_plans_before(p->plans, p->n, address), n;
	int why;

	if (at == p->n || p->plans[at].address != address)
		return USDT_NO_FUNCTION;
	why = plan_refused(p, &p->plans[at]);
	if (!why)
		return 0;
	n = usdt_plan_earlier(&p->image, usdt_zydis(), p->low, address,
			      earlier);
	while (n-- > 0)
		if (!plan_refused(p, &earlier[n]) &&
		    usdt_plan_moves(&earlier[n], address - earlier[n].address))
			return 0;
	if (!usdt_pun_plan(&p->image, usdt_zydis(), p->low, address, &other) &&
	    !plan_refused(p, &other))
		return USDT_PUNS;
	return usdt_trap_plan(&p->image, usdt_zydis(), address, false,
			      &other) || plan_refused(p, &other) ?
		       why : why | USDT_TRAPS;
}

static void plans_free(struct symboliser_plans *p)
{
	usdt_bounds_close(&p->bounds);
	free(p->plans);
}

/* Puts the values that can be had at a place. Returns false if it is in no
 * function: the linker has dropped it; or in one that is not asked for. */
static bool place_put(struct search *s, const struct place *place)
{
	const struct question *q = s->of;
	struct listing listing = { .s = s, .locals = is_list(q) };
	Dwarf_Die unit = place->unit, *scopes;
	struct value_scope *scope = &s->scope;
	const char *function, *folder = NULL;
	Dwarf_Attribute attr;
	struct value value;
	char *expression;
	uint32_t fields = 0;
	int n, all;

	if (!symboliser_unit_whole(&unit))
		return false;
	n = symboliser_scopes(&unit, place->address, &scopes);
	*scope = (struct value_scope){ .scopes = scopes, .n = n,
				       .source = place->source, .cfi = s->d.cfi,
				       .address = place->address,
				       .line = place->line,
				       .passed = place->passed };
	function = function_find(q, scope);
	if (!function) {
		free(scopes);
		return false;
	}
	value_scope_own(scope, &unit, &place->unit);
	if (scope->owner.addr && dw.diename(&scope->owner))
		function = dw.diename(&scope->owner);
	if (scope->entry)
		scope->address += entry_skip(s->d.own, place->address);
	line_put(s, "spot\t%llx\t%d\t%s\n", (unsigned long long)scope->address,
		 place->line, function);
	/* libdw leaves it out before relative paths */
	if (*place->source != '/')
		folder = dw.formstring(dw.attr(&unit, DW_AT_comp_dir, &attr));
	if (!is_list(q))
		line_put(s, "source\t%s%s%s\n", folder ? folder : "",
			 folder ? "/" : "", place->source);
	if (s->plans.n)
		line_put(s, "plan\t%d\n",
			 plans_why(&s->plans, scope->address));
	for (uint32_t i = 0; i < q->n; i++) {
		const char *word = q->expressions[i];
		bool perhaps = *word == '?';

		/* the length is another one, or a number */
		expression = strndup(word, strcspn(word, "@"));
		value_parse(&value, expression ? expression + perhaps : "",
			    scope);
		free(expression);
		perhaps &= value.why != VALUE_UNKNOWN;
		fields = field_put(s, &value, word + perhaps, fields);
		listing.seen[listing.nseen++] = word + perhaps;
	}
	listing.fields = fields;
	/* those of the function alone */
	all = 0;
	while (all < scope->n && !scope->elsewhere &&
	       !value_is_function(&scope->scopes[all]))
		all++;
	if (q->parameters) {
		struct value_scope whole = *scope;

		whole.n = all + 1 < whole.n ? all + 1 : whole.n;
		value_each(&whole, variable_put, &listing);
	}
	free(scopes);
	return true;
}

/* Plans jumps at the places that are listed, at entries behind what stays. */
static void places_plan(struct search *s)
{
	const struct question *q = s->of;
	uint64_t *addresses = calloc(q->count + 1, sizeof(*addresses));
	struct usdt_file file = { 0 };
	struct usdt_function function;
	struct usdt_image image;

	file.bytes = (const uint8_t *)elf_rawfile(s->d.own, &file.size);
	if (!addresses || !file.bytes || usdt_image_open(&image, &file))
		goto free;
	for (size_t i = 0; i < q->count; i++) {
		addresses[i] = q->places[i].address;
		if (usdt_image_function(&image, addresses[i], &function) &&
		    function.start == addresses[i])
			addresses[i] += entry_skip(s->d.own, addresses[i]);
	}
	plans_make(&s->plans, s->d.own, addresses, q->count, q->handles);
free:
	free(addresses);
}

/* Reads questions. Returns false without memory. */
static bool questions_read(struct search *s, char *words, size_t bytes)
{
	char *end = words + bytes;
	struct question *q = NULL, *more;

	for (char *p = words; p < end; p += strlen(p) + 1) {
		if (p == words || *p == SYMBOLISER_QUESTION) {
			more = reallocarray(s->questions, s->n + 1,
					    sizeof(*more));
			if (!more)
				return false;
			s->questions = more;
			q = &more[s->n++];
			*q = (struct question){ .ntargets = 1, .before = -1,
						.last = -1 };
			q->targets[0].file = p + (*p == SYMBOLISER_QUESTION);
		} else if (!*p) {
			q->parameters = true;
		} else if (!strcmp(p, "!")) {
			q->handles = true;
		} else if (q->n < ARRAY_SIZE(q->expressions)) {
			q->expressions[q->n++] = p;
		}
	}
	for (uint32_t i = 0; i < s->n; i++) {
		char *name, *colon;

		q = &s->questions[i];
		name = (char *)q->targets[0].file;
		name += strncmp(name, "./", 2) ? 0 : 2;
		q->targets[0].file = name;
		colon = strrchr(name, ':');
		if (!colon)
			continue;
		*colon = '\0';
		q->line = atoi(colon + 1);
		if (colon[1] != '+')
			continue;
		if (*name == '\'' || *name == '"') {
			colon[-1] = '\0';
			name++;
		}
		q->line = atoi(colon + 2);
		q->function = name;
		q->ntargets = symboliser_targets_find(q->targets, name, &s->d);
	}
	return true;
}

static bool source_consider(const char *name, const void *nearest)
{
	nearest_add((struct nearest *)nearest, text_file_name(name));
	return false;
}

/* Puts the names of sources that are like that of the question. */
static void sources_put(const struct search *s)
{
	struct nearest nearest = {
		.rule = text_file_name(s->of->targets[0].file) };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!dw.get_units(s->d.dwarf, cu, &cu, NULL, &type, &unit, NULL))
		symboliser_unit_has(&s->d, &unit, source_consider, &nearest);
	for (int i = 0; i < NEAREST_IDS && nearest.ids[i]; i++)
		line_put(s, "near\t%s\n", nearest.ids[i]);
}

/* Tells whether a unit was compiled by gcc, without optimisation: each
 * statement has code one time. */
static bool is_plain(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *by = dw.formstring(dw.attr(unit, DW_AT_producer, &attr));
	const char *level = by ? strstr(by, " -O") : NULL;

	return by && !strncmp(by, "GNU ", 4) &&
	       (!level || !strncmp(level, " -O0", 4));
}

/* Notes that an exception leads between two addresses. */
static void handler_look(void *between, uint64_t target)
{
	uint64_t *all = between;

	all[2] |= target > all[0] && target <= all[1];
}

/* Tells whether the code of one place goes on to another one of the line, and
 * nothing else leads there: both are of one run of the line. */
static bool is_continued(const struct search *s, const struct place *from,
			 const struct place *to)
{
	struct usdt_file file = { 0 };
	uint64_t between[3] = { from->address, to->address };
	struct usdt_function function;
	struct usdt_image image;
	struct usdt_decoded d;
	Dwarf_Die unit = from->unit;
	const uint8_t *bytes;

	file.bytes = (const uint8_t *)elf_rawfile(s->d.own, &file.size);
	if (!symboliser_unit_whole(&unit) || !is_plain(&unit) ||
	    !usdt_zydis() || !file.bytes || usdt_image_open(&image, &file) ||
	    !usdt_image_function(&image, from->address, &function) ||
	    to->address >= function.end ||
	    (function.handlers &&
	     (!usdt_image_handlers(&image, &function, handler_look, between) ||
	      between[2])))
		return false;
	for (uint64_t at = function.start; at < function.end; at += d.length) {
		size_t rest = function.end - at;

		if (!code_find(s->d.own, at, rest, &bytes) || !bytes ||
		    !usdt_decode(usdt_zydis(), bytes, rest, at, &d) ||
		    d.through || (d.leads && d.target > from->address &&
				  d.target <= to->address) ||
		    (at >= from->address && at < to->address && d.ends &&
		     *bytes != CALL))
			return false;
	}
	return true;
}

/* Answers the question `s->of`. */
static void question_put(struct search *s)
{
	const struct question *q = s->of;
	const struct place *before = NULL, *place;
	bool put_any = false, put = false;

	line_put(s, "rule\t%u\n", (uint32_t)(q - s->questions));
	if (!q->ntargets)
		line_put(s, "unnamed\t\n");
	for (uint32_t i = 0; q->ntargets > 1 && i < q->ntargets; i++)
		if (q->targets[i].shown)
			line_put(s, "which\t'%s'\n", q->targets[i].shown);
		else
			line_put(s, "which\t%s:%d\n", q->targets[i].file,
				 q->targets[i].begin);
	if (q->count)
		qsort(q->places, q->count, sizeof(*q->places), compare_places);
	if (is_list(q))
		places_plan(s);
	for (size_t i = 0; i < q->count; i++) {
		place = &q->places[i];
		if (before && before->address == place->address &&
		    before->line == place->line)
			continue;
		/* of a run that has a place */
		if (!put || before->line != place->line ||
		    !is_continued(s, before, place))
			put = place_put(s, place);
		before = place;
		put_any |= put;
	}
	/* there is none: a next one below 1, another below 0 */
	if (!put_any)
		line_put(s, "next\t%d\nbefore\t%d\nlast\t%d\n",
			 q->next, q->before, q->last);
	if (!put_any && !q->function && q->last < 0 && s->d.dwarf)
		sources_put(s);
	plans_free(&s->plans);
	s->plans.n = 0;
}

/* Tells whether the file may have something that is asked for. Most libraries
 * do not have the source of a rule for a program. */
static bool words_may(const struct symboliser_dwarf *d, const char *words,
		      size_t bytes)
{
	const char *file, *colon;
	char name[NAME_MAX + 1];

	for (const char *p = words; p < words + bytes; p += strlen(p) + 1) {
		if (p != words && *p != SYMBOLISER_QUESTION)
			continue;
		file = text_file_name(p + (*p == SYMBOLISER_QUESTION));
		colon = strrchr(file, ':');
		if (!colon || colon[1] == '+' ||
		    (size_t)(colon - file) >= sizeof(name))
			return true;
		snprintf(name, sizeof(name), "%.*s", (int)(colon - file), file);
		if (symboliser_source_may(d, name))
			return true;
	}
	return false;
}

void symboliser_read_spots(char *words, size_t bytes,
			   const struct symboliser_images *images,
			   symboliser_put *put)
{
	struct search s = { .put = put };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	bool may;

	if (!symboliser_dwarf_map(&s.d, images))
		return;
	may = words_may(&s.d, words, bytes);
	if (may && !symboliser_dwarf_begin(&s.d))
		return;
	if (questions_read(&s, words, bytes) && may)
		/* units of types, and those that dwz makes of parts that
		 * others have in common, have the lines of another one */
		while (!dw.get_units(s.d.dwarf, cu, &cu, NULL, &type, &unit,
				     NULL))
			if (type != DW_UT_type && type != DW_UT_split_type &&
			    dw.tag(&unit) != DW_TAG_partial_unit &&
			    symboliser_unit_has(&s.d, &unit, is_wanted, &s))
				unit_search(&s, &unit);
	for (uint32_t i = 0; i < s.n; i++) {
		s.of = &s.questions[i];
		question_put(&s);
		free(s.of->places);
		for (uint32_t k = 0; k < s.of->ntargets; k++)
			free(s.of->targets[k].shown);
	}
	symboliser_missing_put(put);
	free(s.questions);
	symboliser_scopes_forget();
	symboliser_dwarf_close(&s.d);
}
