/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Learning of dlopen and dlclose: the dynamic linker calls an empty function,
 * _dl_debug_state (r_brk of struct r_debug, <link.h>), when its list of
 * modules changes and when it is consistent again. It is one `ret` and
 * padding; the padding gets the operand of a jump, then the `ret` becomes the
 * jump: one byte, as with sites, and dlopen itself is left alone (a wrapper
 * would change whose RUNPATH counts).
 *
 * At RT_DELETE modules are about to be unmapped: the registry's lock is held
 * until they are, so nobody writes into their code any more.
 */
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

#include "agent/agent.h"
#include "agent/fork.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "buffers/base.h"
#include "tracepoints/lock.h"

#define FOUND_MAX	4096
#define JUMP_BYTES	5

static struct object *found[FOUND_MAX];
static uint32_t nfound;
static int deleting;		/* guarded by the lock that it tells of */
static const volatile struct r_debug *debug;

static void object_found(struct object *object)
{
	if (nfound < FOUND_MAX)
		found[nfound++] = object;
	else
		log_fact(LOG_WARNING, "loader", "too many markers at once", 0);
}

static int found_apply(void *arg)
{
	struct patcher patcher;
	uint32_t i;

	(void)arg;
	patch_open(&patcher);
	for (i = 0; i < nfound; i++)
		session_module_came(found[i], &patcher);
	patch_close(&patcher);
	return 0;
}

static void modules_changed(void)
{
	registry_lock();
	nfound = 0;
	registry_object_found = object_found;
	registry_scan();
	if (nfound && session_any()) {
		if (!load_relaxed(fork_mark))
			fork_revive();
		thread_run_wait(found_apply, NULL);
	}
	registry_unlock();
}

/* Takes the place of _dl_debug_state: an ordinary call without arguments. */
static void loader_event(void)
{
	int state = debug->r_state;

	if (agent_off)
		return;
	if (state == RT_DELETE) {
		registry_lock();
		deleting = 1;
	} else if (state == RT_CONSISTENT) {
		modules_changed();
		if (deleting) {
			deleting = 0;
			registry_unlock();
		}
	}
}

/*
 * The linker's own struct r_debug, by way of the program's DT_DEBUG: where
 * the symbol _r_debug is copied into the program (a copy relocation, as of an
 * agent linked statically) that copy never changes. NULL in static programs.
 */
static const struct r_debug *debug_find(void)
{
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	uint64_t n = getauxval(AT_PHNUM);
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t base = 0;
	int based = 0;
	uint64_t i;

	for (i = 0; ph && i < n; i++) {
		if (ph[i].p_type != PT_PHDR)
			continue;
		base = (uint64_t)ph - ph[i].p_vaddr;
		based = 1;
	}
	/* static programs that relocate themselves have no PT_PHDR */
	for (i = 0; based && i < n; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + ph[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG)
			return (const struct r_debug *)dynamic->d_un.d_ptr;
	return NULL;
}

int loader_setup(void)
{
	struct patcher patcher;
	uint8_t jump[JUMP_BYTES] = { 0xe9 };
	uint8_t *code;
	int64_t distance;
	int32_t operand;
	int ret;

	debug = debug_find();
	if (!debug || !debug->r_brk)
		return 0;	/* static: nothing is ever loaded */
	code = (uint8_t *)debug->r_brk;
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		code += 4;	/* endbr64 */
	if (code[0] == 0xe9)
		return -EEXIST;	/* another copy of the agent was here */
	/* a `ret`, then padding: nops or int3 */
	if (code[0] != 0xc3 || (code[1] != 0x66 && code[1] != 0x0f &&
				code[1] != 0x90 && code[1] != 0xcc))
		return -EBUSY;
	distance = (int64_t)((uint8_t *)loader_event - (code + JUMP_BYTES));
	operand = (int32_t)distance;
	if (operand != distance)
		return -ERANGE;
	__builtin_memcpy(jump + 1, &operand, 4);
	patch_open(&patcher);
	ret = patch_bytes(&patcher, code, jump, JUMP_BYTES);
	patch_close(&patcher);
	return ret;
}
