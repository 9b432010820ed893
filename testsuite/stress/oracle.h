/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An independent reading of rings: written from the layout and the CTF facts,
 * not from the reader that the product has.
 */
#ifndef STRESS_ORACLE_H
#define STRESS_ORACLE_H

#include "buffers/layout.h"

struct oracle_event {
	uint64_t clock;
	uint32_t id;
	int extended;
	const unsigned char *payload;	/* contexts come first */
	const unsigned char *end;	/* of the packet's content */
};

#define ORACLE_WRONG	(~(size_t)0)

/* Bytes of the payload, contexts included, or ORACLE_WRONG. */
typedef size_t oracle_check(const struct oracle_event *event, void *priv);

struct oracle {
	int open;			/* the packet is still written */
	oracle_check *check;
	void *priv;
	uint64_t now;			/* 0: not known */
	/* found */
	uint64_t limit;			/* no event of the packet is later */
	uint64_t clock;			/* of the last event or packet */
	uint64_t events;
	const char *error;		/* the first thing that was wrong */
	uint64_t error_offset;
};

/*
 * Walks the events of a packet: `packet` is the sub-buffer, `content` its
 * bytes used, packet head included. Returns 0, or -1 with `error` set.
 */
int oracle_packet(struct oracle *oracle, const void *packet, uint32_t content);

/* The packet head against its ring. Returns NULL or what is wrong with it. */
const char *oracle_head(const struct packet_head *head,
			const struct ring *ring);

/* The closing fields of a packet; `clock` is that of its last event. */
const char *oracle_tail(const struct packet_head *head, uint64_t clock,
			uint32_t sub_bytes);

#endif
