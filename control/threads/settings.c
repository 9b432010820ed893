/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment's settings, and the facts that start-up found out.
 *
 * Invariant: start-up writes them, and the code that detaches and wakes the
 * agent; all other code only reads.
 */
#include "control/threads/settings.h"

#include <stdbool.h>

#include "base/base.h"
#include "base/file.h"
#include "base/preload.h"
#include "base/text.h"
#include "buffers/words.h"
#include "control/protocol.h"

struct settings settings EARLY;
const char *agent_off = PROTOCOL_NOT_STARTED;
const char agent_detached[] = "detached";
uint32_t agent_cpus;
uint32_t agent_cpus_online = 1;
uint32_t agent_signal;
uint32_t start_deferred;
uint32_t start_noted;
bool start_others;

/* Where the values go: offsets, as each pointer would take a relocation. */
static const struct {
	char name[22];
	uint16_t value;
} variables[] = {
	{ "TAFFRAIL_DIR=", offsetof(struct settings, directory) },
	{ "XDG_RUNTIME_DIR=", offsetof(struct settings, runtime) },
	{ "TAFFRAIL_ENABLE=", offsetof(struct settings, enable) },
	{ "TAFFRAIL_SESSION=", offsetof(struct settings, session) },
	{ "TAFFRAIL_CONTEXT=", offsetof(struct settings, context) },
	{ "TAFFRAIL_BUFFER_SIZE=", offsetof(struct settings, buffer) },
	{ "TAFFRAIL_KEEP=", offsetof(struct settings, keep) },
	{ "TAFFRAIL_JOIN=", offsetof(struct settings, join) },
	{ "TAFFRAIL_CLOCK=", offsetof(struct settings, clock) },
	{ "TAFFRAIL_SERVICE=", offsetof(struct settings, service) },
	{ "TAFFRAIL_SIGNAL=", offsetof(struct settings, signal) },
	{ "TAFFRAIL_IDLE=", offsetof(struct settings, idle) },
	{ "TAFFRAIL_LOG=", offsetof(struct settings, log) },
	{ "TAFFRAIL_GDB=", offsetof(struct settings, gdb) },
	{ "TAFFRAIL_IPA=", offsetof(struct settings, ipa) },
	{ "TAFFRAIL_CORE=", offsetof(struct settings, core) },
	{ "TAFFRAIL_QUOTA=", offsetof(struct settings, quota) },
	{ "TAFFRAIL_INT3=", offsetof(struct settings, int3) },
	{ "TAFFRAIL_LOAD=", offsetof(struct settings, load) },
	{ "TAFFRAIL_SECCOMP=", offsetof(struct settings, seccomp) },
	{ "LD_AUDIT=", offsetof(struct settings, audit) },
};

#define PATH_KEPT	201	/* one more than place.c has room for */
#define WORD_KEPT	8
#define KEPT_BYTES	(2 * PATH_KEPT + PROTOCOL_JOIN_BYTES + 4 * WORD_KEPT)

/* Settings that are read after the start. */
static const struct {
	uint16_t value;
	uint16_t bytes;
} keeps[] = {
	{ offsetof(struct settings, directory), PATH_KEPT },
	{ offsetof(struct settings, runtime), PATH_KEPT },
	{ offsetof(struct settings, join), PROTOCOL_JOIN_BYTES },
	{ offsetof(struct settings, service), WORD_KEPT },
	{ offsetof(struct settings, gdb), WORD_KEPT },
	{ offsetof(struct settings, idle), WORD_KEPT },
	{ offsetof(struct settings, ipa), WORD_KEPT },
};

#define SIGNAL_FIRST	34	/* glibc's SIGRTMIN and SIGRTMAX */
#define SIGNAL_LAST	64
#define SIGNAL_DEFAULT	(SIGNAL_LAST - 3)

/* Takes the word off the list, so no program gets it that the agent of this one
 * does not see. */
static bool unfiltered_take(const char *list)
{
	while (list && *list && !text_equal(list, PROTOCOL_JOIN_UNFILTERED))
		list++;
	if (!list || !*list)
		return false;
	__builtin_memset((char *)list, 0, sizeof(PROTOCOL_JOIN_UNFILTERED));
	return true;
}

void settings_read(char **environment)
{
	static char kept[KEPT_BYTES] EARLY;
	const char **setting;
	char *room = kept;
	const char *text;
	int64_t number;

	settings.preloaded = preload_named(environment);
	settings.words_unknown = words_unknown(environment);
	for (; environment && *environment; environment++) {
		for (uint32_t i = 0; i < ARRAY_SIZE(variables); i++) {
			const char *name = variables[i].name;
			const char *value = **environment == *name ?
				text_after(*environment, name) : NULL;

			if (value)
				*(const char **)((char *)&settings +
						 variables[i].value) = value;
		}
	}
	settings.unfiltered = unfiltered_take(settings.join);
	text = settings.signal;
	number = text ? text_number(&text) : -1;
	agent_signal = 0;
	if (setting_is(settings.service, "signal"))
		agent_signal = number < SIGNAL_FIRST || number > SIGNAL_LAST ||
			       *text ? SIGNAL_DEFAULT : (uint32_t)number;
	/* copies, because the program may write a title over the
	 * environment */
	for (uint32_t i = 0; i < ARRAY_SIZE(keeps); i++) {
		setting = (const char **)((char *)&settings + keeps[i].value);
		if (!*setting)
			continue;
		text_copy(room, keeps[i].bytes, *setting);
		*setting = room;
		/* close together: few pages are touched */
		room += text_length(room) + 1;
	}
}

SIGSAFE bool settings_join_next(const char **list, char *name, size_t size)
{
	struct text text;

	while (*list && **list) {
		text_open(&text, name, size);
		while (**list && **list != PROTOCOL_JOIN_SEPARATOR)
			text_add_char(&text, *(*list)++);
		*list += !!**list;
		if (!text.cut && file_name_plain(name))
			return true;
	}
	return false;
}

SIGSAFE bool settings_joins(const char *list, const char *name)
{
	char other[PROTOCOL_JOIN_NAME_BYTES];

	while (settings_join_next(&list, other, sizeof(other)))
		if (text_equal(name, other))
			return true;
	return false;
}

SIGSAFE bool settings_inheritance(const char *name)
{
	while (*name && *name != PROTOCOL_INHERITANCE)
		name++;
	return !!*name;
}

SIGSAFE bool settings_bequeaths(void)
{
	const char *list = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];

	while (settings_join_next(&list, name, sizeof(name)))
		if (settings_inheritance(name))
			return true;
	return false;
}

#define JOIN	PROTOCOL_JOIN_ENV "="

/* Returns the bytes of a copy that has one more variable than this one. */
static size_t copy_bytes(char *const *environment)
{
	size_t n = 2;

	for (; environment && *environment; environment++)
		n++;
	return n * sizeof(*environment) + sizeof(JOIN) + PROTOCOL_JOIN_BYTES;
}

SIGSAFE size_t settings_hand_room(char *const *environment)
{
	return load_relaxed(&settings.join) ? copy_bytes(environment) : 0;
}

SIGSAFE char **settings_hand_on(char *const *environment, void *room,
				bool unfiltered)
{
	const char *handed = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];
	int added = 0;
	char **copy = room;
	char **next = copy;
	char *const *p;
	const char *list = NULL;
	struct text text;
	size_t bytes = sizeof(JOIN) + PROTOCOL_JOIN_BYTES;

	/* another thread may have taken the sessions back since the room was
	 * made, as `taffrail` does when it unloads the agent */
	text_open(&text, (char *)room + copy_bytes(environment) - bytes, bytes);
	for (p = environment; p && *p; p++) {
		if (text_after(*p, JOIN))
			list = text_after(*p, JOIN);
		else
			*next++ = *p;
	}
	text_add(&text, JOIN);
	*next++ = text.start;
	*next = NULL;
	/* the inheritance files that the list lacks */
	text_add(&text, list ? list : "");
	while (settings_join_next(&handed, name, sizeof(name))) {
		if (!settings_inheritance(name) || settings_joins(list, name))
			continue;
		if (added++ || (list && *list))
			text_add_char(&text, PROTOCOL_JOIN_SEPARATOR);
		text_add(&text, name);
	}
	unfiltered &= list && *list;
	if (unfiltered)
		text_add(&text, PROTOCOL_JOIN_UNFILTERED);
	return (added || unfiltered) && !text.cut ? copy : (char **)environment;
}

SIGSAFE bool setting_is(const char *setting, const char *word)
{
	return setting && text_equal(setting, word);
}
