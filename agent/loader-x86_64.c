/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows dlopen and dlclose: the dynamic linker calls an empty function,
 * _dl_debug_state (r_brk of struct r_debug, <link.h>), before the list of
 * modules changes and when it is consistent again. The function is one `ret`
 * and padding. The padding gets the operand of a jump, then the `ret` becomes
 * the jump: one byte, as with sites. dlopen itself is not wrapped: a wrapper
 * would change whose RUNPATH counts.
 *
 * A debugger that started the program has a breakpoint on that `ret`, and
 * removes and inserts it as it runs: a jump there would be lost. Then the
 * linker's calls of the function are led here instead, and from here to the
 * function, so the debugger sees the calls as before.
 *
 * To write that jump costs a short program a tenth of the agent's start. So
 * where files are put off (deferred.c), the linker's pointer to calloc() leads
 * here first: the linker takes memory there before it maps a module, and that
 * makes the files, and writes the jump. glibc has the pointer since 2.32, in
 * memory that it has made read-only.
 *
 * At RT_DELETE modules are about to be unmapped. The registry's lock is held
 * until they are unmapped, so no thread writes into their code meanwhile.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "agent/declare.h"
#include "agent/fork.h"
#include "agent/fork-private.h"
#include "agent/late.h"
#include "agent/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "gdbstub/ipa/ipa.h"
#include "gdbstub/tracing/run.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/lock.h"

#define JUMP_BYTES	5
#define ISLAND_STEP	(1ull << 20)
#define ISLAND_REACH	(1ull << 30)
#define CALLS_MAX	32
#define DTV_BYTES	16	/* of an entry in a thread's table of TLS */
#define OPCODE_CALL	0xe8
#define OPCODE_JUMP	0xe9
#define OPCODE_RET	0xc3
#define OPCODE_TRAP	0xcc

/* Stands before the code that a patched linker leads to: a second copy of the
 * agent recognises the first one by it. */
#define TAG		"taffrail loader"
#define TAG_BYTES	16

#define ENTRY(name, function)                                          \
	__asm__(".pushsection .text\n\t"                               \
		".balign 16\n\t"                                       \
		".asciz \"" TAG "\"\n\t"                               \
		".globl " #name "\n\t"                                 \
		".hidden " #name "\n"                                  \
		#name ":\tjmp " #function "\n\t"                       \
		".popsection");                                        \
	extern const uint8_t name[]                                    \
		__attribute__((visibility("hidden")))

__attribute__((visibility("hidden"))) void loader_event(void);
__attribute__((visibility("hidden"))) void loader_called(void);

ENTRY(loader_event_entry, loader_event);
ENTRY(loader_called_entry, loader_called);

void (*late_mapped)(void);

static struct object *found;
static int deleting;		/* the registry's lock is held; guarded by it */
static const volatile struct r_debug *debug;
static int calls_led;		/* all the linker's calls lead here */
static uint8_t *jump_at;	/* our jump in place of a `ret`, or NULL */
static uint8_t padding[JUMP_BYTES - 1];	/* the bytes before the patch */
static uint64_t *calloc_led;	/* the linker's pointer to calloc(), while it
				 * leads here, or NULL */
static void *(*calloc_next)(size_t n, size_t each);

static void object_found(struct object *object)
{
	object->next_found = found;
	found = object;
}

/* `declared`: those that came are in no module, so no probe came with them. A
 * look for probes walks over all markers. */
static int found_apply(void *declared)
{
	struct patcher patcher;
	struct object *object;
	bool settled = false, refused = false;

	patch_open(&patcher);
	for (object = found; object; object = object->next_found) {
		session_module_came(object, &patcher);
		ipa_module_came(object, &patcher);
		run_module_came(object, &patcher);
		settled |= object->codes && object->codes->flags & CODE_SETTLED;
		refused |= object->codes && object->codes->refused;
	}
	if (!declared)
		session_adopt(&patcher), run_adopted(&patcher),
			prints_adopted(&patcher);
	else if (settled)
		session_settled_came(&patcher);
	patch_close(&patcher);
	/* mostly a declared marker has no code that could not be switched, and
	 * the look is a walk over all markers */
	if (!declared || refused)
		session_untaken_look();
	if (!declared)
		session_modules_tell();
	return 0;
}

/* Returns true when a session may want the markers that came. Revives a child
 * for them, but not one that only the parent's debugger has traced. */
static bool found_wanted(void)
{
	int living = !!load_relaxed(fork_mark);

	if (!session_any() && !session_client_attached())
		return living && session_any_owned();
	if (!living)
		fork_revive();
	return true;
}

static void modules_changed(void)
{
	int came;

	registry_lock();
	found = NULL;
	registry_object_found = object_found;
	came = registry_scan();
	/* a session may want USDT probes of the modules that came: these are
	 * looked up in the modules' files, and no child is revived for that.
	 * pthread_cancel() in a destructor brings a library with probes */
	if ((found ? found_wanted() :
		     came && load_relaxed(fork_mark) && session_any() &&
			     !(process.page &&
			       process.page->state == PROCESS_EXITED)) ||
	    (session_symbols && load_relaxed(fork_mark)))
		thread_run_wait(found_apply, NULL);
	if (late_mapped)
		late_mapped();
	registry_unlock();
}

void loader_came(struct object *objects)
{
	found = objects;
	/* a worker takes a tenth of a millisecond, on a busy machine many */
	if (session_may_want(objects) && found_wanted())
		thread_run_wait(found_apply, objects);
	if (registry_changed)
		registry_changed();
}

void loader_look(void)
{
	modules_changed();
}

/* Gives the lock back that an RT_DELETE before has taken, if any. */
static void deleting_end(int state)
{
	if (state != RT_CONSISTENT || !deleting)
		return;
	deleting = 0;
	registry_unlock();
}

#define STACK_WORDS	512	/* more than modules_changed() takes */

/* Clears the stack that calls before have used. Frames of the dynamic linker do
 * not write all of their words: a return address of the agent's in one would be
 * a reason not to unload it (command/attach/proof.c). */
static __attribute__((noinline)) void stack_forget(void)
{
	uint64_t words[STACK_WORDS];

	__builtin_memset(words, 0, sizeof(words));
	__asm__ volatile("" : : "r"(words) : "memory");
}

/* Takes the place of _dl_debug_state: an ordinary call without arguments. */
void loader_event(void)
{
	int state = modules_state(debug);

	if (agent_off)
		return;
	if (state != RT_ADD)
		fork_need_files();
	if (session_symbols)
		session_modules_change();
	/* no session begins here any more, and no command lists markers */
	if (thread_forbidden()) {
		deleting_end(state);
		return;
	}
	if (state == RT_DELETE) {
		registry_lock();
		/* the agent may have been detached while this thread waited */
		deleting = !agent_off;
		if (!deleting)
			registry_unlock();
	} else if (state == RT_CONSISTENT) {
		modules_changed();
		deleting_end(state);
		stack_forget();
	}
}

/* Takes the place of a call of _dl_debug_state. Calls the function first: a
 * debugger may stop the program there, and no lock must be held then. */
void loader_called(void)
{
	((void (*)(void))debug->r_brk)();
	if (calls_led)
		loader_event();
}

static bool in_reach(const uint8_t *code, const uint8_t *target)
{
	int64_t distance = target - (code + JUMP_BYTES);

	return distance == (int32_t)distance;
}

/*
 * Returns `entry`, where the operand of the linker's jump reaches it; else a
 * page near the linker that has a jump to it: an agent that is part of an
 * executable is too far away. Returns NULL when there is no free page within
 * reach.
 */
static const uint8_t *entry_near(const uint8_t *code, const uint8_t *entry)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t base = (uint64_t)code & ~4095ull;
	uint64_t step;

	if (in_reach(code, entry))
		return entry;
	for (step = ISLAND_STEP; step < ISLAND_REACH; step += ISLAND_STEP) {
		uint8_t *page = (uint8_t *)(base - step);
		long p = sys_mmap(page, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS |
					  MAP_FIXED_NOREPLACE,
				  -1, 0);
		uint8_t *to = page + TAG_BYTES;

		if (p != (long)page) {
			/* kernels before 4.17 take the address as a hint */
			if (p > 0)
				sys_munmap(p, 4096);
			continue;
		}
		__builtin_memcpy(page, TAG, TAG_BYTES);
		__builtin_memcpy(to, jump, sizeof(jump));
		__builtin_memcpy(to + sizeof(jump), &entry, 8);
		if (!sys_mprotect(page, 4096, PROT_READ | PROT_EXEC))
			return to;
		sys_munmap(page, 4096);
		return NULL;
	}
	return NULL;
}

/* Returns the target of a jump or call of five bytes at `code`. */
static const uint8_t *jump_target(const uint8_t *code)
{
	int32_t operand;

	__builtin_memcpy(&operand, code + 1, 4);
	return code + JUMP_BYTES + operand;
}

/* Writes the operand of a jump or call of five bytes at `code`, and leaves the
 * first byte. */
static int jump_retarget(const struct patcher *patcher, uint8_t *code,
			 const uint8_t *target)
{
	int32_t operand = (int32_t)(target - (code + JUMP_BYTES));

	return patch_bytes(patcher, code + 1, (const uint8_t *)&operand, 4);
}

/* Returns true when nops or int3 leave room for a jump's operand. */
static bool room_padded(const uint8_t *code)
{
	return code[1] == 0x66 || code[1] == 0x0f || code[1] == 0x90 ||
	       code[1] == OPCODE_TRAP;
}

/* Returns true when the operand at `code` leads to a copy of the agent. Behind
 * a debugger's byte it may be any bytes, so the kernel reads the memory that it
 * leads to. */
static bool taken_already(const struct patcher *patcher, const uint8_t *code)
{
	char tag[TAG_BYTES] = "";

	if (code[0] == OPCODE_JUMP)
		return true;
	if (code[0] == OPCODE_RET && room_padded(code))
		return false;
	return patch_memory(patcher) >= 0 &&
	       sys4(SYS_pread64, patcher->mem, tag, sizeof(tag),
		    jump_target(code) - TAG_BYTES) == sizeof(tag) &&
	       !__builtin_memcmp(tag, TAG, TAG_BYTES);
}

/*
 * Leads the linker's calls of the function here: bytes that would call it or
 * jump to it, in the linker's code, which lies in one segment. Other bytes look
 * the same only if they contain the exact distance to the function by chance.
 *
 * A thread that executes the calls holds the linker's lock, or is alone in the
 * process, so no thread executes them now. Calls that were led here before an
 * error stay: they go on to the function.
 */
static int calls_redirect(const struct patcher *patcher, uint8_t *code)
{
	uint8_t *base = (uint8_t *)debug->r_ldbase;
	const Elf64_Ehdr *header = (const void *)base;
	const Elf64_Phdr *ph, *phend;
	uint8_t *calls[CALLS_MAX];
	const uint8_t *target;
	uint8_t *at, *end;
	uint32_t n = 0;
	int ret = 0;

	if (!base || __builtin_memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -EBUSY;
	ph = (const void *)(base + header->e_phoff);
	phend = ph + header->e_phnum;
	while (ph < phend && (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X)))
		ph++;
	if (ph == phend)
		return -EBUSY;
	at = base + ph->p_vaddr;
	end = at + ph->p_memsz;
	for (; end - at >= JUMP_BYTES && n < CALLS_MAX; at++)
		if ((*at == OPCODE_CALL || *at == OPCODE_JUMP) &&
		    jump_target(at) == (const uint8_t *)debug->r_brk)
			calls[n++] = at;
	/* so many cannot be calls of this function */
	if (!n || n == CALLS_MAX)
		return -EBUSY;
	target = entry_near(code, loader_called_entry);
	if (!target)
		return -ERANGE;
	for (uint32_t i = 0; i < n && !ret; i++)
		ret = in_reach(calls[i], target) ?
			      jump_retarget(patcher, calls[i], target) :
			      -ERANGE;
	calls_led = !ret;
	/* a second copy finds this operand; the first byte is the debugger's */
	if (!ret && (code[0] == OPCODE_TRAP || code[0] == OPCODE_RET) &&
	    room_padded(code))
		jump_retarget(patcher, code, target);
	return ret;
}

/* Writes a jump in place of a `ret` and the padding behind it. */
static int jump_write(const struct patcher *patcher, uint8_t *code,
		      const uint8_t *target, bool alone)
{
	int32_t operand = (int32_t)(target - (code + JUMP_BYTES));
	uint8_t bytes[JUMP_BYTES] = { OPCODE_JUMP };

	__builtin_memcpy(bytes + 1, &operand, sizeof(operand));
	return alone ? patch_write(patcher, code, bytes, sizeof(bytes)) :
		       patch_bytes(patcher, code, bytes, sizeof(bytes));
}

/* Returns the `ret` of the function. The jump goes behind an endbr64, also when
 * a debugger's int3 is the first byte. */
static uint8_t *debug_code(void)
{
	uint8_t *code = (uint8_t *)debug->r_brk;

	if ((code[0] == 0xf3 || code[0] == OPCODE_TRAP) && code[1] == 0x0f &&
	    code[2] == 0x1e && code[3] == 0xfa)
		code += 4;
	return code;
}

/* Takes the place of calloc() for the linker, until the files are made. Not for
 * tables of a new thread's memory. A child of vfork(2) makes no files: the
 * parent does so when it goes on, and looks for the module. */
static void *loader_calloc(size_t n, size_t each)
{
	if (each != DTV_BYTES && !agent_off) {
		fork_need_files();
		if (start_deferred && !load_relaxed(fork_mark))
			store_relaxed(&start_noted, 1);
	}
	return calloc_next(n, each);
}

/* Writes into memory that the linker has made read-only. Other threads may read
 * it meanwhile. */
static bool calloc_lead(uint64_t *at, uint64_t function)
{
	uint64_t page = (uint64_t)at & ~4095ull;

	if (sys_mprotect(page, 4096, PROT_READ | PROT_WRITE))
		return false;
	store_relaxed(at, function);
	sys_mprotect(page, 4096, PROT_READ);
	return true;
}

/* Returns the one word of the linker's read-only memory that has this value, or
 * NULL. */
static uint64_t *linker_word(uint64_t value)
{
	uint64_t base = debug->r_ldbase;
	const Elf64_Ehdr *header = (const void *)base;
	const Elf64_Phdr *ph, *end;
	uint64_t *at, *only = NULL;

	if (!base || __builtin_memcmp(header->e_ident, ELFMAG, SELFMAG))
		return NULL;
	ph = (const void *)(base + header->e_phoff);
	end = ph + header->e_phnum;
	while (ph < end && ph->p_type != PT_GNU_RELRO)
		ph++;
	if (ph == end)
		return NULL;
	at = (uint64_t *)(base + align_up(ph->p_vaddr, 8));
	/* the linker protects whole pages */
	for (base = (base + ph->p_vaddr + ph->p_memsz) & ~4095ull;
	     (uint64_t)at < base; at++) {
		if (*at == value && only)
			return NULL;
		if (*at == value)
			only = at;
	}
	return only;
}

bool loader_defer(void)
{
	uint64_t *at = NULL;
	uint8_t *code;

	debug = modules_debug();
	code = debug && debug->r_brk && libc_calloc ? debug_code() : NULL;
	if (code && code[0] == OPCODE_RET && room_padded(code) &&
	    in_reach(code, loader_event_entry))
		*(void **)&calloc_next = libc_calloc();
	if (calloc_next)
		at = linker_word((uint64_t)calloc_next);
	if (at && calloc_lead(at, (uint64_t)loader_calloc))
		calloc_led = at;
	return calloc_led;
}

int loader_setup(bool alone)
{
	struct patcher patcher;
	const uint8_t *target;
	uint8_t *code;
	int ret;

	if (calls_led || jump_at)
		return 0;
	debug = modules_debug();
	if (!debug || !debug->r_brk)
		return 0;	/* static: nothing is ever loaded */
	code = debug_code();
	patch_open(&patcher);
	if (taken_already(&patcher, code)) {
		ret = -EEXIST;
	} else if (code[0] != OPCODE_RET || !room_padded(code)) {
		ret = calls_redirect(&patcher, code);
	} else {
		target = entry_near(code, loader_event_entry);
		__builtin_memcpy(padding, code + 1, sizeof(padding));
		ret = target ? jump_write(&patcher, code, target, alone) :
			       -ERANGE;
		jump_at = ret ? NULL : code;
	}
	patch_close(&patcher);
	if (calloc_led && calloc_lead(calloc_led, (uint64_t)calloc_next))
		calloc_led = NULL;
	return ret;
}

bool loader_undone(void)
{
	return !jump_at && !calls_led && !calloc_led;
}

/* Where a debugger is, the linker's calls stay led here: they go on to the
 * function. */
void loader_undo(void)
{
	struct patcher patcher;

	if (!jump_at)
		return;
	patch_open(&patcher);
	patch_byte(&patcher, jump_at, OPCODE_RET);
	patch_close(&patcher);
	/* now no thread executes the jump */
	patch_open(&patcher);
	patch_bytes(&patcher, jump_at + 1, padding, sizeof(padding));
	patch_close(&patcher);
	jump_at = NULL;
}
