/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ctrl-C ends a look that goes on.
 */
#include <signal.h>

#include "command/look/look.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

void look_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool look_interrupted(void)
{
	return interrupted;
}
