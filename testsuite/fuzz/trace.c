/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what gdb defines for tracing.
 *
 * Packets as gdb sends them, with numbers, addresses and agent expressions of
 * all kinds, mutated, framed, and fed byte by byte. Whatever comes: an answer
 * is one that gdb knows; what is uploaded is of its form and can be defined
 * again, to the same; no line is too long; no refused tracepoint is left.
 */
#include "testsuite/fuzz/fuzz.h"

#include "base/base.h"
#include "testsuite/unit/definitions.h"

#define PACKET_BYTES 4096
#define UPLOAD_BYTES (4u << 20)

static struct connection connection;
static struct packet_reader reader;
static char reader_bytes[PACKET_BYTES];
static char uploads[3][UPLOAD_BYTES];

/* What gdb 13.1 sent in a session. The marks %n, %a, %x, %v, %z become a small
 * number, a marker's address, an expression, any number, zeros. */
static const char *const seeds[] = {
	"QTinit",
	"QTDP:%n:%a:E:0:0:X12,26000622100222bc16080219162022011327-",
	"QTDP:%n:%a:E:0:%v:S:X%x-",
	"QTDP:%n:%a:D:0:0-",
	"QTDP:%n:%a:E:0:0",
	"QTDP:%n:%a:E:%n:%n:F5:S",
	"QTDP:%v:%v:E:%v:%v:F%v:X%x",
	"QTDP:-%n:%a:L-",
	"QTDP:-%n:%a:L",
	"QTDP:-%n:%a:R0fffffffffffffff-",
	"QTDP:-%n:%a:M-1,561cc39b8140,4-",
	"QTDP:-%n:%a:M%n,%v,%nX%xLR03-",
	"QTDP:-%n:%a:M%v,%v,%v",
	"QTDP:-%n:%a:X%xX%xL",
	"QTDP:-%n:%a:M%z1,%z2,%z3-",
	"QTDP:-%n:%a:R%z-",
	"QTDP:-%n:%a:SR03X%x-",
	"QTDPsrc:%n:%a:at:0:13:2d7175616c6966696564202d6d206170702f78",
	"QTDPsrc:%n:%a:cond:0:7:6964203d3d2031",
	"QTDPsrc:%n:%a:cmd:0:10:636f6c6c6563742f73313020612c2062",
	"QTDPsrc:%n:%a:cmd:0:f:636f6c6c65637420245f7364617461",
	"QTDPsrc:%n:%a:cmd:0:6:2020636f6c2f",
	"QTDPsrc:%n:%a:at:%n:6:2d6d20",
	"QTDPsrc:%n:%a:at:3:6:616263",
	"QTDPsrc:%n:%a:cmd:0:%n:616263646566",
	"QTDPsrc:%n:%a:cond:0:%v:%z",
	"QTDPsrc:%n:%a:verse:%v:%v:61",
	"QTDV:1:0000000000000000:1:74726163655f74696d657374616d70",
	"QTDV:%n:%v:0:78",
	"QTDV:%v:%v:%n:7879",
	"QTEnable:%n:%a",
	"QTDisable:%n:%a",
	"QTDisconnected:%n",
	"QTBuffer:circular:%n",
	"QTBuffer:size:-1",
	"QTBuffer:size:%v",
	"QTNotes:user:6d65;notes:612062;tstop:61;",
	"QTNotes:tstop:656e64;",
	"QTSave:2f746d702f61",
	"QTaffrail:data:2",
	"qTfP",
	"qTsP",
	"qTsP",
	"qTfV",
	"qTsV",
};

static size_t add_code(struct fuzz *fuzz, char *to)
{
	static const char *const parts[] = {
		"2205",	  "240001e240", "26000719", "22012a08", "16200e",
		"2c0001", "2d0002",	"2e0001",   "0d08",	"0c",
		"2f",	  "29",		"28",	    "02",	"2b",
		"3300",	  "200004",	"210000",   "260006",	"c000",
		"34",	  "1a",		"2900",
	};
	char code[1024] = "";
	size_t n = fuzz_less(fuzz, 8);

	while (n--)
		strcat(code, parts[fuzz_less(fuzz, ARRAY_SIZE(parts))]);
	if (fuzz_less(fuzz, 2))
		strcpy(code, fuzz_less(fuzz, 2) ? "220522081a0d08" : "2201");
	if (fuzz_less(fuzz, 16) == 0)
		for (n = fuzz_less(fuzz, 150); n; n--)
			strcat(code, "220129");
	strcat(code, "27");
	return (size_t)sprintf(to, "%zx,%s", strlen(code) / 2, code);
}

static size_t make(struct fuzz *fuzz, char *packet)
{
	const char *from = seeds[fuzz_less(fuzz, ARRAY_SIZE(seeds))];
	char *to = packet;

	for (; *from; from++) {
		if (*from != '%') {
			*to++ = *from;
			continue;
		}
		switch (*++from) {
		case 'n':
			to += sprintf(to, "%x", (unsigned)fuzz_less(fuzz, 5));
			break;
		case 'a':
			to += sprintf(to, "%x",
				      0x1000 + 16 * (unsigned)fuzz_less(fuzz,
									3));
			break;
		case 'x':
			to += add_code(fuzz, to);
			break;
		case 'z':
			to += sprintf(to, "%0*d",
				      2 * (int)fuzz_less(fuzz, 500) + 2, 0);
			break;
		default:
			to += sprintf(to, "%llx",
				      (unsigned long long)fuzz_number(fuzz));
		}
	}
	return (size_t)(to - packet);
}

/* Frames a packet and feeds it; mostly with the checksum that it has. Returns
 * what the reader took, exactly as long as it is, or NULL. */
static char *frame(struct fuzz *fuzz, const uint8_t *packet, size_t n)
{
	static char framed[2 * PACKET_BYTES + 16];
	enum packet_event event = PACKET_MORE;
	char *taken = NULL;
	struct packet out;
	uint32_t i;

	packet_open(&out, framed, sizeof(framed));
	packet_add_bytes(&out, packet, n);
	packet_close(&out);
	if (fuzz_less(fuzz, 64) == 0)
		fuzz_mutate(fuzz, (uint8_t *)framed, out.used);
	for (i = 0; i < out.used; i++) {
		event = packet_take(&reader, (uint8_t)framed[i]);
		if (event != PACKET_READY)
			continue;
		free(taken);
		taken = fuzz_copy(reader.data, reader.used + 1u);
	}
	return taken;
}

/* OK, l, E and two digits, E. and a text, or a definition. */
static int is_answer(const char *p)
{
	if (!*p || strcmp(p, "OK") == 0 || strcmp(p, "l") == 0 ||
	    strcmp(p, "E01") == 0)
		return 1;
	if (text_after(p, "E."))
		return strlen(p) > 10 && strspn(p, "E") == 1;
	return strlen(p) < 990 && strchr(p, ':') != NULL;
}

/* All tracepoints and variables, a line each. */
static void upload(struct fuzz *fuzz, char *all)
{
	static const char *const packets[] = { "qTfP", "qTsP", "qTfV", "qTsV" };
	char *to = all;
	int i;

	for (i = 0; i < 4; i += 2) {
		const char *got = definitions_ask(&connection, packets[i]);

		while (strcmp(got, "l") && to < all + UPLOAD_BYTES - 2048) {
			if (!is_answer(got))
				fuzz_fail(fuzz, "a bad upload", got,
					  strlen(got));
			to += sprintf(to, "%s\n", got);
			got = definitions_ask(&connection, packets[i + 1]);
		}
	}
	*to = 0;
}

/* A line of an upload as the packet that defines the same. */
static void define_again(const char *line, size_t n, int more)
{
	char packet[PACKET_BYTES];
	const char *word = *line == 'T' ? "QTDP:" :
			   *line == 'A' ? "QTDP:-" :
			   *line == 'Z' ? "QTDPsrc:" :
					  "QTDV:";
	int skip = *line == 'T' || *line == 'A' || *line == 'Z';

	sprintf(packet, "%s%.*s%s", word, (int)n - skip, line + skip,
		more ? "-" : "");
	definitions_ask(&connection, packet);
}

/* A gdb takes over what is in `from`; what the next one then finds. */
static void take_over(struct fuzz *fuzz, const char *from, char *to)
{
	definitions_ask(&connection, "QTinit");
	while (*from) {
		size_t n = strcspn(from, "\n");

		define_again(from, n, from[n + 1] == 'A' &&
					      (*from == 'T' || *from == 'A'));
		from += n + 1;
	}
	upload(fuzz, to);
}

/* Twice, since each time their order is turned round. */
static void again(struct fuzz *fuzz)
{
	upload(fuzz, uploads[0]);
	take_over(fuzz, uploads[0], uploads[1]);
	take_over(fuzz, uploads[1], uploads[2]);
	if (strcmp(uploads[0], uploads[2]))
		fuzz_fail(fuzz, "another upload", uploads[2],
			  strlen(uploads[2]));
}

static void check_state(struct fuzz *fuzz)
{
	const struct trace *t = trace_get();
	const struct trace_point *point;
	uint32_t n = 0;

	for (point = t->points; point; point = point->next) {
		struct collect_action actions[COLLECT_ACTIONS_MAX];
		struct collect_request request;

		const struct trace_source *source = point->sources;
		const char *why;

		n++;
		for (; source; source = source->next)
			if (source->used > source->length ||
			    source->length > TRACE_SOURCE_BYTES)
				fuzz_fail(fuzz, "a bad text", source,
					  sizeof(*source));
		trace_request(point, &request, actions);
		if (marker_at(point->address, &why) == !!point->aside ||
		    !point->number ||
		    request.nactions != point->nactions ||
		    point->nactions > COLLECT_ACTIONS_MAX)
			fuzz_fail(fuzz, "a bad tracepoint", point,
				  sizeof(*point));
	}
	if (n != t->npoints || n > COLLECT_POINTS_MAX)
		fuzz_fail(fuzz, "tracepoints are miscounted", &n, sizeof(n));
}

static void try(struct fuzz *fuzz, const uint8_t *packet, size_t n)
{
	char *taken = frame(fuzz, packet, n);
	const char *got;

	told.refuses = fuzz_less(fuzz, 16) ? 0 : -1;
	if (taken) {
		got = definitions_ask(&connection, taken);
		if (!is_answer(got))
			fuzz_fail(fuzz, "a bad answer", got, strlen(got));
		fuzz->accepted += got[0] && !text_after(got, "E");
	}
	free(taken);
	told.refuses = 0;
	check_state(fuzz);
}

int main(int argc, char **argv)
{
	char packet[PACKET_BYTES];
	struct fuzz fuzz;

	fuzz_open(&fuzz, "trace", argc, argv);
	packet_reader_open(&reader, reader_bytes, sizeof(reader_bytes));
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		size_t n = make(&fuzz, packet);

		if (fuzz_less(&fuzz, 4) == 0)
			fuzz_mutate(&fuzz, (uint8_t *)packet, n);
		try(&fuzz, (uint8_t *)packet, n);
		if (fuzz_less(&fuzz, 200) == 0)
			again(&fuzz);
	}
	return fuzz_end(&fuzz, 200);
}
