/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kinds of pairs, from rules and from names of events.
 *
 * The name of an event begins a pair, or ends one, if one of the words in it is
 * in the table below; the last such word counts. The rest of the name is the
 * name of the kind: "app:io_entry" and "app:io_exit" are pairs of "app:io", and
 * "app:begin" and "app:end" of "app". A second table has the names of our own
 * providers for which that is not so.
 */
#include "traces/pairs/private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum family {
	FAMILY_CALL,
	FAMILY_SPAN,
};

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

/* Finds the last word of the table in a name. */
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

/* Returns the name of the kind, which the caller frees, or NULL. */
static char *name_stem(const char *name, const struct found_word *found)
{
	const char *right = name + found->at + strlen(found->word->text);
	size_t left = found->at;
	char *text = NULL;

	while (*right && strchr("_-.", *right))
		right++;
	while (left && strchr("_-.", name[left - 1]))
		left--;
	if (!*right && left && name[left - 1] == ':')
		left--;
	if (!left && !*right)
		return strdup(name);
	if (asprintf(&text, "%.*s%s%s", (int)left, name,
		     *right && left && name[left - 1] != ':' ? "_" : "",
		     right) < 0)
		return NULL;
	return text;
}

static struct own_kind *kind_own(struct pair_kind *kind)
{
	return (struct own_kind *)kind;
}

static void free_kind(struct own_kind *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->begin);
	free(k->seen_begin);
	free(k->seen_end);
	free(k);
}

void names_free(struct pairs *p)
{
	for (size_t i = 0; i < p->nkinds; i++)
		free_kind(kind_own(p->kinds[i]));
	free(p->kinds);
	index_clear(&p->names);
}

/* Adds a kind, which gets its number. Rules come first in the list: they are
 * added before any trace is met. */
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

/* Takes the words of a rule, and makes each comma the end of a text. */
static const char *take_rule(struct own_kind *k, char *text)
{
	char *rest = text;

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
	char *text = strdup(rule);
	int ret = -ENOMEM;

	if (k)
		k->text = strdup(rule);
	if (!k || !text || !k->text)
		goto free_it;
	*wrong = take_rule(k, text);
	ret = -EINVAL;
	if (*wrong) {
		free(text);
		k->begin = NULL;
		goto free_kind;
	}
	k->kind.name = k->text;
	k->kind.given = true;
	ret = add_kind(p, k);
	if (!ret)
		return 0;
	k->begin = NULL;
free_it:
	free(text);
free_kind:
	free_kind(k);
	return ret;
}

struct kind_key {
	const char *name;
	enum family family;
};

static int is_kind(uint64_t value, const void *priv)
{
	const struct pair_kind *kind = (void *)(uintptr_t)value;
	const struct kind_key *key = priv;

	return kind->calls == (key->family == FAMILY_CALL) &&
	       !strcmp(kind->name, key->name);
}

/* Returns the kind that has this name, which it keeps or frees; or NULL. */
static struct pair_kind *kind_of(struct pairs *p, char *name,
				 enum family family)
{
	struct kind_key key = { name, family };
	uint64_t hash = index_hash(INDEX_HASH, name, strlen(name));
	uint64_t value = index_find(&p->names, hash, is_kind, &key);
	struct own_kind *k;

	if (value) {
		free(name);
		return (void *)(uintptr_t)value;
	}
	k = calloc(1, sizeof(*k));
	if (!k) {
		free(name);
		return NULL;
	}
	k->text = name;
	k->kind.name = name;
	k->kind.calls = family == FAMILY_CALL;
	if (add_kind(p, k)) {
		free_kind(k);
		return NULL;
	}
	/* a kind that the table misses would be made twice */
	return index_add(&p->names, hash, (uint64_t)(uintptr_t)&k->kind) ?
	       NULL : &k->kind;
}

/* Notes the first event that begins or ends pairs of the kind. */
static int note_name(struct pair_kind *kind, bool ends, const char *name)
{
	struct own_kind *own = kind_own(kind);
	char **seen = ends ? &own->seen_end : &own->seen_begin;

	if (*seen)
		return 0;
	*seen = strdup(name);
	if (!*seen)
		return -ENOMEM;
	*(ends ? &kind->end : &kind->begin) = *seen;
	return 0;
}

/* Returns whether the fields are those of our Python binding: `span` tells
 * which END belongs to a BEGIN, and END has `error` as well. */
static bool has_span(const struct event_class *class, bool ends)
{
	const struct field_class *fields = class->fields;

	if (!fields->nmembers || fields->members[0].kind != FIELD_INTEGER ||
	    strcmp(fields->members[0].name, "span"))
		return false;
	return !ends || (fields->nmembers == 2 &&
			 fields->members[1].kind == FIELD_STRING &&
			 !strcmp(fields->members[1].name, "error"));
}

/* Adds what an event of a class does to a kind. An event that ends and begins
 * pairs of one kind is a step of it. */
static int add_action(struct pair_action **actions, struct pair_kind *kind,
		      bool ends, const struct trace_class *trace,
		      const struct event_class *class)
{
	const char *const *keys = ends ? kind->end_keys : kind->begin_keys;
	struct pair_action *action = calloc(1, sizeof(*action));

	if (!action || note_name(kind, ends, class->name)) {
		free(action);
		return -ENOMEM;
	}
	action->kind = kind;
	action->ends = ends;
	for (const struct pair_action *a = *actions; ends && a; a = a->next)
		kind->steps |= a->kind == kind && !a->ends;
	for (unsigned int i = 0; i < kind->nkeys; i++)
		if (!field_at_find(&action->keys[i], trace, class, keys[i]))
			action->keyless = true;
	if (!kind->given && !kind->calls && has_span(class, ends))
		action->span = field_at_find(&action->keys[0], trace, class,
					     "span");
	action->next = *actions;
	*actions = action;
	return 0;
}

/* Returns whether `other`, of a rule, is the name with its word replaced by one
 * of the other side and the same family. */
static bool is_partner(const char *name, const struct found_word *found,
		       const char *other)
{
	const char *right = name + found->at + strlen(found->word->text);
	struct found_word there;
	bool same = false;

	for (size_t i = 0; i < NWORDS && !same; i++) {
		char *text;

		if (asprintf(&text, "%.*s%s%s", (int)found->at, name,
			     words[i].text, right) < 0)
			return false;
		same = event_name_is(text, other) && find_word(&there, text) &&
		       there.word->family == found->word->family &&
		       there.word->ends != found->word->ends;
		free(text);
	}
	return same;
}

/* Returns whether a rule has just the two names that the kind would have. */
static bool is_replaced(const struct pairs *p, const char *name,
			const struct found_word *found)
{
	bool ends = found->word->ends;

	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given; i++) {
		const struct own_kind *k = kind_own(p->kinds[i]);

		if (event_name_is(name, ends ? k->end : k->begin) &&
		    is_partner(name, found, ends ? k->begin : k->end))
			return true;
	}
	return false;
}

/* Adds the actions of one side. */
static int meet_side(struct pairs *p, const struct trace_class *trace,
		     const struct event_class *class, bool ends,
		     struct pair_action **actions)
{
	struct found_word found;
	struct pair_kind *kind;
	char *name;
	int ret = 0;

	for (size_t i = 0; i < p->nkinds && p->kinds[i]->given && !ret; i++) {
		struct own_kind *k = kind_own(p->kinds[i]);

		if (event_name_is(class->name, ends ? k->end : k->begin))
			ret = add_action(actions, &k->kind, ends, trace,
					 class);
	}
	if (ret || p->no_names || !find_word(&found, class->name) ||
	    found.word->ends != ends || is_replaced(p, class->name, &found))
		return ret;
	name = name_stem(class->name, &found);
	kind = name ? kind_of(p, name, found.word->family) : NULL;
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
	int ret = meet_side(p, trace, class, false, actions);

	return ret ? ret : meet_side(p, trace, class, true, actions);
}
