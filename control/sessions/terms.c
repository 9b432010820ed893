/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries and exits of functions, which rules may choose differently. An entry
 * is in a term while each call is recorded, without a condition, or with one of
 * the thread, the process or the frame alone, which the exits have, too. If
 * that ends and begins again, the next term has another number. Exits are in
 * the term of the entry while they are all recorded, too, or those that their
 * condition chooses of a function all of whose entries are (TERM_SOME); else in
 * none (TERM_NONE). An event has the term in the description, and so another
 * id.
 *
 * Invariant: no exit writes in a term in which the entry does not, in any
 * thread: exits leave the term first. So a return of a term is of the last call
 * with the same frame that has an event, if that one is of this term.
 */
#include "base/sys.h"
#include "base/text.h"
#include "control/sessions/private.h"
#include "tracepoints/conditions/expr.h"

/* The entries of a function, or the exits, as rules want them. */
struct half {
	bool met;
	bool off;			/* some are not wanted, or differ */
	bool tested;			/* by a condition */
	bool bare;			/* some lack what the condition needs,
					 * as the value of a tail call */
	const char *shared;		/* the condition, if both halves of a
					 * call meet it or none; or NULL */
	uint32_t kept;			/* of one that stays: the term */
	bool untested;			/* before this, they are on without a
					 * condition; */
	bool some;			/* or, in a term, with one */
};

/* A function by one of the names. `id`: that of the entry's event in a term in
 * which returns are recorded, or NONE. */
struct function {
	uint64_t start;
	const char *name;
	uint32_t name_bytes;
	uint32_t term;			/* of the entry */
	uint32_t id;			/* before the rule, and its term; */
	uint32_t before;
	bool returns;			/* so are returns */
	struct half halves[2];		/* the entry, the exits */
};

/* An entry or exit. */
struct place {
	struct object *object;
	struct function *function;
	const struct ax_program *condition;
	bool named;			/* by the rule that is applied */
	bool wanted;
	bool paused;
};

struct terms {
	struct session *session;
	const char *glob;
	int named;
	uint32_t bit;			/* of the channel */
	struct index index;		/* of functions */
	struct function *functions;	/* room for `room` */
	struct place *places;		/* the same */
	uint32_t *ids;			/* the same: terms that have ended */
	struct field_name *names;	/* room for those of one object */
	uint32_t room, n, nfunctions;
	bool failed;
};

static bool is_on(const struct terms *t, const struct object *object)
{
	return object->on >> t->bit & 1;
}

static bool is_exit(const struct place *place)
{
	return place->object->adopted->function == USDT_EXIT;
}

static struct half *half_of(const struct place *place)
{
	return &place->function->halves[is_exit(place)];
}

/* Tells whether a return with an event may be of a call that has none. */
static bool is_apart(const struct function *f)
{
	const struct half *entry = &f->halves[0], *exit = &f->halves[1];

	return !entry->met || entry->off || exit->off ||
	       (exit->bare && !exit->tested) ||
	       (entry->tested && !entry->shared) ||
	       (entry->tested && exit->met &&
		(!exit->shared || !text_equal(exit->shared, entry->shared) ||
		 exit->kept != entry->kept));
}

/* Tells whether a condition chooses among the returns alone. */
static bool is_some(const struct function *f)
{
	return !is_apart(f) && !f->halves[0].tested && f->halves[1].tested;
}

/* The term of an object's last event in the channel. Slots are as large as a
 * line of the cache, and have 16 bits for it. */
static uint32_t last_term(const struct terms *t, const struct object *object)
{
	uint16_t kept = object_slot(object, t->bit)->slot.kept;

	return kept == UINT16_MAX ? TERM_NONE : kept;
}

/* Counts the terms of an entry that have begun, in all channels. */
static uint16_t *terms_begun(struct object *object)
{
	return &((struct write_slot *)object->site)->kept;
}

/* Tells whether an entry has been recorded at each call. */
static bool is_whole(const struct terms *t, const struct object *object)
{
	return last_term(t, object) != TERM_NONE &&
	       !object_slot(object, t->bit)->condition;
}

static bool same_function(uint64_t value, const void *key)
{
	const struct function *f = (void *)value, *like = key;

	return f->start == like->start && f->name_bytes == like->name_bytes &&
	       !__builtin_memcmp(f->name, like->name, f->name_bytes);
}

/* Returns the function of a place, made behind the others if it is new. */
static struct function *function_find(struct terms *t,
				      const struct object *object)
{
	struct function *f = &t->functions[t->nfunctions];
	uint32_t bytes = text_length(object->name);
	uint64_t hash, found;

	if (object->adopted->function == USDT_EXIT)
		bytes -= sizeof(RULE_RETURN) - 1;
	*f = (struct function){ usdt_start(object->adopted), object->name,
				bytes, .term = TERM_NONE,
				.before = TERM_NONE };
	hash = index_hash(INDEX_HASH ^ f->start, object->name, bytes);
	found = index_find(&t->index, hash, same_function, f);
	if (found)
		return (struct function *)found;
	t->failed |= !!index_add(&t->index, hash, (uint64_t)f);
	t->nfunctions++;
	return f;
}

/* Tells whether the descriptions of other markers' events need the room that is
 * left: of the process, or of all that share the buffers. */
static bool is_scarce(struct channel *channel)
{
	return channel->page->record_bytes > TERMS_RECORD_BYTES ||
	       (channel->flags & SESSION_SHARED &&
		shared_types_end(&channel->shared) > TERMS_RECORD_BYTES);
}

/* In the place of a condition that stays as it is. */
static const char stays[] = "";

/* Returns the term in which a wanted entry will be recorded at each call. */
static uint32_t term_find(struct terms *t, struct object *object,
			  const char *shared)
{
	uint16_t *begun = terms_begun(object);

	if (!registry_slot(object, t->bit))
		return TERM_NONE;
	if (is_on(t, object) && (shared ? shared == stays :
					  is_whole(t, object)))
		return last_term(t, object);
	if (*begun == UINT16_MAX ||
	    (*begun && is_scarce(t->session->channel)))
		return TERM_NONE;
	return (*begun)++;
}

/* Tells whether an argument has the name of a context, or that of the frame. */
static bool hides_context(struct field_name *names, const struct object *object)
{
	int n = object->site->nfields_;

	if (fields_parse(object->format, object->site->kind_, n, names))
		return true;
	while (n-- > 0)
		if (text_after(names[n].name, "cfa_") ||
		    (!text_equal(names[n].name, "cfa") &&
		     expr_shared(names[n].name)))
			return true;
	return false;
}

/* Notes the condition of a wanted place, which `rule` has, or the slot. An
 * argument may hide a context. */
static void condition_note(const struct terms *t, const struct place *place,
			   const struct session_rule *rule)
{
	struct half *half = half_of(place), before = *half;

	half->kept = TERM_NONE;
	half->shared = NULL;
	if (place->condition && place->named) {
		if (expr_shared(rule->condition) &&
		    !hides_context(t->names, place->object))
			half->shared = rule->condition;
	} else if (place->condition) {
		half->kept = last_term(t, place->object);
		if (half->kept != TERM_NONE)
			half->shared = stays;
	}
	half->tested = place->condition;
	half->off |= before.met &&
		     (half->tested != before.tested ||
		      half->kept != before.kept ||
		      !half->shared != !before.shared ||
		      (half->shared &&
		       !text_equal(half->shared, before.shared)));
	half->met = true;
}

/* Tells whether a place is off as no hit of it could meet the rule's condition:
 * that chooses among the returns then, as it does where it does not hold. */
static bool is_bare(const struct terms *t, const struct object *object)
{
	const struct session_rule *rule = session_wants(t->session, object,
							NULL);
	const struct ax_program *program;
	struct expr_error error;

	return rule && rule->condition[0] &&
	       condition_make(object, rule->condition, &program, &error);
}

/* Notes the term in which a place's events have been recorded so far. */
static void term_note(const struct terms *t, const struct place *place)
{
	uint32_t term = last_term(t, place->object);

	if (is_exit(place)) {
		place->function->returns |= term != TERM_NONE;
		return;
	}
	place->function->before = term;
	place->function->id = (uint32_t)object_slot(place->object,
						    t->bit)->slot.id;
}

/* Adds an entry or exit; without room, counts. */
static int place_add(struct object *object, void *arg)
{
	const struct session_rule *rule = NULL;
	struct terms *t = arg;
	struct place *place;
	struct half *half;

	if (!session_has_term(object))
		return 0;
	if (!t->places) {
		t->room++;
		return 0;
	}
	place = &t->places[t->n++];
	place->object = object;
	place->function = function_find(t, object);
	place->named = t->named < 0 ? !is_on(t, object) :
		       !t->glob || session_glob_names(t->glob, object);
	if (place->named)
		rule = session_wants(t->session, object, &place->condition);
	place->wanted = place->named ? !!rule : is_on(t, object);
	if (!place->named && place->wanted)
		place->condition = object_slot(object, t->bit)->condition;
	half = half_of(place);
	if (is_on(t, object)) {
		half->untested = !object_slot(object, t->bit)->condition;
		half->some = !half->untested &&
			     last_term(t, object) != TERM_NONE;
		term_note(t, place);
	}
	if (place->wanted)
		condition_note(t, place, rule);
	else if (is_exit(place) && is_bare(t, object))
		half->bare = true;
	else
		half->off = true;
	if (place->wanted && !is_exit(place) &&
	    (!place->condition || half->shared))
		place->function->term = term_find(t, object, half->shared);
	return 0;
}

/* Returns the term of a wanted place's events. An entry that gets a condition
 * keeps the id: no return has a term then. */
static uint32_t place_term(const struct terms *t, const struct place *place)
{
	const struct function *f = place->function;

	if (is_exit(place))
		return is_apart(f) ? TERM_NONE : f->term;
	if (!place->condition || (f->halves[0].shared && !is_apart(f)))
		return f->term;
	return is_on(t, place->object) ?
	       last_term(t, place->object) : TERM_NONE;
}

/* Tells whether a place is to have events of another description. */
static bool is_other(const struct terms *t, const struct place *place)
{
	const struct function *f = place->function;
	uint32_t term = place_term(t, place);
	bool some = f->halves[0].untested && f->halves[1].some;

	return last_term(t, place->object) != term ||
	       (is_exit(place) && term != TERM_NONE && some != is_some(f));
}

/* Takes exits off that are not wanted, and has places pause that get another
 * term. Returns whether there was one. */
static bool places_leave(struct terms *t, const struct patcher *patcher)
{
	struct channel *channel = t->session->channel;
	bool left = false;

	for (uint32_t i = 0; i < t->n; i++) {
		struct place *place = &t->places[i];
		struct object *object = place->object;

		if (!is_on(t, object))
			continue;
		place->paused = place->wanted && is_other(t, place);
		if (place->paused)
			object_pause(object, channel);
		else if (!place->wanted && is_exit(place))
			object_disable(object, channel, patcher);
		else
			continue;
		left = true;
	}
	return left;
}

/* Applies the rules to entries, or to exits. Returns how many are counted. */
static uint32_t places_set(struct terms *t, bool exits,
			   const struct patcher *patcher)
{
	uint32_t matched = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		struct place *place = &t->places[i];
		struct object_use use = { .condition = place->condition };
		uint32_t term = place_term(t, place);
		bool on, some;

		if (is_exit(place) != exits ||
		    !(place->named || place->paused))
			continue;
		some = exits && term != TERM_NONE && is_some(place->function);
		on = session_object_set(t->session, place->object, &use,
					place->wanted,
					some ? term | TERM_SOME : term,
					patcher);
		/* without room for the entry's description */
		if (!on && !exits)
			half_of(place)->off = true;
		if (on)
			object_slot(place->object, t->bit)->slot.kept =
				(uint16_t)term;
		matched += place->named && (on || t->named);
	}
	return matched;
}

/* Tells the terms in which returns have been recorded, and no more are. */
static void ended_tell(struct terms *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct place *place = &t->places[i];

		if (is_exit(place) && is_on(t, place->object) &&
		    last_term(t, place->object) == place->function->before)
			place->function->returns = false;
	}
	for (uint32_t i = 0; i < t->nfunctions; i++)
		if (t->functions[i].returns &&
		    t->functions[i].before != TERM_NONE)
			t->ids[n++] = t->functions[i].id;
	if (!n)
		return;
	/* entries that threads are about to write come before it */
	patch_grace();
	record_publish_ended(t->session->channel, t->ids, n);
}

bool session_terms_apply(struct session *session, const char *glob, int named,
			 const struct patcher *patcher, uint32_t *matched)
{
	struct terms t = { .session = session, .glob = glob, .named = named,
			   .bit = channel_bit(session->channel) };
	uint64_t bytes;
	uint32_t i = 0;

	while (i < session->nrules &&
	       rule_kind(session->rules[i].glob) != RULE_FUNCTIONS)
		i++;
	if (session->client || i == session->nrules)
		return false;
	registry_each(place_add, &t);
	if (!t.room)
		return true;
	bytes = t.room * (sizeof(*t.places) + sizeof(*t.functions) +
			  sizeof(*t.ids)) +
		TAFFRAIL_FIELDS_MAX * sizeof(*t.names);
	t.functions = sys_map_anonymous(bytes);
	if (!t.functions)
		return true;
	t.places = (struct place *)(t.functions + t.room);
	t.names = (struct field_name *)(t.places + t.room);
	t.ids = (uint32_t *)(t.names + TAFFRAIL_FIELDS_MAX);
	registry_each(place_add, &t);
	if (!t.failed) {
		if (places_leave(&t, patcher))
			patch_grace();
		*matched += places_set(&t, false, patcher);
		*matched += places_set(&t, true, patcher);
		ended_tell(&t);
	}
	index_clear(&t.index);
	sys_munmap(t.functions, bytes);
	return true;
}

void session_terms_forget(const struct session *session, struct object *object)
{
	/* another session may have the object, which is off there for now */
	if (session_has_term(object) && !object->slots &&
	    object->slot_bit == channel_bit(session->channel))
		*terms_begun(object) = 0;
}
