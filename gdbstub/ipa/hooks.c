/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls the functions on which gdbserver puts breakpoints (hooks-x86_64.S), and
 * takes back the breakpoints of a gdbserver that was killed.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "control/threads/thread.h"
#include "tracepoints/program/patch.h"

#define BREAKPOINT	0xcc
#define HOOK		0x90		/* as in hooks-x86_64.S */

static void (*const hooks[])(void) = { ipa_stop_tracing, ipa_flush,
				       ipa_request };

/* A breakpoint in a hook says that a gdbserver was killed: the next one gets
 * other memory. */
COLD int ipa_abandon(void *unused)
{
	struct patcher patcher;
	int traced = ipa_traced(unused);
	bool found = false;

	if (traced)
		return traced;
	ipa_forget();
	ipa_cells_clean();
	patch_open(&patcher);
	for (uint32_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		uint8_t *code = (uint8_t *)hooks[i];

		if (*(volatile uint8_t *)code != BREAKPOINT)
			continue;
		patch_byte(&patcher, code, HOOK);
		found = true;
	}
	if (found)
		ipa_move_on();
	patch_close(&patcher);
	return 0;
}

bool ipa_call(void (*hook)(void))
{
	if (*(const volatile uint8_t *)hook == BREAKPOINT &&
	    hook != ipa_request && thread_run(ipa_abandon, NULL) == 0)
		return false;
	hook();
	return true;
}
