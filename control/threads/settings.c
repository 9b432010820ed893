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

static const struct {
	const char *name;
	const char **value;
} variables[] = {
	{ "TAFFRAIL_DIR=", &settings.directory },
	{ "XDG_RUNTIME_DIR=", &settings.runtime },
	{ "TAFFRAIL_ENABLE=", &settings.enable },
	{ "TAFFRAIL_JOIN=", &settings.join },
	{ "TAFFRAIL_CLOCK=", &settings.clock },
	{ "TAFFRAIL_SERVICE=", &settings.service },
	{ "TAFFRAIL_LOG=", &settings.log },
	{ "TAFFRAIL_GDB=", &settings.gdb },
	{ "TAFFRAIL_IPA=", &settings.ipa },
	{ "TAFFRAIL_CORE=", &settings.core },
	{ "TAFFRAIL_QUOTA=", &settings.quota },
	{ "TAFFRAIL_INT3=", &settings.int3 },
	{ "TAFFRAIL_SECCOMP=", &settings.seccomp },
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
				*variables[i].value = value;
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
