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
#include <sys/mman.h>
#include <sys/auxv.h>

#include "agent/agent.h"
#include "agent/fork.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "buffers/base.h"
#include "buffers/sys.h"
#include "tracepoints/lock.h"

#define JUMP_BYTES	5
#define ISLAND_STEP	(1ull << 20)
#define ISLAND_REACH	(1ull << 30)

static struct object *found;
static int deleting;		/* guarded by the lock that it tells of */
static const volatile struct r_debug *debug;

static void object_found(struct object *object)
{
	object->next_found = found;
	found = object;
}

static int found_apply(void *arg)
{
	struct patcher patcher;
	struct object *object;

	(void)arg;
	patch_open(&patcher);
	for (object = found; object; object = object->next_found)
		session_module_came(object, &patcher);
	patch_close(&patcher);
	return 0;
}

static void modules_changed(void)
{
	registry_lock();
	found = NULL;
	registry_object_found = object_found;
	registry_scan();
	if (found && session_any()) {
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

static int in_reach(const uint8_t *code, const uint8_t *target)
{
	int64_t distance = target - (code + JUMP_BYTES);

	return distance == (int32_t)distance;
}

/*
 * A page with a jump to loader_event(), near the linker: where the agent is
 * part of an executable it is too far away for the jump's operand. Returns
 * NULL when there is no free page within reach.
 */
static uint8_t *island_make(const uint8_t *code)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t target = (uint64_t)loader_event;
	uint64_t base = (uint64_t)code & ~4095ull;
	uint64_t step;

	for (step = ISLAND_STEP; step < ISLAND_REACH; step += ISLAND_STEP) {
		uint8_t *page = (uint8_t *)(base - step);
		long p = sys_mmap(page, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS |
					  MAP_FIXED_NOREPLACE,
				  -1, 0);

		if (p != (long)page) {
			/* kernels before 4.17 take the address as a hint */
			if (p > 0)
				sys_munmap(p, 4096);
			continue;
		}
		__builtin_memcpy(page, jump, sizeof(jump));
		__builtin_memcpy(page + sizeof(jump), &target, 8);
		if (!sys_mprotect(page, 4096, PROT_READ | PROT_EXEC))
			return page;
		sys_munmap(page, 4096);
		return NULL;
	}
	return NULL;
}

const volatile void *loader_debug(void)
{
	return debug;
}

int loader_setup(void)
{
	struct patcher patcher;
	uint8_t jump[JUMP_BYTES] = { 0xe9 };
	uint8_t *code;
	uint8_t *target;
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
	target = (uint8_t *)loader_event;
	if (!in_reach(code, target))
		target = island_make(code);
	if (!target)
		return -ERANGE;
	operand = (int32_t)(target - (code + JUMP_BYTES));
	__builtin_memcpy(jump + 1, &operand, 4);
	patch_open(&patcher);
	ret = patch_bytes(&patcher, code, jump, JUMP_BYTES);
	patch_close(&patcher);
	return ret;
}
