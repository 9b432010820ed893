/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sites that a session switches on or off while gdbserver has a jump there.
 *
 *	site:	nop ; jmp pad
 *	pad:	... ; test $x,%eax ; jmp behind the site	it was off
 *	pad:	... ; jmp stub ; jmp behind the site		it was on
 *
 * The agent does not change gdbserver's jump. It switches the instruction that
 * gdbserver has moved into the pad, as it would at the site: the operand of a
 * test may be anything. When gdbserver takes the jump away, it puts the old
 * instruction back, and does not tell the agent. So the service thread looks
 * until gdbserver has no jump at a site.
 */
#include "gdbstub/ipa/ipa.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "base/sys.h"
#include "control/service/service.h"
#include "control/sessions/session.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

#define TEST		0xa9
#define JUMP		0xe9
#define PAD_BYTES_MAX	512u
#define LOOK_NS		10000000

/* Returns the instruction that was moved from a site, which a jump behind the
 * site follows; or NULL. */
static uint8_t *find_moved(const uint8_t *code)
{
	int32_t distance;
	uint8_t *p, *end;

	__builtin_memcpy(&distance, code + 2, sizeof(distance));
	p = (uint8_t *)code + 6 + distance;
	end = p + PAD_BYTES_MAX;
	if (code[1] != JUMP)
		return NULL;
	for (; p < end && ipa_is_pad(p) && ipa_is_pad(p + 9); p++) {
		__builtin_memcpy(&distance, p + 6, sizeof(distance));
		if ((*p == TEST || *p == JUMP) && p[5] == JUMP &&
		    p + 10 + distance == code + 6)
			return p;
	}
	return NULL;
}

struct look {
	struct patcher patcher;
	uint32_t refused;
};

/* Writes the agent's code again at sites where gdbserver had a jump. */
static int look_at(struct object *object, void *arg)
{
	struct look *look = arg;
	struct code *code;

	for (code = object->codes; code; code = code->next) {
		int ret = code->stub ? patch_site(&look->patcher, code->address,
						  code->stub, !!object->on) : 0;

		look->refused += ret == -EBUSY || ret == -EINPROGRESS;
		code->refused = ret == -EINPROGRESS ? 0 : ret;
	}
	return 0;
}

/* Looks at all sites at each tick. Returns 1 when no jump is left, which ends
 * the looks. */
static int look_again(int fd, void *arg)
{
	struct look look = { .refused = 0 };
	uint64_t ticks;

	sys_read(fd, &ticks, sizeof(ticks));
	registry_lock();
	patch_open(&look.patcher);
	registry_each(look_at, &look);
	patch_close(&look.patcher);
	if (!look.refused)
		session_untaken_look();
	registry_unlock();
	if (!look.refused)
		ipa->looks = 0;
	return !look.refused;
}

/* Switches the moved instruction: one byte is enough to switch it off. The
 * looks begin only in the service thread, because it has a private table of
 * descriptors. */
int ipa_site_refused(const struct patcher *patcher, uint8_t *code,
		     const uint8_t *stub, int on)
{
	struct itimerspec every = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	uint8_t *moved = find_moved(code);
	uint32_t me = (uint32_t)sys_gettid();
	uint8_t jump[5] = { JUMP };
	int32_t distance;
	int fd;

	if (!ipa || !ipa->here)
		return 0;
	if (moved && on && *moved != JUMP) {
		distance = (int32_t)(stub - (moved + 5));
		__builtin_memcpy(jump + 1, &distance, sizeof(distance));
		patch_bytes(patcher, moved, jump, sizeof(jump));
	} else if (moved && !on && *moved == JUMP) {
		patch_byte(patcher, moved, TEST);
	}
	if (me != thread_service() || ipa->looks == me)
		return !!moved;
	fd = (int)sys2(SYS_timerfd_create, CLOCK_MONOTONIC,
		       O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return !!moved;
	sys4(SYS_timerfd_settime, fd, 0, &every, NULL);
	if (service_watch(fd, look_again, NULL))
		sys_close(fd);
	else
		ipa->looks = me;
	return !!moved;
}
