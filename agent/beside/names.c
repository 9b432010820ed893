/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names by which providers register, in a program that the agent has come
 * into: in the table of symbols of stock's library they lead here, for modules
 * that are bound from then on.
 *
 * Invariant: a word is written only while it holds the expected value, because
 * stock's library may have gone.
 */
#include <link.h>

#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/threads/log.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/program/patch.h"

void *names_ours[2];

/* Stock's table of symbols. The registry's lock guards it. */
static struct led {
	uint64_t base;
	struct {
		uint64_t *at;
		uint64_t theirs;
		uint64_t ours;
	} words[2];
} led;

static int words_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char *const names[2] = { "lttng_ust_probe_register",
					      "lttng_ust_probe_unregister" };
	struct led *words = arg;
	int i;

	(void)size;
	if (!module_is_stock(info))
		return 0;
	words->base = info->dlpi_addr;
	for (i = 0; i < 2; i++) {
		words->words[i].at = module_symbol(info, names[i]);
		if (!words->words[i].at)
			return 0;
		words->words[i].theirs = load_relaxed(words->words[i].at);
		words->words[i].ours = (uint64_t)names_ours[i] - words->base;
	}
	return 1;
}

static int words_write(const struct led *words, bool ours)
{
	struct patcher patcher;
	uint64_t is, from, to;
	int ret = 0;
	int i;

	patch_open(&patcher);
	for (i = 0; i < 2 && !ret; i++) {
		from = ours ? words->words[i].theirs : words->words[i].ours;
		to = ours ? words->words[i].ours : words->words[i].theirs;
		if (sys_read_memory(sys_getpid(), &is,
				    (uint64_t)words->words[i].at,
				    sizeof(is)) == sizeof(is) &&
		    is == from)
			ret = patch_write(&patcher,
					  (uint8_t *)words->words[i].at,
					  (const uint8_t *)&to, sizeof(to));
	}
	patch_close(&patcher);
	return ret;
}

static int words_lead(void *words)
{
	return words_write(words, true);
}

void *names_theirs(void *function)
{
	int i = function == names_ours[1];

	if (!function || (function != names_ours[0] && !i))
		return function;
	return led.base ? (void *)(led.base + led.words[i].theirs) : NULL;
}

void names_lead(void)
{
	struct led now = { 0 };
	int ret;

	if (!modules_each(words_find, &now) ||
	    now.words[0].theirs == now.words[0].ours)
		return;
	/* a thread may look for stock's functions as soon as it is written */
	led = now;
	ret = thread_run_wait(words_lead, &now);
	if (ret)
		log_fact(LOG_WARNING, "lttng", "its names are not led here",
			 ret);
}

void names_lead_back(void)
{
	if (led.base)
		words_write(&led, false);
}
