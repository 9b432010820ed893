/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Damage that libbabeltrace2 2.0.4 does not survive: it reads metadata in
 * packets for ever if the file is cut, and aborts at an index that makes no
 * sense.
 *
 * Invariant: a jump out of the library happens only from the thread that is in
 * guard_run(), while `inside` is set. The objects of that call are lost.
 */
#ifdef HAVE_BABELTRACE2
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/foreign/guard-private.h"

#define PACKET_MAGIC	0x75d11d57u
#define HEAD_BYTES	37
#define HEAD_CONTENT	24		/* offsets of sizes in bits, u32 */
#define HEAD_PACKET	28

/* Reads a number of four bytes, in the other byte order if `swapped`. */
static uint32_t number_load(const uint8_t *at, bool swapped)
{
	uint32_t u32;

	memcpy(&u32, at, sizeof(u32));
	return swapped ? __builtin_bswap32(u32) : u32;
}

bool guard_metadata(const char *directory)
{
	int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = openat(folder, "metadata", O_RDONLY | O_CLOEXEC);
	uint8_t head[HEAD_BYTES];
	off_t at = 0;
	struct stat st = { 0 };
	bool whole = fd >= 0 && !fstat(fd, &st);

	while (whole && at < st.st_size) {
		ssize_t n = pread(fd, head, sizeof(head), at);
		bool plain = n >= 4 && number_load(head, false) == PACKET_MAGIC;
		bool swapped = n >= 4 && number_load(head,
						     true) == PACKET_MAGIC;
		uint32_t content, packet;

		if (!plain && !swapped) {
			whole = !at;	/* a text */
			break;
		}
		whole = n == (ssize_t)sizeof(head);
		content = whole ? number_load(head + HEAD_CONTENT,
					      swapped) / 8 : 0;
		packet = whole ? number_load(head + HEAD_PACKET,
					     swapped) / 8 : 0;
		whole = content >= HEAD_BYTES && content <= packet &&
			packet <= st.st_size - at;
		at += packet;
	}
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return whole;
}

static volatile sig_atomic_t inside;
static sigjmp_buf home;

/* Leaves the call that aborted. Outside of such a call the process ends as it
 * would have. Handler of SIGABRT: it uses nothing but the jump. */
static void guard_aborted(int number)
{
	if (inside)
		siglongjmp(home, 1);
	signal(number, SIG_DFL);
}

bool guard_run(void (*call)(void *), void *priv)
{
	/* abort() leaves no lock behind, and has the signal unblocked */
	const struct sigaction action = { .sa_handler = guard_aborted,
					  .sa_flags = SA_NODEFER };
	static bool set;

	if (!set)
		sigaction(SIGABRT, &action, NULL);
	set = true;
	if (sigsetjmp(home, 0)) {
		inside = 0;
		return false;
	}
	inside = 1;
	call(priv);
	inside = 0;
	return true;
}
#endif
