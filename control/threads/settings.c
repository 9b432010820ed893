/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment's settings, and what start-up found out.
 *
 * Invariant: start-up writes them, and the code that detaches and wakes the
 * agent; all other code only reads.
 */
#include "control/threads/settings.h"

#include "base/base.h"
#include "base/preload.h"
#include "base/text.h"
#include "base/words.h"
#include "control/protocol.h"

struct settings settings;
const char *agent_off = PROTOCOL_NOT_STARTED;
const char agent_detached[] = "detached";
uint32_t agent_cpus;
uint32_t agent_cpus_online = 1;

/* Where the values go: offsets, as each pointer would take a relocation. */
static const struct {
	char name[18];
	uint16_t value;
} variables[] = {
	{ "TAFFRAIL_DIR=", offsetof(struct settings, directory) },
	{ "XDG_RUNTIME_DIR=", offsetof(struct settings, runtime) },
	{ "TAFFRAIL_ENABLE=", offsetof(struct settings, enable) },
	{ "TAFFRAIL_JOIN=", offsetof(struct settings, join) },
	{ "TAFFRAIL_CLOCK=", offsetof(struct settings, clock) },
	{ "TAFFRAIL_SERVICE=", offsetof(struct settings, service) },
	{ "TAFFRAIL_LOG=", offsetof(struct settings, log) },
	{ "TAFFRAIL_GDB=", offsetof(struct settings, gdb) },
	{ "TAFFRAIL_IPA=", offsetof(struct settings, ipa) },
	{ "TAFFRAIL_CORE=", offsetof(struct settings, core) },
	{ "TAFFRAIL_QUOTA=", offsetof(struct settings, quota) },
	{ "TAFFRAIL_INT3=", offsetof(struct settings, int3) },
	{ "TAFFRAIL_SECCOMP=", offsetof(struct settings, seccomp) },
};

static void environment_read(char **environment)
{
	uint32_t i;

	settings.preloaded = preload_named(environment);
	settings.words_unknown = words_unknown(environment);
	for (; environment && *environment; environment++) {
		for (i = 0; i < ARRAY_SIZE(variables); i++) {
			const char *value = text_after(*environment,
						       variables[i].name);

			if (value)
				*(const char **)((char *)&settings +
						 variables[i].value) = value;
		}
	}
}

/* Copies the settings that forked children read again: by then the program may
 * have written its title over its environment. `directory` and `runtime` hold
 * one character more than place.c has room for. */
static void settings_keep(void)
{
	static char directory[201];
	static char runtime[201];
	static char service[8];
	static char gdb[8];
	static char ipa_word[8];

	if (settings.directory) {
		text_copy(directory, sizeof(directory), settings.directory);
		settings.directory = directory;
	}
	if (settings.runtime) {
		text_copy(runtime, sizeof(runtime), settings.runtime);
		settings.runtime = runtime;
	}
	if (settings.service) {
		text_copy(service, sizeof(service), settings.service);
		settings.service = service;
	}
	if (settings.gdb) {
		text_copy(gdb, sizeof(gdb), settings.gdb);
		settings.gdb = gdb;
	}
	if (settings.ipa) {
		text_copy(ipa_word, sizeof(ipa_word), settings.ipa);
		settings.ipa = ipa_word;
	}
}

void settings_read(char **environment)
{
	environment_read(environment);
	settings_keep();
}

SIGSAFE int setting_is(const char *setting, const char *word)
{
	return setting && text_equal(setting, word);
}
