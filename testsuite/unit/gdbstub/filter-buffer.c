/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Large frames of the trace buffer through the filter
 * (gdbstub/filter/buffer.c): gdb saves the server's frames, without static
 * data, in pieces of any size.
 */
#include "testsuite/unit/filter-bed.h"

#include <stdlib.h>

#include "gdbstub/wire/static-block.h"

#define HEADER		6u
#define BLOCK_HEAD	11u		/* M, address, length */
#define STATIC_BYTES	5u

/* The bytes that the server has, and the bytes that gdb must get. */
static uint8_t *has, *wanted;
static uint64_t nhas, nwanted;

static void put(uint8_t *to, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t block(uint8_t *to, uint64_t address, uint32_t n)
{
	to[0] = 'M';
	put(to + 1, address, 8);
	put(to + 9, n, 2);
	for (uint32_t i = 0; i < n; i++)
		to[BLOCK_HEAD + i] = (uint8_t)(address + i * 7 + i / 251);
	return BLOCK_HEAD + n;
}

/* A frame of n blocks of so many bytes, with static data or without. */
static void frame(uint32_t n, uint32_t bytes, int with_static)
{
	uint8_t *start = has + nhas, *want = wanted + nwanted;
	uint32_t at = HEADER;

	if (with_static)
		at += block(start + at, STATIC_BLOCK_ADDRESS, STATIC_BYTES);
	for (uint32_t i = 0; i < n; i++)
		at += block(start + at, 0x1000 + i, bytes);
	put(start, 1, 2);
	put(start + 2, at - HEADER, 4);
	nhas += at;
	n = at;
	at = with_static ? BLOCK_HEAD + STATIC_BYTES : 0;
	memcpy(want, start, HEADER);
	memcpy(want + HEADER, start + HEADER + at, n - HEADER - at);
	put(want + 2, n - HEADER - at, 4);
	nwanted += n - at;
}

static void say(enum filter_side from, const char *text)
{
	const char *packet = framed(text);

	filter_take(&filter, from, packet, strlen(packet));
}

/* Writes a byte as two digits: there are millions. */
static void hex_put(char *to, uint8_t byte)
{
	to[0] = "0123456789abcdef"[byte >> 4];
	to[1] = "0123456789abcdef"[byte & 15];
}

/* Answers as gdbserver does, but with at most `piece` bytes. Returns 0 at the
 * end. */
static int serve(const char *request, uint64_t piece)
{
	static char hex[8000];
	uint64_t at = strtoull(request + strlen("$qTBuffer:"), NULL, 16);
	uint64_t n = at < nhas ? nhas - at : 0;

	n = n < piece ? n : piece;
	for (uint64_t i = 0; i < n; i++)
		hex_put(hex + 2 * i, has[at + i]);
	hex[2 * n] = '\0';
	say(FILTER_SERVER, n ? hex : "l");
	return n != 0;
}

/* Reads all, `ask` bytes at a time. Returns how many bytes are right. */
static uint64_t read_all(uint64_t ask, uint64_t piece)
{
	uint64_t at = 0;

	for (;;) {
		const char *to_server, *got;
		char text[64];
		uint64_t n = 0;

		snprintf(text, sizeof(text), "qTBuffer:%lx,%lx",
			 (unsigned long)at, (unsigned long)ask);
		say(FILTER_GDB, text);
		while ((to_server = sent(FILTER_SERVER))[0])
			serve(to_server, piece);
		got = sent(FILTER_GDB);
		for (; got[0] == '$' && got[1 + 2 * n] != '#' &&
		       got[1 + 2 * n] != 'l'; n++) {
			if (at + n >= nwanted || n >= ask)
				return at + n;
			hex_put(text, wanted[at + n]);
			if (memcmp(text, got + 1 + 2 * n, 2))
				return at + n;
		}
		if (!n)
			return at;
		at += n;
	}
}

int main(void)
{
	static const struct filter_host host = { .read = one_read,
						 .get = one_get };

	has = calloc(3, FILTER_FRAME_BYTES);
	wanted = calloc(3, FILTER_FRAME_BYTES);
	filter_begin(&host, 1);
	/* the filter learns the size of registers */
	exchange("g", "g", "0011", "0011");
	frame(3, 10, 1);
	frame(120, 65535, 1);
	frame(1, 1, 1);
	frame(40, 3000, 0);
	unit_equal(read_all(2000, 3500), nwanted, "as gdb reads it");
	/* small frames: several are ready at once, and the next has begun */
	nhas = nwanted = 0;
	for (uint32_t i = 0; i < 300; i++)
		frame(1 + i % 7, 1 + i * 13 % 900, (int)i & 1);
	unit_equal(read_all(1777, 1999), nwanted, "in odd pieces");
	unit_equal(read_all(100, 3500), nwanted, "in small pieces");
	/* a frame too large to keep passes as it is; the next is whole again */
	nhas = nwanted = 0;
	frame(130, 65535, 0);
	frame(2, 100, 1);
	unit_equal(read_all(2000, 3500), nwanted, "a frame without room");
	free(has);
	free(wanted);
	return unit_end();
}
