/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kinds of pairs, from rules and from names of events.
 *
 * The name of an event begins a pair, or ends one, if one of the words in it is
 * in the table below; the last such word counts. The rest of the name is the
 * name of the kind: "app:io_entry" and "app:io_exit" are pairs of "app:io", and
 * "app:begin" and "app:end" of "app". A second table has the names of our own
 * providers for which that is not so. Functions that were not prepared have
 * names of their own: "fn:X" and "fn:X%return" are pairs of "fn:X", and so is
 * an "fn:X" that has a duration.
 *
 * Invariant: a kind is at one address from the event on that made it known, as
 * actions, open pairs and callers point to it.
 */
#include "traces/pairs/private.h"
#include "traces/read/where.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION	"fn:"
#define RETURN		"%return"

enum family {
	FAMILY_CALL,
	FAMILY_SPAN,
};

/* The words of names. A name pairs only with one of a word of the same
 * family. */
static const struct word {
	const char *text;
	enum family family;
	bool ends;
} words[] = {
	{ "entry", FAMILY_CALL, false }, { "enter", FAMILY_CALL, false },
	{ "exit", FAMILY_CALL, true }, { "return", FAMILY_CALL, true },
	{ "begin", FAMILY_SPAN, false }, { "start", FAMILY_SPAN, false },
	{ "end", FAMILY_SPAN, true }, { "done", FAMILY_SPAN, true },
	{ "stop", FAMILY_SPAN, true }, { "finish", FAMILY_SPAN, true },
};

#define NWORDS	(sizeof(words) / sizeof(words[0]))

/*
 * Of taffrail-pthread(7). A thread's life is a call of the start routine: the
 * end of the thread also ends the calls that do not return, such as a wait that
 * is cancelled. pthread_exit() never returns, so its entry begins nothing.
 */
static const struct special {
	const char *name;
	struct word word;		/* without a text: begins nothing */
} specials[] = {
	{ "pthread:thread_start", { "start", FAMILY_CALL, false } },
	{ "pthread:exit_entry", { NULL, FAMILY_CALL, false } },
};

#define NSPECIALS	(sizeof(specials) / sizeof(specials[0]))

/* Where a word of the table stands in a name. */
struct found_word {
	const struct word *word;
	size_t at;
};

/* Finds the last word of the table in a name. Returns false if no word is in
 * it, or if the name begins and ends nothing. */
static bool find_word(struct found_word *found, const char *name)
{
	size_t end = strlen(name), start;

	for (size_t i = 0; i < NSPECIALS; i++) {
		if (strcmp(specials[i].name, name))
			continue;
		found->word = &specials[i].word;
		if (found->word->text)
			found->at = end - strlen(found->word->text);
		return found->word->text;
	}
	while (end) {
		start = end;
		while (start && isalnum((unsigned char)name[start - 1]))
			start--;
		found->at = start;
		for (size_t i = 0; i < NWORDS; i++) {
			found->word = &words[i];
			if (strlen(words[i].text) == end - start &&
			    !strncmp(words[i].text, name + start, end - start))
				return true;
		}
		if (name[end - 1] == ':' || name[end - 1] == '/')
			return false;	/* the channel follows */
		end = start == end ? end - 1 : start;
	}
	return false;
}

/* Returns a kind with the texts that it owns. */
static struct own_kind *kind_own(struct pair_kind *kind)
{
	return (struct own_kind *)kind;
}

/* Frees a kind that is in no list. */
static void free_kind(struct own_kind *k)
{
	free(k->text);
	free(k->begin);
	free(k->seen_begin);
	free(k->seen_end);
	free(k->place);
	free(k);
}

void names_free(struct pairs *p)
{
	for (size_t i = 0; i < p->nkinds; i++)
		free_kind(kind_own(p->kinds[i]));
	free(p->kinds);
	class_memory_free(p->labels);
	index_clear(&p->names);
}

/* Adds a kind, which gets its number, and which names_free() frees from now on.
 * Rules come first in the list: they are added before any trace is met. Returns
 * 0 or -ENOMEM. */
static int add_kind(struct pairs *p, struct own_kind *k)
{
	struct pair_kind **more = realloc(p->kinds, (p->nkinds + 1) *
						    sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->kinds = more;
	k->kind.number = (uint32_t)p->nkinds;
	more[p->nkinds++] = &k->kind;
	return 0;
}

/* Takes the words of a rule, which `begin` holds, and makes each comma the end
 * of a text; the kind points into it. Returns NULL, or a sentence about the
 * rule that is wrong. */
static const char *take_rule(struct own_kind *k)
{
	char *rest = k->begin;

	k->begin = strsep(&rest, ",");
	k->end = strsep(&rest, ",");
	if (!k->end || !*k->begin || !*k->end)
		return "give BEGIN,END or BEGIN,END,KEY";
	while (rest) {
		char *key = strsep(&rest, ",");
		char *other = strchr(key, '=');

		if (!strcmp(key, "@any")) {
			k->kind.across = true;
			continue;
		}
		if (other)
			*other++ = '\0';
		if (!*key || (other && !*other))
			return "a key has no name";
		if (k->kind.nkeys == PAIR_KEYS_MAX)
			return "it has more than four keys";
		k->kind.begin_keys[k->kind.nkeys] = key;
		k->kind.end_keys[k->kind.nkeys++] = other ? other : key;
	}
	return k->kind.across && !k->kind.nkeys ?
	       "@any stands beside a key: BEGIN,END,KEY,@any" : NULL;
}

int pairs_add(struct pairs *p, const char *rule, const char **wrong)
{
	struct own_kind *k = calloc(1, sizeof(*k));
	int ret = -ENOMEM;

	if (!k)
		return ret;
	k->text = strdup(rule);
	k->begin = strdup(rule);
	if (k->text && k->begin) {
		*wrong = take_rule(k);
		k->kind.name = k->text;
		k->kind.given = true;
		ret = *wrong ? -EINVAL : add_kind(p, k);
	}
	if (ret)
		free_kind(k);
	return ret;
}

/* Parts of a function's place. */
enum place_part {
	BY_MODULE	= 1,
	BY_FILE		= 2,
	BY_ADDRESS	= 4,
};

/* Returns whether the first bytes of two texts differ. */
static bool is_other(const char *a, size_t n, const char *b, size_t m)
{
	return n != m || memcmp(a, b, n);
}

/* Returns the first part in which two places differ. */
static enum place_part place_apart(const char *a, const char *b)
{
	return !a || !b || is_other(a, place_module_bytes(a), b,
				  place_module_bytes(b)) ?
		       BY_MODULE :
	       is_other(a, place_file_bytes(a), b,
				  place_file_bytes(b)) ? BY_FILE :
							      BY_ADDRESS;
}

/* Sets the name of a function's kind that is told from others of this name by
 * one more part of the place: "fn:MODULE/FILE:NAME@ADDRESS". Names that were
 * read before stay where they are. Returns 0 or -ENOMEM. */
static int kind_label(struct pairs *p, struct own_kind *k, enum place_part part)
{
	const char *name = k->text + strlen(FUNCTION), *place = k->place;
	size_t module, file;
	bool has_file, has_address;
	char *label;

	if (!place || k->apart & part)
		return 0;
	k->apart |= part;
	module = place_module_bytes(place);
	file = place_file_bytes(place);
	has_file = k->apart & BY_FILE && file > module + 1;
	has_address = k->apart & BY_ADDRESS && place[file];
	if (asprintf(&label, FUNCTION "%.*s%s%.*s%s%s%s%s",
		     k->apart & BY_MODULE ? (int)module : 0, place,
		     k->apart & BY_MODULE ? "/" : "",
		     has_file ? (int)(file - module - 1) : 0,
		     has_file ? place + module + 1 : "", has_file ? ":" : "",
		     name, has_address ? "@" : "",
		     has_address ? place + file + 1 : "") < 0)
		return -ENOMEM;
	k->kind.name = class_memory_text(&p->labels, label) ?: k->text;
	free(label);
	return 0;
}

/* Tells a new kind from those of other functions of this name, of which
 * `other` is one. Returns 0 or -ENOMEM. */
static int kind_part(struct pairs *p, struct own_kind *k,
		     struct own_kind *other)
{
	struct own_kind *first = other;
	enum place_part part;
	int ret = 0;

	do {
		part = place_apart(k->place, other->place);
		ret = ret ?: kind_label(p, k, part);
		ret = ret ?: kind_label(p, other, part);
		other = other->twin;
	} while (other != first);
	k->twin = first->twin;
	first->twin = k;
	return ret;
}

/* Returns whether a kind has the name and family of another. */
static bool is_named(uint64_t value, const void *priv)
{
	const struct own_kind *k = (void *)(uintptr_t)value, *like = priv;

	return k->kind.calls == like->kind.calls &&
	       k->kind.frames == like->kind.frames &&
	       !strcmp(k->text, like->text);
}

/* Returns whether it also is of the same function. */
static bool is_kind(uint64_t value, const void *priv)
{
	const struct own_kind *k = (void *)(uintptr_t)value, *like = priv;

	return is_named(value, priv) &&
	       (!k->place || !like->place ? k->place == like->place :
					    !strcmp(k->place, like->place));
}

/* Returns the kind of this name, which it owns from now on, and family, of a
 * function in this place (or NULL); made if it is not there; or NULL without
 * memory. */
static struct pair_kind *kind_take(struct pairs *p, char *text, bool calls,
				   bool frames, const char *place)
{
	struct own_kind like = {
		.kind = { .name = text, .calls = calls, .frames = frames },
		.text = text, .place = (char *)place,
	};
	struct own_kind *k, *other;
	uint64_t hash, value;

	if (!text)
		return NULL;
	hash = index_hash(INDEX_HASH, text, strlen(text));
	value = index_find(&p->names, hash, is_kind, &like);
	k = value ? NULL : calloc(1, sizeof(*k));
	if (!k) {
		free(text);
		return (void *)(uintptr_t)value;
	}
	other = (void *)(uintptr_t)index_find(&p->names, hash, is_named, &like);
	*k = like;
	k->twin = k;
	k->place = place ? strdup(place) : NULL;
	if ((place && !k->place) || add_kind(p, k)) {
		free_kind(k);
		return NULL;
	}
	/* a kind that the table misses would be made twice */
	return (other && kind_part(p, k, other)) ||
	       index_add(&p->names, hash, (uint64_t)(uintptr_t)k) ?
	       NULL : &k->kind;
}

/* Adds what an event of a class does to a kind, and notes the name of the first
 * event that does. An event that ends and begins pairs of one kind is a step of
 * it. Returns 0 or -ENOMEM. */
static int add_action(struct pair_action **actions, struct pair_kind *kind,
		      bool ends, const struct trace_class *trace,
		      const struct event_class *class)
{
	const char *const *keys = ends ? kind->end_keys : kind->begin_keys;
	struct own_kind *own = kind_own(kind);
	char **seen = ends ? &own->seen_end : &own->seen_begin;
	const struct field_class *fields = class->fields;
	struct pair_action *action = calloc(1, sizeof(*action));
	/* such a return ends no call */
	bool told = !(ends && kind->frames && class->term == TERM_NONE);
	bool divides;

	kind->halves |= ends ? 2 : 1;
	kind->tested |= !ends && class->place && where_tests(class);
	divides = class->place && where_divides(class);
	kind->some |= ends && (class->some || divides);
	if (class->term == TERM_NONE || (divides && !ends))
		kind->apart = true;
	else if (class->term > kind->term)
		kind->term = class->term;
	if (action && told && !*seen) {
		*seen = strdup(class->name);
		*(ends ? &kind->end : &kind->begin) = *seen;
	}
	if (!action || (told && !*seen)) {
		free(action);
		return -ENOMEM;
	}
	action->kind = kind;
	action->ends = ends;
	/* BEGINs are added first, so an END finds one of the same class */
	for (const struct pair_action *a = *actions; ends && a; a = a->next)
		kind->steps |= a->kind == kind && !a->ends;
	for (unsigned int i = 0; i < kind->nkeys; i++)
		if (!field_at_find(&action->keys[i], trace, class, keys[i]))
			action->keyless = true;
	/* of functions: the frame's address tells */
	if (kind->frames)
		action->span = field_at_find(&action->keys[0], trace, class,
					     "cfa");
	/* of our Python binding: `span` tells which END belongs to a BEGIN, and
	 * END has `error` as well */
	if (!kind->given && !kind->calls && fields->nmembers &&
	    fields->members[0].kind == FIELD_INTEGER &&
	    !strcmp(fields->members[0].name, "span") &&
	    (!ends || (fields->nmembers == 2 &&
		       fields->members[1].kind == FIELD_STRING &&
		       !strcmp(fields->members[1].name, "error"))))
		action->span = field_at_find(&action->keys[0], trace, class,
					     "span");
	action->next = *actions;
	*actions = action;
	return 0;
}

/* Returns whether a rule has just the two names that the kind would have: this
 * one, and this one with the word replaced by one of the other side and the
 * same family. */
static bool is_replaced(const struct pairs *p, const char *name,
			const struct found_word *found)
{
	const char *right = name + found->at + strlen(found->word->text);
	bool ends = found->word->ends;
	struct found_word there;

	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given; i++) {
		const struct own_kind *k = kind_own(p->kinds[i]);
		bool same = false;

		if (!event_name_is(name, ends ? k->end : k->begin))
			continue;
		for (size_t w = 0; w < NWORDS && !same; w++) {
			char *text;

			if (asprintf(&text, "%.*s%s%s", (int)found->at, name,
				     words[w].text, right) < 0)
				break;
			same = event_name_is(text, ends ? k->begin : k->end) &&
			       find_word(&there, text) &&
			       there.word->family == found->word->family &&
			       there.word->ends != ends;
			free(text);
		}
		if (same)
			return true;
	}
	return false;
}

/* Returns whether an event is a function's call or return, as the agent makes
 * them of functions that were not prepared. */
static bool is_function(const struct trace_class *trace,
			const struct event_class *class)
{
	struct field_at at;

	return !strncmp(class->name, FUNCTION, strlen(FUNCTION)) &&
	       field_at_find(&at, trace, class, "cfa") &&
	       at.source == FIELD_OF_EVENT &&
	       at.class->kind == FIELD_INTEGER && at.class->bytes == 8;
}

/* Adds the action of a whole call, whose event is BEGIN and END, as an END;
 * *whole tells whether the event is one. Returns 0 or -ENOMEM. */
static int meet_whole(struct pairs *p, const struct trace_class *trace,
		      const struct event_class *class, bool ends, bool *whole,
		      struct pair_action **actions)
{
	static const char *const names[] = { "duration", "depth" };
	struct pair_action *action;
	struct pair_kind *kind;
	struct own_kind *own;
	struct field_at at[2];

	*whole = !strncmp(class->name, FUNCTION, strlen(FUNCTION));
	for (size_t i = 0; *whole && i < 2; i++)
		*whole = field_at_find(&at[i], trace, class, names[i]) &&
			 at[i].source == FIELD_OF_EVENT &&
			 at[i].class->kind == FIELD_INTEGER;
	if (!*whole || !ends)
		return 0;
	kind = kind_take(p, strdup(class->name), true, true, class->place);
	action = kind ? calloc(1, sizeof(*action)) : NULL;
	if (!action)
		return -ENOMEM;
	action->kind = kind;
	action->ends = action->whole = p->any_whole = true;
	memcpy(action->keys, at, sizeof(at));
	action->next = *actions;
	*actions = action;
	own = kind_own(kind);
	if (!kind->begin)
		kind->begin = own->seen_begin = strdup(class->name);
	if (!kind->end)
		kind->end = own->seen_end = strdup(class->name);
	return kind->begin && kind->end ? 0 : -ENOMEM;
}

/* Adds the action of a function's event, unless a rule has just the two names,
 * or the event is of the other side. Returns 0 or -ENOMEM. */
static int meet_function(struct pairs *p, const struct trace_class *trace,
			 const struct event_class *class, bool ends,
			 struct pair_action **actions)
{
	size_t n = strlen(class->name), tail = strlen(RETURN);
	bool returns = n > tail && !strcmp(class->name + n - tail, RETURN);
	struct pair_kind *kind;
	bool same = false;
	char *name, *end;

	if (ends != returns)
		return 0;
	if (asprintf(&end, "%.*s%s", (int)(returns ? n - tail : n),
		     class->name, RETURN) < 0)
		return -ENOMEM;
	name = strndup(end, strlen(end) - tail);
	for (size_t i = 0; name && i < p->nkinds && p->kinds[i]->given; i++)
		same |= event_name_is(name, kind_own(p->kinds[i])->begin) &&
			event_name_is(end, kind_own(p->kinds[i])->end);
	free(end);
	if (same) {
		free(name);
		return 0;
	}
	kind = kind_take(p, name, true, true, class->place);
	return kind ? add_action(actions, kind, ends, trace, class) : -ENOMEM;
}

/* Adds the actions of one side: those of rules, and that of the name unless a
 * rule replaces it. Returns 0 or -ENOMEM. */
static int meet_side(struct pairs *p, const struct trace_class *trace,
		     const struct event_class *class, bool ends,
		     struct pair_action **actions)
{
	struct found_word found;
	struct pair_kind *kind;
	bool whole = false;
	int ret = 0;
	const char *right;
	size_t left;
	char *text = NULL;

	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given && !ret; i++) {
		struct own_kind *k = kind_own(p->kinds[i]);

		if (event_name_is(class->name, ends ? k->end : k->begin))
			ret = add_action(actions, &k->kind, ends, trace, class);
	}
	if (!ret)
		ret = meet_whole(p, trace, class, ends, &whole, actions);
	if (whole)
		return ret;
	if (!ret && is_function(trace, class))
		return meet_function(p, trace, class, ends, actions);
	if (ret || !find_word(&found, class->name) ||
	    found.word->ends != ends || is_replaced(p, class->name, &found))
		return ret;
	/* the kind's name is the name without the word */
	right = class->name + found.at + strlen(found.word->text);
	left = found.at;
	while (*right && strchr("_-.", *right))
		right++;
	while (left && strchr("_-.", class->name[left - 1]))
		left--;
	if (!*right && left && class->name[left - 1] == ':')
		left--;
	if (!left && !*right)
		text = strdup(class->name);
	else if (asprintf(&text, "%.*s%s%s", (int)left, class->name,
			  *right && left && class->name[left - 1] != ':' ? "_" :
									   "",
			  right) < 0)
		text = NULL;
	kind = kind_take(p, text, found.word->family == FAMILY_CALL, false,
			 NULL);
	return kind ? add_action(actions, kind, ends, trace, class) : -ENOMEM;
}

bool names_has_event(const struct pair_kind *kind,
		     const struct trace_class *trace)
{
	const struct own_kind *k = (const struct own_kind *)kind;

	for (size_t i = 0; i < trace->nevents; i++)
		if (trace->events[i] &&
		    (event_name_is(trace->events[i]->name, k->begin) ||
		     event_name_is(trace->events[i]->name, k->end)))
			return true;
	return false;
}

int names_meet(struct pairs *p, const struct trace_class *trace,
	       const struct event_class *class, struct pair_action **actions)
{
	/* each action goes in front: those that end come first then */
	int ret = meet_side(p, trace, class, false, actions);

	return ret ? ret : meet_side(p, trace, class, true, actions);
}
