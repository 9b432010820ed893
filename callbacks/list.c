/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The attachments, the lists that hits walk, and the lines of `taffrail status`
 * about callbacks.
 *
 * list_look(), list_gone() and the describing functions run in threads of the
 * agent, which hold the registry's lock, so this file calls no libc. Memory is
 * type-stable (base/arena.h). A node that was taken out of a list is reused
 * when a grace period has begun and ended since, and no thread's record names
 * the list.
 */
#include "callbacks/private.h"

#include <errno.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/glob.h"
#include "base/text.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"

struct names {
	struct field_name fields[TAFFRAIL_FIELDS_MAX];
};

/* A list that no marker leads to any more, or a marker that has gone. */
struct retired {
	struct retired *next;
	struct node *list;
	struct known *known;
	uint64_t period;	/* `begun` when it was retired */
};

struct callback_host callback_host;

static struct arena_type node_type = ARENA_TYPE(struct node);
static struct arena_type known_type = ARENA_TYPE(struct known);
static struct arena_type names_type = ARENA_TYPE(struct names);
static struct arena_type retired_type = ARENA_TYPE(struct retired);

/* The attachments: those that live, by priority, and those that are detached.
 * Threads of the agent read the first list at any time. */
struct entry *entry_list;
static struct entry *leaving;
uint32_t entry_count;
uint32_t entries_told;
struct connection *connection_list;

/* Grace periods that have begun, and the last that has ended. */
static uint64_t begun;
static uint64_t ended;

static struct retired *retired;
static uint64_t collected;		/* `ended`, at the last collection */
uint32_t list_retired;

/* A list or a callback that a reader may name. */
struct named {
	const struct node *list;
	const struct entry *entry;
};

/* For reader_each(): returns 1 for a reader that names the list or the
 * callback. */
static int reader_names(struct reader *reader, void *arg)
{
	const struct named *named = arg;

	return (named->list &&
		load_acquire(&reader->list, READER_LIST) == named->list) ||
	       (named->entry &&
		load_acquire(&reader->current, READER_CURRENT) == named->entry);
}

/* Returns true when a thread may still use the list, or is in the callback.
 * Call it after a grace period: only then no further thread can begin to. */
static bool is_named(const struct node *list, const struct entry *entry)
{
	struct named named = { list, entry };

	return reader_each(reader_names, &named);
}

/* Gives back the nodes of a list that no thread can reach. The entry's count of
 * lists falls last, since entry_spare() frees an entry without any. */
static void list_free(struct node *node)
{
	while (node) {
		struct node *next = node->next;

		__atomic_fetch_sub(&node->entry->lists, 1,
				   RELEASE(ENTRY_LISTS));
		arena_give(&node_type, node);
		node = next;
	}
}

/* Makes retired memory usable again, once no thread can reach it. */
static void retired_collect(void)
{
	struct retired **link = &retired;

	while (*link) {
		struct retired *r = *link;

		if (r->period >= load_acquire(&ended, RETIRE_PERIOD) ||
		    (r->list && is_named(r->list, NULL))) {
			link = &r->next;
			continue;
		}
		*link = r->next;
		list_retired--;
		list_free(r->list);
		if (r->known) {
			arena_give(&names_type, r->known->fields);
			arena_give(&known_type, r->known);
		}
		arena_give(&retired_type, r);
	}
}

uint64_t list_period(void)
{
	return load_acquire(&begun, RETIRE_PERIOD);
}

/* Notes a list or a marker that nothing leads to any more. Without memory for
 * the note, that memory is never used again. The period is read after the last
 * way to the list is gone (RETIRE-PERIOD). */
static void list_retire(struct node *list, struct known *known)
{
	struct retired *r;

	if (!list && !known)
		return;
	r = arena_take(&retired_type);
	if (!r)
		return;
	r->list = list;
	r->known = known;
	r->period = list_period();
	r->next = retired;
	retired = r;
	list_retired++;
}

/*
 * Says where a hit has each field, in the form of the public header. Fixed
 * fields and variable ones are counted apart, as the writers store them. A
 * string that is recorded as an address has a pointer's type, but is a variable
 * field of the site.
 */
static void places_fill(struct taffrail_marker *marker,
			const struct object *object)
{
	static const uint8_t kinds[] = {
		[SCALAR_SIGNED] = TAFFRAIL_PLACE_SIGNED_,
		[SCALAR_UNSIGNED] = TAFFRAIL_PLACE_UNSIGNED_,
		[SCALAR_REAL] = TAFFRAIL_PLACE_DOUBLE_,
		[SCALAR_ADDRESS] = TAFFRAIL_PLACE_POINTER_,
		[SCALAR_TRUTH] = TAFFRAIL_PLACE_UNSIGNED_,
	};
	const struct write_shape *shape = &object->shape;
	uint32_t fixed = 0;	/* offset in the event's fixed part */
	uint32_t nvar = 0;

	for (uint32_t i = 0; i < object->site->nfields_; i++) {
		struct taffrail_place *place = &marker->places_[i];
		uint8_t is = object->site->types_[i];
		uint8_t rule;

		place->type_ = object->types[i];
		if (is >> 4 == TAFFRAIL_T_ARRAY >> 4)	/* read as one */
			place->type_ ^= TAFFRAIL_T_ARRAY | TAFFRAIL_T_SEQUENCE;
		if (!(is & ~TAFFRAIL_T_SCALAR_MASK)) {
			place->at_ = (uint16_t)fixed;
			place->bytes_ = (uint8_t)scalar_bytes(is);
			place->kind_ = place->type_ == TAFFRAIL_T_F32 ?
					       TAFFRAIL_PLACE_FLOAT_ :
					       kinds[scalar_sort(place->type_)];
			fixed += place->bytes_;
			continue;
		}
		rule = shape->var[nvar].rule;
		place->at_ = (uint16_t)nvar;
		place->kind_ = shape->var[nvar].element_bytes ?
				       TAFFRAIL_PLACE_ARRAY_ :
			       rule == WRITE_RULE_ADDRESS ?
				       TAFFRAIL_PLACE_ADDRESS_ :
				       TAFFRAIL_PLACE_STRING_;
		place->bound_ = rule == WRITE_RULE_BOUNDED ? 1 :
				rule == WRITE_RULE_FIELD   ? 2 :
				rule == WRITE_RULE_COUNTED ? 3 : 0;
		place->limit_ = shape->var[nvar].limit;
		nvar++;
	}
}

/* Returns the description of a marker that callbacks get, or NULL without
 * memory, or where the format and the fields do not agree. */
static struct known *known_make(const struct object *object)
{
	struct known *known = arena_take(&known_type);
	struct names *fields = arena_take(&names_type);
	struct taffrail_marker *marker;

	if (!known || !fields ||
	    fields_parse(object->format, object->site->kind_,
			 object->site->nfields_, fields->fields)) {
		if (known)
			arena_give(&known_type, known);
		if (fields)
			arena_give(&names_type, fields);
		return NULL;
	}
	known->fields = fields->fields;
	known->kept = !!object->adopted;
	marker = &known->marker;
	marker->channel_ = object->channel;
	marker->name_ = object->name;
	marker->format_ = object->format;
	marker->file_ = object->adopted ? "" : object->file;
	marker->line_ = object->adopted ? 0 : object->site->line_;
	marker->nfields_ = object->site->nfields_;
	marker->names_ = known->names;
	known->shown = shown_of_site(object->site);
	for (uint32_t i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		known->names[i] = fields->fields[i].name;
	places_fill(marker, object);
	return known;
}

/* Returns true when a rule names a marker. As in a session, a rule names a USDT
 * probe only if it spells the provider. */
static bool entry_matches(const struct entry *entry,
			  const struct object *object)
{
	const char *glob = entry->rule.glob;

	if (object->adopted && (*glob == '*' || *glob == '?' || *glob == '['))
		return false;
	return glob_match_cut(glob, object->id, OBJECT_ID_MOST);
}

/* Makes the list of a marker. A marker that lacks a field of a condition is
 * passed over, as in a session. */
static int list_make(const struct object *object, struct node **list)
{
	struct node **link = list;
	struct expr_error error;
	struct entry *entry;
	struct text why;

	for (entry = load_acquire(&entry_list, ENTRY_LIST); entry;
	     entry = entry->next) {
		const struct ax_program *condition = NULL;
		struct node *node;
		int ret;

		if (load_relaxed(&entry->dead) || !entry_matches(entry, object))
			continue;
		if (object->module->declared && object->codes->refused) {
			entry->left_out = object->codes->refused;
			continue;
		}
		ret = entry->rule.condition[0] ?
			callback_host.condition(object, entry->rule.condition,
						&condition, &error) : 0;
		/* the first reason is kept */
		if (ret < 0 && !entry->fault[0]) {
			text_open(&why, entry->fault, sizeof(entry->fault));
			callback_host.fault(&why, entry->rule.condition,
					    &error);
		}
		if (ret)
			continue;
		node = arena_take(&node_type);
		if (!node)
			return -ENOMEM;
		node->entry = entry;
		node->condition = condition;
		__atomic_fetch_add(&entry->lists, 1, __ATOMIC_RELAXED);
		*link = node;
		link = &node->next;
	}
	return 0;
}

/* Adds to the number of markers of each callback in a list. */
static void markers_count(const struct node *node, int change)
{
	for (; node; node = node->next)
		__atomic_fetch_add(&node->entry->markers, (uint32_t)change,
				   __ATOMIC_RELAXED);
}

int list_look(struct object *object)
{
	struct known *known = object->callbacks;
	struct process_page *page;
	const struct entry *entry;
	const struct node *node;
	struct node *list = NULL;
	struct node *old;
	uint64_t told = 0;

	/* once after each grace period: there may be many objects */
	if (collected != load_acquire(&ended, RETIRE_PERIOD)) {
		collected = load_acquire(&ended, RETIRE_PERIOD);
		retired_collect();
	}
	if (object->site->kind_ == TAFFRAIL_KIND_GUARD) {
		/* a guard is on when a callback is attached to the marker */
		entry = load_acquire(&entry_list, ENTRY_LIST);
		while (entry && (load_relaxed(&entry->dead) ||
				 !entry_matches(entry, object)))
			entry = entry->next;
		return !!entry;
	}
	if (list_make(object, &list) ||
	    (list && !known && !(known = known_make(object)))) {
		/* without memory, the marker keeps the list that it has */
		list_free(list);
		return known && known->first;
	}
	if (!known)
		return 0;
	old = known->first;
	markers_count(old, -1);
	markers_count(list, 1);
	/* tells the recorder that a marker calls these */
	for (node = list; node; node = node->next)
		told |= node->entry->told;
	page = load_relaxed(callback_host.page);
	if (page && told & ~load_relaxed(&page->called))
		__atomic_fetch_or(&page->called, told, __ATOMIC_RELAXED);
	/* RETIRE-PERIOD: a grace period that begins before the old list is out
	 * of reach does not count */
	store_release(&known->first, list, KNOWN_LIST);
	__atomic_thread_fence(SEQ_CST(RETIRE_PERIOD));
	list_retire(old, NULL);
	store_release(&object->callbacks, known, KNOWN_MARKER);
	return !!list;
}

void list_gone(void *probes)
{
	struct known *known = probes;

	markers_count(known->first, -1);
	list_retire(known->first, known);
}

uint64_t list_period_begin(void)
{
	return __atomic_add_fetch(&begun, 1, ACQ_REL(RETIRE_PERIOD));
}

void list_period_end(uint64_t period)
{
	uint64_t last = load_relaxed(&ended);

	while (last < period &&
	       !__atomic_compare_exchange_n(&ended, &last, period, 0,
					    RELEASE(RETIRE_PERIOD),
					    __ATOMIC_RELAXED))
		;
}

/* Returns true for an attachment of the same callback, `priv` and rule.
 * Conditions are compared as texts. */
static bool is_same(const struct entry *entry, const struct entry *model)
{
	return entry->callback == model->callback &&
	       entry->priv == model->priv &&
	       !memcmp(&entry->rule.types, &model->rule.types,
		       sizeof(model->rule.types)) &&
	       text_equal(entry->rule.glob, model->rule.glob) &&
	       text_equal(entry->rule.condition, model->rule.condition);
}

struct entry *entry_find(const struct entry *model)
{
	struct entry *entry = entry_list;

	while (entry && !is_same(entry, model))
		entry = entry->next;
	return entry;
}

struct entry *entry_find_leaving(const struct entry *model)
{
	struct entry *entry = leaving;

	while (entry && (entry->done || !is_same(entry, model)))
		entry = entry->left;
	return entry;
}

bool entry_shares(const struct entry *entry)
{
	const struct entry *other;

	for (other = entry_list; other; other = other->next)
		if (other != entry &&
		    text_equal(other->rule.glob, entry->rule.glob))
			return true;
	return false;
}

void entry_link(struct entry *entry)
{
	struct entry **link = &entry_list;

	while (*link && (*link)->priority >= entry->priority)
		link = &(*link)->next;
	entry->next = *link;
	store_release(link, entry, ENTRY_LIST);
	store_relaxed(&entry_count, entry_count + 1);
	store_relaxed(&entries_told, entries_told + !!entry->told);
}

/* Keeps entry->next: a thread of the agent may stand on the entry. */
void entry_unlink(struct entry *entry)
{
	struct entry **link = &entry_list;

	store_release(&entry->dead, 1, PROBE_NAMED);
	while (*link != entry)
		link = &(*link)->next;
	store_release(link, entry->next, ENTRY_LIST);
	store_relaxed(&entry_count, entry_count - 1);
	store_relaxed(&entries_told, entries_told - !!entry->told);
	entry->left = leaving;
	leaving = entry;
}

struct entry *entry_spare(void)
{
	struct entry **link = &leaving;

	for (; *link; link = &(*link)->left) {
		struct entry *entry = *link;

		if (load_acquire(&entry->lists, ENTRY_LISTS) || !entry->done ||
		    entry->waited ||
		    entry->period >= load_acquire(&ended, RETIRE_PERIOD) ||
		    is_named(NULL, entry))
			continue;
		*link = entry->left;
		return entry;
	}
	return NULL;
}

/* The search of entry_is_used(). */
struct user {
	const struct entry *entry;
	int thread;
};

static int reader_uses(struct reader *reader, void *arg)
{
	struct user *user = arg;

	if (reader == callback_reader ||
	    load_acquire(&reader->current, READER_CURRENT) != user->entry)
		return 0;
	user->thread = (int)load_relaxed(&reader->tid);
	return 1;
}

bool entry_is_used(const struct entry *entry, int *thread)
{
	struct user user = { entry, 0 };
	int ret = reader_each(reader_uses, &user);

	if (ret)
		*thread = user.thread;
	return ret;
}

/* Adds a line: state, markers, hits missed in callbacks and in handlers, name
 * and rule. */
static void line_describe(struct text *out, const char *state,
			  const uint64_t numbers[3], const char *name,
			  const char *rule, const char *condition)
{
	text_add(out, "callback=");
	text_add(out, state);
	for (int i = 0; i < 3; i++) {
		text_add_char(out, '\t');
		text_add_unsigned(out, numbers[i]);
	}
	text_add_char(out, '\t');
	text_add(out, name);
	text_add_char(out, '\t');
	text_add(out, rule);
	text_add(out, *condition ? " if " : "");
	text_add(out, condition);
	text_add_char(out, '\n');
}

void entries_describe(struct text *out)
{
	const struct entry *entry;

	for (entry = load_acquire(&entry_list, ENTRY_LIST); entry;
	     entry = entry->next) {
		const uint64_t numbers[3] = {
			load_relaxed(&entry->markers),
			load_relaxed(&entry->nested),
			load_relaxed(&entry->signal),
		};

		if (!load_relaxed(&entry->dead))
			line_describe(out, "enabled", numbers, entry->name,
				      entry->rule.glob, entry->rule.condition);
	}
}

void connections_describe(struct text *out)
{
	static const uint64_t none[3];
	const struct connection *connection =
		load_acquire(&connection_list, CONNECTION_LIST);

	for (; connection;
	     connection = load_acquire(&connection->next, CONNECTION_LIST))
		if (!load_relaxed(&connection->enabled))
			line_describe(out, "connected", none, connection->name,
				      connection->rule, "");
}
