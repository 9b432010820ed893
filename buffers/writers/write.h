/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes an event through a slot, which names writer and rings.
 *
 * An event is written inside one restartable sequence on the ring of the
 * current CPU: clock, header and payload, then one store of `head` that
 * commits it. An interruption before that store leaves no trace of the event.
 *
 * Invariants:
 *  - a section finds the ring through the slot and the channel's table, never
 *    by a value read outside: a handler may have forked, another thread may
 *    have switched the slot off. So membarrier(RSEQ) after a change is the
 *    whole grace period (WRITE-SLOT);
 *  - no write path makes a system call, takes a lock that a handler could find
 *    held by the interrupted thread, or changes errno.
 */
#ifndef BUFFERS_WRITERS_WRITE_H
#define BUFFERS_WRITERS_WRITE_H

#include "base/base.h"
#include "buffers/ctf.h"
#include "buffers/rings/channel.h"

/* A field of variable length: n elements at p, or a string: of at most n
 * characters if the rule is WRITE_RULE_COUNTED. For a string that is NULL, p is
 * "(null)" and n is WRITE_NULL. For one that p has only a part of, n is
 * WRITE_CUT: where the program has it, and how many bytes it has at most. */
struct write_var {
	const void *p;
	uint64_t n;
};

#define WRITE_STRING	(~(uint64_t)0)
#define WRITE_NULL	(WRITE_STRING - 1)
#define WRITE_CUT_MOST	2048u		/* bytes; one more: unknown */
#define WRITE_CUT(address, most)	(8ull << 60 | (most) << 48 | (address))
#define WRITE_IS_CUT(n)			((n) >> 60 == 8)
#define WRITE_CUT_BYTES(n)		((uint32_t)((n) >> 48 & 0xfff))
#define WRITE_CUT_ADDRESS(n)		((n) & ((1ull << 48) - 1))

struct write_slot;

/*
 * Writes one event. `fixed` is the packed fixed-size part: the value if it has
 * at most 8 bytes, else the address. SIGSAFE, any thread.
 */
typedef void write_fn(struct write_slot *slot, uint64_t fixed,
		      const struct write_var *var);

/*
 * The part of a marker's object that writers read. The offsets are in the
 * machine code of pieces-x86_64.h. The controller changes a slot in this order:
 * rings[] to &rings_off, membarrier, id/step, rings[], then hit.
 */
struct write_slot {
	write_fn *hit;
	const struct rings *rings[2];	/* [WRITE_COMPACT], [WRITE_WIDE] */
	uint64_t id;
	const struct write_shape *shape;
	uint64_t step;			/* added to head: events, bytes */
	volatile uint32_t enabled;
	uint16_t fixed_bytes;
	uint16_t kept;			/* by control/sessions/terms.c */
};

enum write_header { WRITE_COMPACT = 0, WRITE_WIDE = 1 };

/* Returns the header that events of a type begin with: buffers/ctf.h. */
static inline enum write_header write_header_of(uint32_t id)
{
	return id < CTF_COMPACT_ID_WIDE ? WRITE_COMPACT : WRITE_WIDE;
}

/* How a string is read. */
enum write_rule {
	WRITE_RULE_PLAIN = 0,	/* to its NUL */
	WRITE_RULE_ADDRESS,	/* not read: the address is the field */
	WRITE_RULE_BOUNDED,	/* at most `limit` characters */
	WRITE_RULE_FIELD,	/* at most as many characters as the int at
				 * offset `limit` of the fixed part */
	WRITE_RULE_COUNTED,	/* at most var's n characters */
	WRITE_RULE_BARE,	/* a sequence whose length is not written */
};

/* The parts of an event; constant while the slot exists. */
struct write_shape {
	uint16_t fixed_bytes;
	uint8_t nvar;
	uint8_t narrow;			/* no vector registers above xmm */
	/* CHANNELS_MAX counts of too large events, by index into channels[], or
	 * NULL; NULL where no field is variable: no event is too large */
	uint64_t **oversize;
	struct {			/* the first `nvar` have memory */
		uint16_t fixed_before;	/* bytes of the fixed part before it */
		uint8_t element_bytes;	/* of a sequence; 0: a string */
		uint8_t rule;		/* enum write_rule */
		int32_t limit;
	} var[16];
};

/* Returns how many characters of string i may be read at most, or WRITE_STRING:
 * it has a NUL. `block` is the fixed part. SIGSAFE. */
uint64_t write_string_limit(const struct write_shape *shape, uint32_t i,
			    const char *block, const struct write_var *var);

/*
 * Returns the fastest writer for a shape in a channel, and the slot's `step`
 * for it. For contexts, and for an id that needs the extended header, this is
 * the general writer; without rseq or with another clock than the TSC, a
 * writer for locked rings.
 */
write_fn *write_choose(const struct write_shape *shape,
		       const struct channel *channel, uint32_t id,
		       uint64_t *step);

/* The writer of a slot that is off: writes nothing. */
write_fn write_nothing;

/* Writes through a slot of any channel; `ip` is for the context of that name.
 * SIGSAFE. */
void write_at(struct write_slot *slot, uint64_t fixed,
	      const struct write_var *var, uint64_t ip);

/*
 * Called with an event whose slot is found to be off, as the code that closes
 * slots may have another way for it. Set once, before the first slot is on;
 * SIGSAFE.
 */
extern void (*write_closed)(struct write_slot *slot, uint64_t fixed,
			    const struct write_var *var, uint64_t ip);

/* Tells whether rseq works: libc registered it, and sections run. Also learns
 * where it is, so it comes before any write. Needs no ring. */
bool write_rseq_test(void);

/* A thread's number in its process, which no other thread ever has; 0: it has
 * none yet. Machine code has the name (pieces-x86_64.h). */
extern __thread uint32_t writer_number
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Gives the calling thread a number if it has none. SIGSAFE. */
void writer_number_take(void);

/*
 * Closes the open packets of a channel that hold events, so a recorder can take
 * them; with `locked`, those of locked rings alone. Visits every CPU: only a
 * thread of the agent may call it, which write_rseq_register() has registered
 * with rseq.
 */
void write_flush(struct channel *channel, bool locked);

/*
 * Registers the calling thread, which libc does not know, with rseq, at the
 * offset from the thread pointer that libc uses. Returns 0 or a negative errno.
 */
int write_rseq_register(void *thread_pointer);

#endif
