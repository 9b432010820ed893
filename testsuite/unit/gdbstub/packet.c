/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets of gdb's remote protocol (gdbstub/wire/packet.h): made by hand, made
 * and read back, and random bytes.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>

#include "gdbstub/wire/packet.h"

/* Returns the last event that is not PACKET_MORE. */
static enum packet_event feed(struct packet_reader *reader, const char *bytes,
			      size_t n)
{
	enum packet_event last = PACKET_MORE;

	while (n--) {
		enum packet_event event =
			packet_take(reader, (uint8_t)*bytes++);

		if (event != PACKET_MORE)
			last = event;
	}
	return last;
}

static const struct {
	const char *bytes;
	enum packet_event event;
	const char *data;
} rows[] = {
	{ "$OK#9a", PACKET_READY, "OK" },
	{ "$OK#9A", PACKET_READY, "OK" },
	{ "$#00", PACKET_READY, "" },
	{ "+$g#67", PACKET_READY, "g" },
	{ "$g#68", PACKET_BROKEN, NULL },
	{ "$g#6z", PACKET_BROKEN, NULL },
	{ "$g#z", PACKET_BROKEN, NULL },
	{ "$lost$g#67", PACKET_READY, "g" },
	{ "$}\x03#80", PACKET_READY, "#" },
	{ "$}]#da", PACKET_READY, "}" },
	{ "$}}#fa", PACKET_READY, "]" },
	{ "$1234567#6c", PACKET_READY, "1234567" },
	{ "$12345678#a4", PACKET_LONG, NULL },
	{ "$12345678#a5", PACKET_BROKEN, NULL },
	{ "+", PACKET_ACKED, NULL },
	{ "-", PACKET_AGAIN, NULL },
	{ "\x03", PACKET_INTERRUPT, NULL },
	{ "GET /", PACKET_NOISE, NULL },
	{ "$unfinished", PACKET_MORE, NULL },
	{ "$x#", PACKET_MORE, NULL },
};

static void by_hand(void)
{
	struct packet_reader reader;
	char buffer[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		packet_reader_open(&reader, buffer, sizeof(buffer));
		unit_equal(feed(&reader, rows[i].bytes, strlen(rows[i].bytes)),
			   rows[i].event, "row %zu: event", i);
		if (rows[i].data)
			unit_equal_string(reader.data, rows[i].data,
					  "row %zu: data", i);
	}
}

static void circle(void)
{
	char answer[2 * 256 + 8], data[300];
	struct packet_reader reader;
	struct packet packet;
	uint8_t all[256];

	for (int i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	packet_open(&packet, answer, sizeof(answer));
	unit_check(packet_empty(&packet), "a new packet is empty");
	packet_add_bytes(&packet, all, sizeof(all));
	packet_close(&packet);
	unit_check(!packet.cut, "256 bytes fit");
	packet_reader_open(&reader, data, sizeof(data));
	unit_equal(feed(&reader, answer, packet.used), PACKET_READY,
		   "all bytes arrive");
	unit_equal(reader.used, 256, "no byte more");
	unit_check(!memcmp(data, all, sizeof(all)), "all bytes are the same");
}

static void writing(void)
{
	struct packet packet;
	char answer[64];

	packet_open(&packet, answer, sizeof(answer));
	packet_add(&packet, "F");
	packet_add_number(&packet, 0);
	packet_add_number(&packet, 0x1200);
	packet_add_number(&packet, ~0ull);
	packet_add_hex(&packet, "\x00\xff", 2);
	packet_close(&packet);
	answer[packet.used] = '\0';
	unit_equal_string(answer, "$F01200ffffffffffffffff00ff#c5", "numbers");
	for (uint32_t size = 4; size < 12; size++) {
		memset(answer, 'z', sizeof(answer));
		packet_open(&packet, answer, size);
		packet_add(&packet, "a#b#c");
		packet_close(&packet);
		unit_check(packet.used <= size && answer[size] == 'z',
			   "stays in a buffer of %u", size);
		unit_equal(packet.cut, size < 11, "cut in a buffer of %u",
			   size);
	}
}

static void reading(void)
{
	const char *p = "1f,0:ffffffffffffffff;10000000000000000";
	uint64_t number;
	char text[4];

	unit_check(packet_read_number(&p, &number) && number == 0x1f,
		   "a number");
	unit_check(!packet_read_number(&p, &number), "none before a comma");
	unit_check(!packet_read_char(&p, ':'), "another character");
	unit_check(packet_read_char(&p, ','), "the character");
	unit_check(packet_read_number(&p, &number) && !number, "zero");
	unit_check(packet_read_char(&p, ':') &&
		   packet_read_number(&p, &number) && number == ~0ull,
		   "the largest");
	unit_check(packet_read_char(&p, ';') &&
		   !packet_read_number(&p, &number), "one too large");
	p = "616263,";
	unit_check(packet_read_text(&p, text, 4) && *p == ',', "a text");
	unit_equal_string(text, "abc", "its characters");
	p = "61626364";
	unit_check(!packet_read_text(&p, text, 4), "a text too long");
	p = "616";
	unit_check(!packet_read_text(&p, text, 4), "half a character");
	p = "6100";
	unit_check(!packet_read_text(&p, text, 4), "a NUL in a text");
	p = "00ffA";
	unit_check(packet_read_hex(&p, text, 2) && *p == 'A' && !text[0] &&
		   text[1] == (char)0xff, "two bytes");
	unit_check(!packet_read_hex(&p, text, 1) && *p == 'A', "half a byte");
	unit_check(packet_read_hex(&p, text, 0), "no byte");
	p = "6162";
	unit_check(!packet_read_hex(&p, text, 3) && *p == '6',
		   "fewer bytes than wanted");
}

/* Random bytes, many with a meaning, into a guarded buffer. */
static void noise(void)
{
	static const char likely[] = "$$##}*+-\x03" "0123456789abcdef";
	struct packet_reader reader;
	char buffer[32];
	int wrong = 0;

	srand(1);
	memset(buffer, 'z', sizeof(buffer));
	packet_reader_open(&reader, buffer, 16);
	for (int i = 0; i < 1000000; i++) {
		int byte = rand() % 4 ? likely[rand() % 25] : rand();

		packet_take(&reader, (uint8_t)byte);
		wrong += reader.used > 15 || buffer[16] != 'z';
	}
	unit_equal(wrong, 0, "a million bytes of noise");
}

int main(void)
{
	by_hand();
	circle();
	writing();
	reading();
	noise();
	return unit_end();
}
