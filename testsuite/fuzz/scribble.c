/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: a process that scribbles into its rings while they are read.
 *
 * It puts bytes of any kind anywhere in the ring, as fast as it can, and now
 * and then makes a good ring of it again. An input is a reading of all that
 * there is, in either way. Whatever the other does meanwhile: the reading
 * ends, what was copied is what it says, and what is given lies within the
 * ring. (What is read in place may change between two looks at it: that is not
 * held against the reader.)
 */
#include "testsuite/fuzz/ring.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct fake fake;
static struct fake_ring shared;
static volatile uint64_t *scribbles;

static void scribble(uint64_t seed)
{
	struct fuzz fuzz = { .state = ~seed };
	uint8_t *ring = (uint8_t *)shared.ring;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; ++*scribbles) {
		if (*scribbles % 8 == 0)
			fuzz_image_take(&fuzz, ring);
		else if (fuzz_less(&fuzz, 2))
			fuzz_number_change(&fuzz, ring);
		else
			fuzz_mutate(&fuzz, ring + RING_DATA_OFFSET,
				    FUZZ_SUB * FUZZ_NSUB);
	}
}

/*
 * Waits until the ring is another than the one last read: where both share a
 * CPU, a thousand readings fit into one turn, and would all see the same ring.
 */
static void scribbled_wait(pid_t child)
{
	static uint64_t last;

	while (*scribbles == last && !waitpid(child, NULL, WNOHANG))
		sched_yield();
	if (*scribbles == last) {
		printf("FAIL: fuzz scribble: the scribbler has ended\n");
		exit(1);
	}
	last = *scribbles;
}

static void read_once(struct fuzz *fuzz)
{
	struct packet_format format = {
		.shapes = fuzz_shapes, .nshapes = 4,
		.kind = (enum cursor_kind)fuzz_less(fuzz, 3),
	};
	struct ring_seen seen = { .format = &format };
	struct ring_reader ring;

	if (ring_open(&ring, fake.image, 0, "0", true))
		return;
	if (ring.view.sub_bytes <= FUZZ_SUB && fuzz_less(fuzz, 4)) {
		ring_copy_see(&ring, &seen);
		if (seen.wrong)
			fuzz_fail(fuzz, seen.wrong, shared.ring, 160);
	} else if (ring.view.sub_bytes <= FUZZ_SUB && fuzz_less(fuzz, 2)) {
		ring_more_see(&ring, &seen, !fuzz_less(fuzz, 4));
		if (seen.wrong)
			fuzz_fail(fuzz, seen.wrong, shared.ring, 160);
	} else if (ring.view.sub_bytes <= FUZZ_SUB) {
		ring_empty_see(&ring, &seen);
	}
	fuzz->accepted += !!seen.packets;
	ring_close(&ring);
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;
	pid_t child;

	fuzz_open(&fuzz, "scribble", argc, argv);
	scribbles = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fuzz_images_make(&fuzz);
	map_guard();
	fake_open(&fake, 0, 0);
	fake_ring_open(&shared, &fake, "0", 0, FUZZ_SUB, FUZZ_NSUB, 0);
	child = fork();
	if (child < 0)
		return 1;
	if (!child)
		scribble(fuzz.state);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		scribbled_wait(child);
		read_once(&fuzz);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	fake_ring_close(&shared);
	fake_close(&fake);
	return fuzz_end(&fuzz, 50);
}
