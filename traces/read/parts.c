/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The packets of one stream that several directories have: copies, chunks,
 * snapshots of one session.
 *
 * Invariant: each packet is given once, by the stream that comes to it first. A
 * packet that is not whole everywhere is given by a stream that has the most of
 * it. A packet is known by its number and its begin.
 */
#include "traces/read/files-private.h"

#include <stdlib.h>

#include "traces/array.h"

void parts_join(struct file_stream *f, struct file_stream *other)
{
	f->sibling = other->sibling;
	other->sibling = f;
}

void parts_leave(struct file_stream *f)
{
	struct file_stream *before = f;

	while (before->sibling != f)
		before = before->sibling;
	before->sibling = f->sibling;
	f->sibling = f;
	free(f->runs);
	free(f->parts);
}

void parts_rewind(struct file_stream *f)
{
	f->nruns = 0;
	f->turn = f->stream.reader->turn;
}

int parts_pass(struct file_stream *f, const struct packet_head *head)
{
	struct run *more, *last = f->nruns ? &f->runs[f->nruns - 1] : NULL;

	if (last && last->last + 1 == head->packet_seq_num) {
		last->last++;
		last->last_begin = head->timestamp_begin;
		return 0;
	}
	more = reallocarray(f->runs, f->nruns + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->runs = more;
	more[f->nruns++] = (struct run){
		head->packet_seq_num, head->packet_seq_num,
		head->timestamp_begin, head->timestamp_begin,
	};
	return 0;
}

bool parts_passed(const struct file_stream *f, const struct packet_head *head)
{
	for (const struct file_stream *s = f->sibling; s != f; s = s->sibling) {
		/* it has not begun anew yet: those runs are of the last time */
		if (s->turn != f->turn)
			continue;
		/* the last ones are asked for most */
		for (size_t i = s->nruns; i-- > 0;) {
			const struct run *run = &s->runs[i];

			if (head->packet_seq_num >= run->first &&
			    head->packet_seq_num <= run->last &&
			    head->timestamp_begin >= run->first_begin &&
			    head->timestamp_begin <= run->last_begin)
				return true;
		}
	}
	return false;
}

/* Adds a packet to the list. Without memory it is left out: the packet is then
 * given twice rather than not at all. Callback of a files_each_fn. */
static void take_part(const struct packet_head *head, uint64_t bytes,
		      void *priv)
{
	struct file_stream *f = priv;

	if (!array_grow(&f->parts, f->nparts, sizeof(*f->parts)))
		return;
	f->parts[f->nparts++] = (struct part_packet){
		.number = head->packet_seq_num, .begin = head->timestamp_begin,
		.end = head->timestamp_end, .lost = head->events_discarded,
		.bytes = bytes,
	};
}

/* Finds the last packet with this number or a lower one; NULL: there is none.
 * The list of packets is made at the first call. A file that a follower reads
 * may have grown, so the list is then made again, and a packet that was found
 * before is no longer valid. */
static const struct part_packet *find_part(struct file_stream *f,
					   uint64_t number)
{
	size_t low = 0, high;

	if (!f->nparts || (f->parts[f->nparts - 1].number < number &&
			   f->stream.reader->follows)) {
		f->nparts = 0;
		f->each(f, take_part, f);
	}
	for (high = f->nparts; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (f->parts[middle].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &f->parts[low - 1] : NULL;
}

bool parts_longer(const struct file_stream *f, const struct packet_head *head,
		  uint64_t bytes)
{
	for (struct file_stream *s = f->sibling; s != f; s = s->sibling) {
		const struct part_packet *part =
			find_part(s, head->packet_seq_num);

		if (part && part->number == head->packet_seq_num &&
		    part->begin == head->timestamp_begin &&
		    part->bytes > bytes)
			return true;
	}
	return false;
}

bool parts_before(const struct file_stream *f, const struct packet_head *head,
		  struct packet_head *before)
{
	bool found = false;

	if (!head->packet_seq_num)
		return false;
	for (struct file_stream *s = f->sibling; s != f; s = s->sibling) {
		const struct part_packet *part =
			find_part(s, head->packet_seq_num - 1);

		/* a snapshot may have less of the same packet */
		if (!part || part->begin > head->timestamp_begin ||
		    part->number < before->packet_seq_num ||
		    (part->number == before->packet_seq_num &&
		     part->end < before->timestamp_end))
			continue;
		before->packet_seq_num = part->number;
		before->timestamp_end = part->end;
		before->events_discarded = part->lost;
		found = true;
	}
	return found;
}

bool parts_agree(struct file_stream *a, struct file_stream *b)
{
	find_part(b, 0);
	for (size_t i = 0; i < b->nparts; i++) {
		const struct part_packet *new = &b->parts[i];
		const struct part_packet *old = find_part(a, new->number);
		const struct part_packet *next = old ? old + 1 : a->parts;

		if (old && (old->number == new->number ?
				    old->begin != new->begin :
				    old->begin > new->begin))
			return false;
		if (next < a->parts + a->nparts && next->begin < new->begin)
			return false;
	}
	return true;
}
