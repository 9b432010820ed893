/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a command has done with a session, as text.
 */
#include "command/processes/act.h"

#include <pwd.h>
#include <stdio.h>
#include <time.h>

void act_print(const char *what, const struct session_act *act)
{
	time_t seconds = (time_t)(act->realtime_ns / 1000000000);
	const struct passwd *user = getpwuid(act->uid);
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	if (user)
		printf("%s by %s", what, user->pw_name);
	else
		printf("%s by uid %u", what, act->uid);
	if (act->pid)
		printf(", process %u", act->pid);
	printf(", %s", when);
}
