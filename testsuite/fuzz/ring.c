/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: ring files that lie.
 *
 * An input is a ring, empty to full to lapped, in either mode, with some of its
 * numbers, heads or events changed. Whatever comes: all that the reader gives
 * lies within the ring, in order, no more than there is room for; and what it
 * gives of a copy is what the packet says.
 */
#include "testsuite/fuzz/ring.h"

enum { REOPEN = 16 };

static struct fake fake;
static struct fake_ring shared;

static void input_make(struct fuzz *fuzz)
{
	uint64_t times = fuzz_less(fuzz, 3);

	fuzz_image_take(fuzz, shared.ring);
	while (times--)
		fuzz_number_change(fuzz, shared.ring);
	if (!fuzz_less(fuzz, 3))
		fuzz_mutate(fuzz, (uint8_t *)shared.ring + RING_DATA_OFFSET,
			    FUZZ_SUB * FUZZ_NSUB);
}

static void ring_try(struct fuzz *fuzz, struct ring_reader *ring,
		     enum cursor_kind kind)
{
	struct packet_format format = {
		.shapes = fuzz_shapes, .nshapes = 4, .kind = kind,
	};
	struct ring_seen seen = { .format = &format };

	ring->broken = ring->placed = false;
	ring->next = ring->discarded = 0;
	if (fuzz_less(fuzz, 2))
		ring_copy_see(ring, &seen);
	else if (fuzz_less(fuzz, 2))
		ring_more_see(ring, &seen, !fuzz_less(fuzz, 4));
	else
		ring_empty_see(ring, &seen);
	fuzz->accepted += !!seen.packets;
	if (seen.wrong)
		fuzz_fail(fuzz, seen.wrong, shared.ring, 160);
}

int main(int argc, char **argv)
{
	struct ring_reader ring;
	struct fuzz fuzz;
	int opened = -1;

	fuzz_open(&fuzz, "ring", argc, argv);
	fuzz_images_make(&fuzz);
	map_guard();
	fake_open(&fake, 0, 0);
	fake_ring_open(&shared, &fake, "0", 1, FUZZ_SUB, FUZZ_NSUB, 0);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		input_make(&fuzz);
		/* what was read at the start stays the same for some time */
		if (opened || !fuzz_less(&fuzz, REOPEN)) {
			if (!opened)
				ring_close(&ring);
			opened = ring_open(&ring, fake.image, 0, "0", true);
		}
		if (!opened && ring.view.sub_bytes <= FUZZ_SUB)
			ring_try(&fuzz, &ring,
				 (enum cursor_kind)fuzz_less(&fuzz, 3));
	}
	fake_ring_close(&shared);
	fake_close(&fake);
	return fuzz_end(&fuzz, 200);
}
