/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks at rings while their writers go on.
 */
#include "buffers/ring-view.h"

#include <errno.h>
#include <stdbool.h>

#include "base/base.h"
#include "buffers/ctf.h"

_Static_assert(PACKET_HEAD_BYTES % 8 == 0, "heads are read word by word");

typedef uint64_t __attribute__((may_alias)) word;

/*
 * Reads words that a thread may be writing, each once: the result counts only
 * when ring_moved() says so. The race is intended; the thread sanitizer must
 * not report it.
 */
static __attribute__((noinline, no_sanitize("thread")))
void words_read(void *to, const void *from, size_t bytes)
{
	const volatile word *p = from;
	word *out = to;

	for (size_t i = 0; i < bytes / sizeof(*p); i++)
		out[i] = p[i];
}

void ring_head_read(const struct ring_view *view, uint64_t number,
		    struct packet_head *head)
{
	words_read(head, ring_slot(view, number), sizeof(*head));
}

bool ring_head_belongs(const struct ring_view *view,
		       const struct packet_head *head, uint64_t number)
{
	return head->magic == CTF_PACKET_MAGIC && !head->stream_id &&
	       head->packet_seq_num == number &&
	       head->stream_instance_id == view->instance &&
	       !__builtin_memcmp(head->uuid, view->uuid, view->uuid_bytes);
}

bool ring_head_closed(const struct ring_view *view,
		      const struct packet_head *head)
{
	return head->content_size == head->packet_size &&
	       !(head->content_size & 7) &&
	       head->content_size / 8 >= CTF_HEAD_BYTES &&
	       head->content_size / 8 <=
		       view->sub_bytes - PACKET_PRIVATE_BYTES &&
	       head->timestamp_begin <= head->timestamp_end;
}

/* Returns the position of the open packet's first byte; `used` gets the bytes
 * used in it. */
static uint32_t open_start(const struct ring_view *view, uint64_t head,
			   uint32_t *used)
{
	uint32_t position = RING_POSITION(head);

	*used = position & (view->sub_bytes - 1);
	if (!*used)
		*used = view->sub_bytes;	/* full to the last byte */
	return position - *used;
}

static uint32_t packets_since(const struct ring_view *view, uint32_t start)
{
	uint32_t used;
	uint64_t head;

	/* RING-HEAD: loads before this one must not move below it, or a
	 * sub-buffer that was written meanwhile would pass as intact */
	__atomic_thread_fence(ACQUIRE(RING_HEAD));
	head = load_acquire(&view->ring->head, RING_HEAD);
	return (open_start(view, head, &used) - start) / view->sub_bytes;
}

uint32_t ring_moved(const struct ring_view *view, uint64_t number)
{
	return packets_since(view, (uint32_t)(number * view->sub_bytes));
}

/* Returns true if the head of the open packet, whose first byte is at `start`,
 * can be true. Larger numbers would wrap as 64-bit positions. */
static bool is_open(const struct ring_view *view,
		    const struct packet_head *open, uint32_t start,
		    uint32_t used)
{
	uint64_t number = open->packet_seq_num;

	return used >= PACKET_HEAD_BYTES &&
	       number <= UINT64_MAX / view->sub_bytes &&
	       (uint32_t)(number * view->sub_bytes) == start &&
	       ring_head_belongs(view, open, number);
}

int ring_look(const struct ring_view *view, struct ring_count *count)
{
	struct packet_head open __attribute__((aligned(8)));
	/* RING-HEAD: everything below the head was stored before it */
	uint64_t head = load_acquire(&view->ring->head, RING_HEAD);
	uint32_t used;
	uint32_t start = open_start(view, head, &used);

	__builtin_memset(count, 0, sizeof(*count));
	if (!head)
		return 0;
	ring_head_read(view, start / view->sub_bytes, &open);
	if (packets_since(view, start) + 1 >= view->nsub)
		return -EAGAIN;
	if (!is_open(view, &open, start, used))
		return -EBADMSG;
	/* RING-LOST: read after head, so it is no less than the number in any
	 * packet that was closed before */
	words_read(&count->lost, &view->ring->lost, sizeof(count->lost));
	count->used = used;
	count->current = open.packet_seq_num;
	count->before = open.events_before;
	count->committed = count->before +
			   (uint32_t)(RING_EVENTS(head) -
				      (uint32_t)count->before);
	return 0;
}

uint64_t ring_oldest(const struct ring_view *view,
		     const struct ring_count *count)
{
	return count->current + 1 > view->nsub ?
		       count->current + 1 - view->nsub : 0;
}

bool ring_unread(const struct ring_view *view, const struct ring_count *count,
		 uint64_t *number)
{
	uint32_t behind = (uint32_t)(count->current * view->sub_bytes) -
			  (uint32_t)load_relaxed(&view->ring->tail);

	if (behind & (view->sub_bytes - 1))
		return false;
	behind /= view->sub_bytes;
	if (behind >= view->nsub || behind > count->current)
		return false;
	*number = count->current - behind;
	return true;
}
