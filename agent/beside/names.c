/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names by which providers register, in a program that the agent has come
 * into: in the table of symbols of stock's library they lead here, for modules
 * that are bound from then on.
 *
 * glibc before 2.41 tells of modules before it binds them; later releases tell
 * when they are bound, and before their constructors. There the entries of
 * modules that came with stock's library, in one dlopen(), are led here, too.
 *
 * Invariant: a word is written only while it holds the expected value, because
 * stock's library may have gone.
 */
#include <errno.h>
#include <link.h>

#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/threads/log.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/program/patch.h"

#define WORDS		2
#define BOUND_MAX	512

void *names_ours[NAMES_OURS] EARLY;

struct word {
	uint64_t *at;
	uint64_t theirs;
	uint64_t ours;
};

/* Entries of modules that are bound to stock. They stay led here: a provider
 * that has registered here also leaves here. The registry's lock guards them
 * and the tables below. */
static struct word bound[BOUND_MAX] TABLE;
static uint32_t nbound;

/* Stock's tables of symbols: of LTTng-UST 2.13 and later, and of 2.12 and
 * older. */
static struct led {
	const char *library;
	const char *names[WORDS];
	uint64_t base;
	struct word words[WORDS];
} led[] = {
	{ .library = UST_LIBRARY,
	  .names = { "lttng_ust_probe_register",
		     "lttng_ust_probe_unregister" } },
	{ .library = OLDER_LIBRARY,
	  .names = { "lttng_probe_register", "lttng_probe_unregister" } },
};

static int words_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct led *words = arg;

	if (!module_is(info, words->library))
		return 0;
	words->base = info->dlpi_addr;
	for (int i = 0; i < WORDS; i++) {
		words->words[i].at = module_symbol(info, words->names[i]);
		if (!words->words[i].at)
			return 0;
		words->words[i].theirs = load_relaxed(words->words[i].at);
		words->words[i].ours -= words->base;
	}
	return 1;
}

static void entry_note(uint64_t *at, const char *name, void *arg)
{
	const struct led *words = arg;
	uint64_t is = load_relaxed(at) - words->base;

	for (int i = 0; i < WORDS; i++)
		if (nbound < BOUND_MAX && is == words->words[i].theirs)
			bound[nbound++] = (struct word){
				at, is + words->base,
				words->words[i].ours + words->base };
}

/* Notes the entries of a module that calls stock's function. */
static int module_note(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct led *words = arg;

	if (module_is(info, words->library) ||
	    module_needs(info, words->names[0]))
		module_entries(info, entry_note, arg);
	return 0;
}

static int words_write(const struct word *words, uint32_t n, bool ours)
{
	struct patcher patcher;
	uint64_t is, from, to;
	int ret = 0;

	patch_open(&patcher);
	for (uint32_t i = 0; i < n && !ret; i++) {
		from = ours ? words[i].theirs : words[i].ours;
		to = ours ? words[i].ours : words[i].theirs;
		if (sys_read_memory(sys_getpid(), &is, (uint64_t)words[i].at,
				    sizeof(is)) == sizeof(is) &&
		    is == from)
			ret = patch_write(&patcher, (uint8_t *)words[i].at,
					  (const uint8_t *)&to, sizeof(to));
	}
	patch_close(&patcher);
	return ret;
}

static int words_lead(void *arg)
{
	const struct led *words = arg;
	int ret = words_write(words->words, WORDS, true);

	return ret ? ret : words_write(bound, nbound, true);
}

void *names_theirs(void *function)
{
	int i = 0;

	while (i < NAMES_OURS && function != names_ours[i])
		i++;
	if (!function || i == NAMES_OURS)
		return function;
	return led[i / WORDS].base ?
		       (void *)(led[i / WORDS].base +
				led[i / WORDS].words[i % WORDS].theirs) : NULL;
}

/* The names lead here, or will once there is a library. The registry's lock
 * guards it. */
static bool leading;

static void library_lead(uint32_t which, bool mapped)
{
	struct led now = led[which];
	int ret;

	for (int i = 0; i < WORDS; i++)
		now.words[i].ours =
			(uint64_t)names_ours[which * WORDS + (uint32_t)i];
	if (!modules_each(words_find, &now) ||
	    now.words[0].theirs == now.words[0].ours)
		return;
	/* a thread may look for stock's functions as soon as it is written */
	led[which] = now;
	nbound = 0;
	if (mapped)
		modules_each(module_note, &now);
	ret = thread_run_wait(words_lead, &now);
	if (nbound == BOUND_MAX)
		ret = -E2BIG;
	if (ret)
		log_fact(LOG_WARNING, "lttng", "its names are not led here",
			 ret);
}

void names_lead(bool mapped)
{
	leading |= !mapped;
	for (uint32_t i = 0; leading && i < ARRAY_SIZE(led); i++)
		library_lead(i, mapped);
}

void names_lead_back(void)
{
	leading = false;
	for (uint32_t i = 0; i < ARRAY_SIZE(led); i++)
		if (led[i].base)
			words_write(led[i].words, WORDS, false);
}
