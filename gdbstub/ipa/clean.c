/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes back the leftovers of a killed gdbserver: frames, breakpoints in the
 * agent's hooks (hooks.c), and jumps to its pads. Jumps at markers are taken
 * back. The agent does not know of jumps at other places. So the old pads must
 * stay as they are, and the data that they point to; the next gdbserver gets
 * another part of the memory for both. Nothing is taken back while the kernel
 * says that the program is debugged.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "tracepoints/sites/lock.h"

#define JUMP		0xe9

/* Puts the agent's own code back at all sites that lead to a pad, by a jump of
 * gdbserver behind the first byte. */
static int object_clean(struct object *object, void *patcher)
{
	struct code *code;
	int32_t distance;

	for (code = object->codes; code; code = code->next) {
		/* without a stub, one byte may be all that is mapped */
		if (!code->stub)
			continue;
		__builtin_memcpy(&distance, code->address + 2,
				 sizeof(distance));
		if (code->address[1] == JUMP &&
		    ipa_is_pad(code->address + 6 + distance))
			patch_restore(patcher, code->address, code->stub,
				      !!object->on);
	}
	return 0;
}

COLD void ipa_clean(void)
{
	struct patcher patcher;

	if (ipa_abandon(NULL))
		return;
	registry_lock();
	patch_open(&patcher);
	registry_each(object_clean, &patcher);
	patch_close(&patcher);
	registry_unlock();
}
