/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets the handlers and limits of the recorder's own process.
 */
#include "command/record/private.h"

#include "base/base.h"
#include "command/common/limits.h"

volatile sig_atomic_t record_signal;
volatile sig_atomic_t record_signal_sent;
volatile sig_atomic_t record_signals;

SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	record_signal = number;
	record_signal_sent = info->si_code <= 0;
	record_signals++;
}

/* Installs the handlers. An ignored signal (nohup) stays ignored. */
static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	map_guard();
}

void record_prepare(void)
{
	catch_signals();
	limits_raise_files();
}
