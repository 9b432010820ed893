/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes markers of source lines, as commands have described them (struct
 * usdt_line): spots before instructions of a module, which its build id names,
 * with fields that operands and verified programs give.
 *
 * An address has one spot. Further descriptions of it, which name or record it
 * in another way, are markers of other names of that one.
 *
 * A spot that no session wants any more is given back before others are placed.
 * When a session wants it again, it has that place again, or another one. So is
 * one that is off, as its jump has moved an instruction that may fault, and the
 * program handles faults now: it has another place at once, if there is one.
 *
 * gdb names addresses alone (struct usdt_point): a marker there has no fields,
 * and the address for a name. Those of the run before are taken out when a new
 * one comes: spots that are placed together share jumps.
 *
 * Invariant: a description is text of unknown origin.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/debug.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/sort.h"

#define CHANNEL		"line"
/* In usdt_refused: of a line; also by a trap. Others are of functions. */
#define SITE		(1ull << 61)
#define BY_TRAPS	(1ull << 62)
#define TEXTS_BYTES	512		/* as TEXTS_BYTES of event-record.c */
#define POINT_CHANNEL	"gdb"

struct lines {
	struct module *module;
	const struct usdt_asking *asking;
	const struct patcher *patcher;
	const struct usdt_file *file;
	struct usdt_request *requests;	/* of probes */
	uint32_t n;
	struct index sites;		/* the first probes, by address */
	int again;
	bool placed;			/* a spot, in this round */
};

/* Reads the fields. Returns false if they make no sense. */
static bool fields_take(struct usdt_adopted *probe,
			struct usdt_operand operands[TAFFRAIL_FIELDS_MAX],
			const char *p, struct text *shown)
{
	struct taffrail_site *site = &probe->site;

	for (; *p; p = usdt_line_after(p)) {
		struct usdt_operand *operand = &operands[probe->count];
		int byte;

		if (*p == '=') {
			for (p++; (byte = usdt_hex_byte(&p)) >= 0;)
				text_add_bytes(shown, &(char){ (char)byte }, 1);
			continue;
		}
		if (probe->count == TAFFRAIL_FIELDS_MAX ||
		    !usdt_field_read(operand, p))
			return false;
		probe->in_memory |= operand->place == USDT_MEMORY ||
				    operand->place == USDT_PROGRAM;
		site->types_[probe->count++] = operand->type;
		if (operand->type >= TAFFRAIL_T_STRING)
			probe->strings++;
		else
			site->fixed_bytes_ = (uint16_t)(site->fixed_bytes_ +
							operand->bytes);
	}
	/* a length is a number */
	for (uint32_t i = 0; i < probe->count; i++)
		if (operands[i].length &&
		    operands[i].length != USDT_LENGTH_BEHIND &&
		    (operands[i].length > probe->count ||
		     operands[operands[i].length - 1].type > TAFFRAIL_T_U64))
			return false;
	site->nfields_ = probe->count;
	site->nvar_ = probe->strings;
	return true;
}

/* Makes the marker's probe, without a way. Returns NULL, and -EBADMSG or
 * -ENOMEM in *why. */
static struct usdt_adopted *line_make(const struct lines *l,
				      const struct usdt_line *line,
				      const struct usdt_head *head, int *why)
{
	struct usdt_operand operands[TAFFRAIL_FIELDS_MAX];
	struct usdt_adopted *probe, model = {
		.spot.address = l->module->base + head->target.offset,
		.start = -(int32_t)head->target.offset, .line = line,
		.placed = USDT_FUNCTION, .function = USDT_LINE,
		.site = { .version_ = TAFFRAIL_SITE_VERSION,
			  .kind_ = (uint8_t)head->kind },
	};
	char texts[TEXTS_BYTES], shown[TEXTS_BYTES];
	const char *end = usdt_line_after(head->text);
	struct text text, behind;

	*why = -EBADMSG;
	text_open(&behind, shown, sizeof(shown));
	if (!fields_take(&model, operands, head->fields, &behind))
		return NULL;
	text_open(&text, texts, sizeof(texts));
	text_add_bytes(&text, CHANNEL, sizeof(CHANNEL));
	text_add_bytes(&text, head->name, text_length(head->name) + 1);
	text_add_bytes(&text, head->text, (size_t)(end - head->text) -
					  (end[-1] == '\n'));
	text_add_bytes(&text, "\0", 2);
	text_add_bytes(&text, shown, behind.used);
	if (text.cut || behind.cut)
		return NULL;
	*why = -ENOMEM;
	model.operands = arena_pack(model.count * sizeof(*operands) + 1);
	if (!model.operands)
		return NULL;
	__builtin_memcpy(model.operands, operands,
			 model.count * sizeof(*operands));
	probe = usdt_adopted_keep(&model, &text);
	if (probe)
		*why = 0;
	return probe;
}

static void line_tell(const struct lines *l, const char *name, uint64_t address,
		      int why)
{
	char id[USDT_NAME_BYTES];
	struct text text;

	text_open(&text, id, sizeof(id));
	text_add(&text, CHANNEL "/");
	text_add(&text, name);
	l->asking->untaken(l->module, id, address, why);
}

/* As index_find() asks. */
static bool at_address(uint64_t value, const void *address)
{
	return ((const struct usdt_spot *)value)->address ==
	       *(const uint64_t *)address;
}

/* Learns the sites of lines. */
static void sites_learn(struct lines *l)
{
	const struct object *object;

	index_clear(&l->sites);
	for (object = l->module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted;

		if (probe && probe->function == USDT_LINE && !probe->aliases &&
		    index_add(&l->sites, address_hash(probe->spot.address),
			      (uint64_t)probe))
			l->again = 1;
	}
}

/* Returns the site at an address, or NULL. One that was given back is taken
 * back, or placed anew where others have the bytes, unless the jump of the site
 * is still there. */
static struct usdt_adopted *site_find(struct lines *l, uint64_t address)
{
	struct usdt_adopted *first = (struct usdt_adopted *)
		index_find(&l->sites, address_hash(address), at_address,
			   &address);

	if (first && first->spot.given && usdt_spot_regain(&first->spot)) {
		if (usdt_spot_stuck(&first->spot))
			l->again = 1;
		else
			usdt_spot_forget(&first->spot);
	}
	return first;
}

/* Asks for a spot, once. */
static void spot_ask(struct lines *l, struct usdt_spot *spot,
		     const struct usdt_target *target, int how)
{
	uint32_t i = 0;

	while (i < l->n && l->requests[i].spot != spot)
		i++;
	if (i == l->n)
		l->requests[l->n++] = (struct usdt_request){
			.target = *target, .spot = spot,
			.traps = how & USDT_WANTED_INT3 };
}

/* Returns the marker of a description among those of a site. */
static struct usdt_adopted *line_of(struct usdt_adopted *first,
				    const struct usdt_line *line)
{
	while (first && first->line != line)
		first = first->alias;
	return first;
}

/* Returns the key in usdt_refused. */
static uint64_t refused_key(uint64_t offset, bool traps)
{
	return offset | SITE | (traps ? BY_TRAPS : 0);
}

/* Makes another marker of a site. Returns 0, -EBADMSG or -ENOMEM. */
static int marker_add(const struct lines *l, const struct usdt_line *line,
		      const struct usdt_head *head, struct usdt_adopted *first)
{
	int why;
	struct usdt_adopted *probe = line_make(l, line, head, &why);

	if (!probe)
		return why;
	probe->aliases = 1;
	probe->first = first;
	probe->placed = first->placed;
	why = usdt_marker_make(l->module, probe, head->name, "",
			       usdt_place_stub(&first->spot));
	if (why)
		return why;
	probe->alias = first->alias;
	first->alias = probe;
	return 0;
}

/* Looks at a description: asks for a spot, or makes another marker of one that
 * is there. */
static void line_look(struct lines *l, const struct usdt_line *line)
{
	struct usdt_adopted *first, *probe;
	struct usdt_head head;
	uint64_t address;
	int how, why = 0;

	if (!usdt_head_read(&head, line->text, l->file) ||
	    (head.kind != TAFFRAIL_KIND_EVENT &&
	     head.kind != TAFFRAIL_KIND_MARK))
		return;
	how = l->asking->line_wanted(line, head.name);
	if (!how)
		return;
	address = l->module->base + head.target.offset;
	if (address_has(&l->module->usdt_refused,
			refused_key(head.target.offset,
				    how & USDT_WANTED_INT3))) {
		line_tell(l, head.name, address, UNTAKEN_BESIDE);
		return;
	}
	first = site_find(l, address);
	for (uint32_t i = 0; i < l->n && !first; i++)
		if (l->requests[i].spot->address == address)
			first = (struct usdt_adopted *)l->requests[i].spot;
	if (!first) {
		probe = line_make(l, line, &head, &why);
		if (probe)
			spot_ask(l, &probe->spot, &head.target, how);
	} else if (first->spot.given) {
		why = -EBUSY;
	} else if (!first->spot.way) {
		spot_ask(l, &first->spot, &head.target, how);
		/* the way is not there yet: the next round, or why not */
		if (!line_of(first, line)) {
			l->again = -EAGAIN;
			why = UNTAKEN_BESIDE;
		}
	} else if (!line_of(first, line)) {
		why = marker_add(l, line, &head, first);
	}
	/* not every session allows a trap */
	if (!why && first && first->placed == USDT_INT3)
		why = USDT_REASONS | USDT_TRAPS;
	if (why || (first && first->spot.way))
		line_tell(l, head.name, address, why);
	if (why == -ENOMEM)
		l->again = 1;
}

/* The line of gdb's points. */
static const struct usdt_line no_line;

/* Returns the object of an address that gdb may mean, or NULL. */
static const struct object *object_at(const struct module *module,
				      uint64_t address)
{
	const struct object *object;
	const struct code *code;

	for (object = module->objects; object; object = object->next)
		for (code = object->codes; code; code = code->next)
			if ((uint64_t)code->address == address &&
			    !usdt_is_call(object->adopted) &&
			    !usdt_is_given(object->adopted))
				return object;
	return NULL;
}

/* Tells whether a point is in the module. */
static bool point_in(const struct module *module,
		     const struct usdt_point *point)
{
	return point->address >= module->start &&
	       point->address < module->end &&
	       (!point->file ||
		point->file == index_hash(INDEX_HASH, module->path,
					  text_length(module->path)));
}

/* Tells whether a point in the module has no marker yet and may get one; notes
 * that it has one, as another point of that address may have got it. */
static bool point_lacks(const struct module *module, struct usdt_point *point)
{
	if (!point_in(module, point) || (point->why && point->why != -ESRCH))
		return false;
	if (!object_at(module, point->address))
		return true;
	point->why = 0;
	return false;
}

bool usdt_points_lack(const struct module *module,
		      const struct usdt_asking *asking)
{
	bool lack = false;

	for (uint32_t i = 0; i < asking->npoints; i++) {
		struct usdt_point *point = &asking->points[i];

		if (!point_in(module, point))
			continue;
		point->file = index_hash(INDEX_HASH, module->path,
					 text_length(module->path));
		lack |= point_lacks(module, point);
	}
	return lack;
}

/* Takes out the markers that gdb does not use any more, once their jumps are
 * out. No thread finds them, but one may be in a stub: their memory stays. */
static void points_withdraw(struct module *module)
{
	struct object **link = &module->objects;

	while (*link) {
		struct object *object = *link;
		struct usdt_adopted *probe = object->adopted;

		if (usdt_is_point(probe) && !object->on && !probe->alias &&
		    !probe->called && !object->callbacks &&
		    !usdt_place_waits(&probe->spot)) {
			usdt_place_gone(&probe->spot);
			*link = object->next;
		} else {
			link = &object->next;
		}
	}
}

/* Asks for the spot of a point. */
static void point_look(struct lines *l, struct usdt_point *point)
{
	const struct usdt_target target = {
		.offset = point->address - l->module->base,
	};
	struct usdt_adopted *first, *probe, model = {
		.spot.address = point->address,
		.start = (int32_t)(l->module->base - point->address),
		.line = &no_line,
		.placed = USDT_FUNCTION, .function = USDT_LINE,
		.site = { .version_ = TAFFRAIL_SITE_VERSION,
			  .kind_ = TAFFRAIL_KIND_EVENT },
	};
	char texts[64];
	struct text text;

	if (!point_lacks(l->module, point))
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->requests[i].spot->address == point->address) {
			l->again = -EAGAIN;
			return;
		}
	/* that of a line, which was given back */
	first = site_find(l, point->address);
	if (first) {
		point->why = first->spot.given ? -EBUSY : 0;
		if (!first->spot.way)
			spot_ask(l, &first->spot, &target, 0);
		return;
	}
	text_open(&text, texts, sizeof(texts));
	text_add_bytes(&text, POINT_CHANNEL, sizeof(POINT_CHANNEL));
	text_add(&text, "0x");
	text_add_hex(&text, point->address, 1);
	text_add_bytes(&text, "\0\0", 3);
	probe = usdt_adopted_keep(&model, &text);
	point->why = probe ? 0 : -ENOMEM;
	if (probe)
		spot_ask(l, &probe->spot, &target, 0);
}

/* Notes at its points that a spot is placed, or why it is not. */
static void point_tell(const struct lines *l, uint64_t address, int why)
{
	for (uint32_t i = 0; i < l->asking->npoints; i++)
		if (l->asking->points[i].address == address)
			l->asking->points[i].why = why;
}

static bool request_before(const void *one, const void *other)
{
	const struct usdt_request *a = one, *b = other;

	return a->target.offset < b->target.offset;
}

/* Returns a marker of a site that is on, or NULL. */
static const struct usdt_adopted *marker_on(const struct usdt_adopted *probe)
{
	while (probe && !object_of(probe->site.agent_)->on)
		probe = probe->alias;
	return probe;
}

/* Places the spots that were asked for. */
static void lines_place(struct lines *l)
{
	struct usdt_request room;
	struct index sites = { 0 };
	int ret = usdt_markers_take(&sites, l->module);

	sort_things(l->requests, l->n, sizeof(room), &room, request_before);
	if (!ret)
		ret = usdt_spots_place(l->file, l->module->base, l->requests,
				       l->n, &sites, l->patcher);
	for (uint32_t i = 0; i < l->n; i++) {
		struct usdt_request *request = &l->requests[i];
		struct usdt_adopted *probe = (void *)request->spot, *other;
		const char *name = usdt_texts_rest(probe, 1);
		int why = ret < 0 ? ret : request->why;

		for (other = probe; other; other = other->alias)
			other->placed = request->told	? USDT_INT3 :
					request->punned ? USDT_PUNNED :
							  USDT_FUNCTION;
		if (!why && !probe->site.agent_) {
			why = usdt_marker_make(l->module, probe, name, "",
					       usdt_place_stub(&probe->spot));
			if (why)
				usdt_place_gone(&probe->spot);
		}
		/* it was on before the program handled faults */
		if (probe->site.agent_ && marker_on(probe)) {
			probe->spot.refused = why == USDT_FAULTS ? -EFAULT : 0;
			usdt_place_switch(l->patcher, &probe->spot, 1);
		}
		l->placed |= !why;
		point_tell(l, probe->spot.address, why);
		if (usdt_is_point(probe))
			continue;
		/* not every session allows a trap */
		line_tell(l, name, probe->spot.address,
			  request->told ? request->told : why);
		if (why == -ENOMEM || why == -EBUSY || why == -EADDRINUSE ||
		    why == USDT_NO_MEMORY)
			l->again = 1;
		else if (why && why != USDT_FAULTS && why != -EAGAIN)
			address_add(&l->module->usdt_refused,
				    refused_key(probe->spot.address -
							l->module->base,
						request->traps));
	}
	index_clear(&sites);
}

bool usdt_lines_adopt(struct module *module, const struct usdt_asking *asking,
		      const struct patcher *patcher,
		      const struct usdt_file *file)
{
	struct lines l = { .module = module, .asking = asking,
			   .patcher = patcher, .file = file };
	const struct usdt_line *line;
	uint64_t bytes = asking->npoints * sizeof(*l.requests);
	int round = 0;

	if (!usdt_points_lack(module, asking))
		bytes = 0;
	if (bytes)
		points_withdraw(module);
	for (line = asking->lines; line; line = line->next)
		bytes += sizeof(*l.requests);
	if (!bytes || !usdt_module_name(module) || usdt_functions_refused(file))
		return false;
	l.requests = sys_map_anonymous(bytes);
	if (!l.requests)
		return true;
	do {
		l.again = 0;
		l.n = 0;
		l.placed = false;
		sites_learn(&l);
		for (line = asking->lines; line; line = line->next)
			line_look(&l, line);
		for (uint32_t i = 0; i < asking->npoints; i++)
			point_look(&l, &asking->points[i]);
		if (l.n)
			lines_place(&l);
	} while (l.again < 0 && (l.placed || !round++));
	index_clear(&l.sites);
	sys_munmap(l.requests, bytes);
	return l.again > 0;
}

/* Tells whether a marker of a site is on, or a session asks for it. */
static bool is_used(const struct usdt_adopted *probe,
		    const struct usdt_asking *asking)
{
	while (probe && !object_of(probe->site.agent_)->on &&
	       !asking->line_wanted(probe->line, usdt_place_name(probe)))
		probe = probe->alias;
	return probe;
}

void usdt_lines_give(struct module *module, const struct usdt_asking *asking,
		     const struct patcher *patcher)
{
	const struct object *object;
	bool any = false;

	for (object = module->objects; object; object = object->next) {
		struct usdt_adopted *probe = object->adopted;

		if (!probe || probe->function != USDT_LINE || probe->aliases ||
		    !probe->spot.way || probe->spot.given ||
		    usdt_is_point(probe) ||
		    (is_used(probe, asking) && probe->spot.refused != -EFAULT))
			continue;
		usdt_spot_give(patcher, &probe->spot);
		any = true;
	}
	/* what could not be had beside them */
	if (any)
		index_clear(&module->usdt_refused);
}
