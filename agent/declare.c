/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that the program declares while it runs: include/taffrail/event.h.
 *
 * Such a marker has a site that tests a flag, and no code: the address of the
 * site stands for it, or one that the caller has. Sites are never freed; a
 * marker that is declared again gets the old one.
 */
#include <errno.h>
#include <stdbool.h>

#include "agent/declare.h"

#include "agent/fork.h"
#include "agent/fork-private.h"
#include "base/arena.h"
#include "base/base.h"
#include "base/index.h"
#include "base/text.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"

#define PUBLIC		__attribute__((visibility("default")))
#define ID_BYTES	128
#define MESSAGE_BYTES	1024	/* in quotes, with escapes */
#define TEXT_BYTES	(ID_BYTES + MESSAGE_BYTES + \
			 TAFFRAIL_FIELDS_MAX * (FIELD_NAME_BYTES + 2))

struct declaration {
	struct object *object;		/* NULL: it is not declared now */
	struct taffrail_declared event __attribute__((aligned(64)));
};

static struct index declarations;	/* the registry's lock */
static struct module declared_module;

/* Returns whether field i of the wish has a type. An array has one only with a
 * number of elements that readers take. */
static bool is_type(const struct wish *wish, uint32_t i)
{
	int type = wish->fields[i].type_;
	int scalar = type & TAFFRAIL_T_SCALAR_MASK;

	if (type == (TAFFRAIL_T_ARRAY | scalar))
		return shown_count(&wish->shown, i, (uint8_t)type);
	return type == TAFFRAIL_T_STRING ||
	       ((type == scalar || type == (TAFFRAIL_T_SEQUENCE | scalar)) &&
		scalar_bytes((uint8_t)scalar));
}

/* Adds the text that stands before the fields in TAFFRAIL_EVENT. */
static int message_add(struct text *text, const char *message, const char *end)
{
	uint64_t begin = text->used;

	text_add(text, "TAFFRAIL_MESSAGE(\"");
	for (; *message; message++) {
		if ((unsigned char)*message < ' ' || *message == 127)
			return -EINVAL;
		if (*message == '"' || *message == '\\')
			text_add_char(text, '\\');
		text_add_char(text, *message);
	}
	text_add(text, "\")");
	text_add(text, end);
	return text->used - begin > MESSAGE_BYTES ? -EINVAL : 0;
}

/* Fills in the site and the texts as a compiler does. `text` has TEXT_BYTES. */
static int model_make(struct taffrail_site *site, struct text *text,
		      const struct wish *wish)
{
	static const struct taffrail_shown head = {
		.how_ = TAFFRAIL_HOW_LEVEL,
		.bytes_ = 2,
	};
	const struct taffrail_event_field *fields = wish->fields;
	char level[2] = "";
	uint32_t n = wish->n;
	uint32_t fixed = 0;

	if (n > TAFFRAIL_FIELDS_MAX || (n && !fields) ||
	    !marker_name_valid(wish->channel) ||
	    !marker_name_valid(wish->name))
		return -EINVAL;
	*site = (struct taffrail_site){ .version_ = TAFFRAIL_SITE_VERSION,
					.kind_ = TAFFRAIL_KIND_EVENT,
					.nfields_ = (uint8_t)n,
					.flags_ = TAFFRAIL_SITE_FLAG_TESTED };
	text_add(text, wish->channel);
	text_add_bytes(text, "", 1);
	text_add(text, wish->name);
	text_add_bytes(text, "", 1);
	if (text->used > ID_BYTES ||
	    (wish->message &&
	     message_add(text, wish->message, n ? ", " : "")))
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++) {
		int type = fields[i].type_;

		if (!is_type(wish, i) || !field_name_valid(fields[i].name_))
			return -EINVAL;
		if (i)
			text_add(text, ", ");
		text_add(text, fields[i].name_);
		site->types_[i] = (uint8_t)type;
		if (declared_is_variable(type))
			site->nvar_++;
		else
			fixed += scalar_bytes((uint8_t)type);
	}
	text_add_bytes(text, "\0\0", 2);
	if (wish->level) {
		/* the bytes that stand behind the texts */
		while (*level <= LEVEL_MAX &&
		       !text_equal(wish->level, level_word(*level)))
			++*level;
		text_add_bytes(text, (const char *)&head, sizeof(head));
		text_add_bytes(text, level, sizeof(level));
		if (*level > LEVEL_MAX)
			return -EINVAL;
	}
	site->fixed_bytes_ = (uint16_t)fixed;
	site->text_bytes_ = (uint32_t)(text->used + wish_shown_bytes(wish));
	/* what a session can describe */
	return text->cut || site->text_bytes_ > UINT16_MAX ? -EINVAL : 0;
}

/* A marker that a program declares: the texts, and the rest of the bytes behind
 * them. */
struct model {
	const struct taffrail_site *site;
	const struct text *text;
	const struct wish *wish;
};

static bool is_same(uint64_t value, const void *key)
{
	const struct taffrail_declared *event =
		&((const struct declaration *)value)->event;
	const struct model *model = key;
	const struct taffrail_site *site = model->site;
	size_t n = model->text->used;

	return event->site.text_bytes_ == site->text_bytes_ &&
	       !__builtin_memcmp(event->text, model->text->start, n) &&
	       (site->text_bytes_ == n ||
		!__builtin_memcmp(event->text + n, model->wish->shown.p,
				  site->text_bytes_ - n)) &&
	       !__builtin_memcmp(event->site.types_, site->types_,
				 sizeof(site->types_));
}

/* Finds the declaration of a model, or makes it; there may be very many. */
static struct declaration *declaration_of(const struct model *model)
{
	const struct taffrail_site *site = model->site;
	const struct text *text = model->text;
	const struct wish *wish = model->wish;
	uint64_t hash = index_hash(index_hash(INDEX_HASH, text->start,
					      text->used),
				   wish->shown.p, wish_shown_bytes(wish));
	struct declaration *declaration =
		(void *)index_find(&declarations, hash, is_same, model);

	if (declaration)
		return declaration;
	declaration = arena_keep(sizeof(*declaration) + site->text_bytes_);
	if (!declaration ||
	    index_add(&declarations, hash, (uint64_t)declaration))
		return NULL;
	declaration->event.site = *site;
	__builtin_memcpy(declaration->event.text, text->start, text->used);
	if (wish->shown.p)
		__builtin_memcpy(declaration->event.text + text->used,
				 wish->shown.p, wish_shown_bytes(wish));
	return declaration;
}

/* An agent that sleeps is not off: markers are declared for when it wakes. */
static bool agent_is_off(void)
{
	return agent_off && agent_off != agent_detached;
}

struct taffrail_declared *marker_put(const struct wish *wish,
				     const struct code *model,
				     struct object **came)
{
	struct code code = *model;
	struct taffrail_declared *event;
	struct declaration *declaration;
	struct taffrail_site site;
	char bytes[TEXT_BYTES];
	const char *texts[4], *p;
	struct text text;
	int i;

	text_open(&text, bytes, sizeof(bytes));
	if (model_make(&site, &text, wish)) {
		errno = EINVAL;
		return NULL;
	}
	errno = agent_is_off() ? ENODEV : ENOMEM;
	if (agent_is_off())
		return NULL;
	declaration = declaration_of(&(struct model){ &site, &text, wish });
	if (declaration && !declaration->object) {
		event = &declaration->event;
		if (!code.address)
			code.address = (uint8_t *)event;
		code.flags |= TAFFRAIL_SITE_FLAG_TESTED;
		for (i = 0, p = event->text; i < 4; i++) {
			texts[i] = p;
			p += text_length(p) + 1;
		}
		declaration->object = registry_declare(&declared_module,
						       &event->site, texts,
						       &code);
		if (!declaration->object)
			return NULL;
		declaration->object->next_found = *came;
		*came = declaration->object;
	}
	return declaration ? &declaration->event : NULL;
}

struct taffrail_declared *marker_declare(const struct wish *wish)
{
	static const struct code code;
	struct taffrail_declared *event;
	struct object *came = NULL;

	fork_need_files();
	registry_lock();
	event = marker_put(wish, &code, &came);
	if (came && !agent_off)
		loader_came(came);
	registry_unlock();
	return event;
}

PUBLIC struct taffrail_declared *
taffrail_event_declare(const char *channel, const char *name,
		       const struct taffrail_event_field *fields,
		       unsigned int n)
{
	return marker_declare(&(struct wish){ .channel = channel, .name = name,
					      .fields = fields, .n = n });
}

PUBLIC struct taffrail_declared *
taffrail_event_declare_with(const char *channel, const char *name,
			    const struct taffrail_event_field *fields,
			    unsigned int n, const char *level,
			    const char *message)
{
	return marker_declare(&(struct wish){ .channel = channel, .name = name,
					      .level = level,
					      .message = message,
					      .fields = fields, .n = n });
}

static struct declaration *declaration_at(struct taffrail_declared *event)
{
	return (void *)((char *)event - offsetof(struct declaration, event));
}

uint8_t *marker_address(struct taffrail_declared *event)
{
	const struct object *object = declaration_at(event)->object;

	return object ? object->codes->address : NULL;
}

/* Declared markers. */
struct markers {
	struct taffrail_declared *const *events;
	uint32_t n;
};

static int markers_disable(void *arg)
{
	const struct markers *markers = arg;
	struct patcher patcher;
	struct object *object;

	patch_open(&patcher);
	for (uint32_t k = 0; k < markers->n; k++) {
		object = declaration_at(markers->events[k])->object;
		for (uint32_t i = 0; object && i < CHANNELS_MAX; i++)
			if (channel_used(i))
				object_disable(object, &channels[i], &patcher);
	}
	patch_close(&patcher);
	patch_grace();
	return 0;
}

int markers_off(struct taffrail_declared *const *events, uint32_t n)
{
	struct markers markers = { events, n };

	/* while the agent sleeps, every marker is off */
	return agent_off ? 0 : thread_run_wait(markers_disable, &markers);
}

void marker_forget(struct taffrail_declared *event)
{
	struct declaration *declaration = declaration_at(event);

	if (declaration->object)
		registry_undeclare(declaration->object);
	declaration->object = NULL;
}

PUBLIC void taffrail_event_undeclare(struct taffrail_declared *event)
{
	if (!event || agent_is_off())
		return;
	/* before this, a forked child takes the parent's threads for threads of
	 * the child */
	if (!agent_off && !load_relaxed(fork_mark))
		fork_revive();
	registry_lock();
	if (declaration_at(event)->object && !markers_off(&event, 1))
		marker_forget(event);
	registry_unlock();
}
