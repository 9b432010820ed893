/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sessions of this process, by number and by name, and the state of modules
 * in the session pages.
 */
#include "base/base.h"
#include "buffers/clock.h"
#include "control/sessions/private.h"

struct session sessions[SESSIONS_MAX] TABLE;

struct session *session_at(uint32_t number)
{
	enum session_phase phase = number < SESSIONS_MAX ?
					   session_phase(number) : SESSION_FREE;

	return phase != SESSION_FREE && phase < SESSION_HELD ?
		       &sessions[number] : NULL;
}

struct session *session_find(const char *name)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_at(i) && text_equal(sessions[i].name, name))
			return &sessions[i];
	return NULL;
}

void session_modules_end(struct session *session)
{
	struct session_page *page = session->channel->page;

	if (session->symbols && !page->modules_end)
		page->modules_end = clock_read();
}

void session_modules_change(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX && load_relaxed(fork_mark); i++)
		if (session_phase(i) == SESSION_RUNS)
			session_modules_end(&sessions[i]);
}
