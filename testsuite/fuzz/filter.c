/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the filter between gdb and gdbserver.
 *
 * An input is a session: requests and answers, each with what the filter has
 * to send for it by a plain model, among notifications, acknowledgements and
 * Ctrl-C. They come and go in pieces of any size. Now and then the bytes are
 * damaged; then nothing is compared, but all must be taken, and what a side
 * sends without words that the filter knows must come out as it is.
 */
#include "testsuite/fuzz/fuzz.h"

#include "gdbstub/filter/filter.h"
#include "gdbstub/wire/static-block.h"

#define STREAM_BYTES (1u << 20)
#define PACKET_BYTES 100000

/* What has come, and what should come out; `at` of it has. */
struct stream {
	size_t used;
	size_t at;
	char bytes[STREAM_BYTES];
};

static struct filter filter;
static struct stream in[2], want[2];
static char payload[PACKET_BYTES];
static int defined;
static int offered;			/* room for a marker's text */

static uint32_t host_read(void *arg, const struct filter_thread *thread)
{
	(void)arg;
	(void)thread;
	return 2;
}

static void host_get(void *arg, uint32_t i, struct filter_marker *marker)
{
	(void)arg;
	*marker = (struct filter_marker){ 0x1000 + 0x100 * i, "a/b", "c", 0 };
}

static void put(struct stream *to, const char *p, size_t n)
{
	memcpy(to->bytes + to->used, p, n);
	to->used += n;
}

static void put_packet(struct stream *to, const char *p, size_t n)
{
	char sum[4];
	uint8_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += (uint8_t)p[i];
	snprintf(sum, sizeof(sum), "#%02x", total);
	put(to, "$", 1);
	put(to, p, n);
	put(to, sum, 3);
}

/* The same on both sides. */
static void pass(enum filter_side from, const char *p, size_t n)
{
	put_packet(&in[from], p, n);
	put_packet(&want[!from], p, n);
}

static void pass_text(enum filter_side from, const char *text)
{
	pass(from, text, strlen(text));
}

/* A request in which nothing is to be changed, of any bytes and length. */
static size_t make_payload(struct fuzz *fuzz, const char *first)
{
	size_t n = strlen(first), more = fuzz_less(fuzz, 60);

	if (fuzz_less(fuzz, 200) == 0)
		more = fuzz_less(fuzz, PACKET_BYTES - 100);
	memcpy(payload, first, n);
	while (more--) {
		char c = (char)fuzz_less(fuzz, 256);

		if (c == '$' || c == '#' || c == '*' || c == '}')
			c = (char)(c ^ 0x40);
		payload[n++] = c;
	}
	return n;
}

static void run(struct fuzz *fuzz);

static void exchange(struct fuzz *fuzz, const char *request,
		     const char *to_server, const char *answer,
		     const char *to_gdb)
{
	put_packet(&in[FILTER_GDB], request, strlen(request));
	if (to_server) {
		put_packet(&want[FILTER_SERVER], to_server, strlen(to_server));
		run(fuzz);
		put_packet(&in[FILTER_SERVER], answer, strlen(answer));
	}
	put_packet(&want[FILTER_GDB], to_gdb, strlen(to_gdb));
	run(fuzz);
}

/* Requests that the filter knows, with what becomes of them. */
static void known(struct fuzz *fuzz)
{
	unsigned number = 1 + (unsigned)fuzz_less(fuzz, 3);
	unsigned site = 0x1000 + 0x100 * (unsigned)fuzz_less(fuzz, 3);
	int is_marker = site < 0x1200;
	char a[128], b[128], text[700];

	switch (fuzz_less(fuzz, 8)) {
	case 0:
		memset(text, '0', sizeof(text));
		memcpy(text, "m1000:612f62:63", 15);
		text[offered ? 13 + 2 * offered : 15] = '\0';
		exchange(fuzz, "qTfSTM", NULL, NULL, text);
		break;
	case 1:
		offered = fuzz_less(fuzz, 2) ? 272 : 288;
		strcpy(a, offered == 272 ? "qSupported:x" :
		       "qSupported:x;error-message+");
		exchange(fuzz, a, a, "a+",
			 "a+;StaticTracepoints+;qXfer:statictrace:read+");
		break;
	case 2:
		exchange(fuzz, "QTinit", "QTinit", "OK", "OK");
		defined = 0;
		break;
	case 3:
		snprintf(a, sizeof(a), "QTDP:%x:%x:E:0:0:S-", number, site);
		snprintf(b, sizeof(b), "QTDP:%x:%x:E:0:0:F5-", number,
			 site + 1);
		exchange(fuzz, a, is_marker ? b : NULL, is_marker ? "OK" :
			 NULL, is_marker ? "OK" : "E.no marker at this address");
		if (is_marker)
			defined |= 1 << (number * 2 + (site >> 8 & 1));
		break;
	case 4:
		snprintf(a, sizeof(a), "QTEnable:%x:%x", number, site);
		snprintf(b, sizeof(b), "QTEnable:%x:%x", number, site + 1);
		exchange(fuzz, a, is_marker && defined >>
			 (number * 2 + (site >> 8 & 1)) & 1 ? b : a, "OK",
			 "OK");
		break;
	case 5:
		snprintf(a, sizeof(a), "qXfer:statictrace:read::%x,4", site);
		snprintf(b, sizeof(b), "m%llx,4",
			 STATIC_BLOCK_ADDRESS + STATIC_STAMP_BYTES + site);
		if (fuzz_less(fuzz, 2))
			exchange(fuzz, a, b, "61626364", "mabcd");
		else
			exchange(fuzz, a, b, "616263", "labc");
		break;
	case 6:
		exchange(fuzz, "QTDP:-9:7:R03L", "QTDP:-9:7:R03"
			 "M-1,7461666672000000,0", "OK", "OK");
		break;
	default:
		snprintf(a, sizeof(a), "T%x:%x:E:0:0:F5", number, site + 1);
		snprintf(b, sizeof(b), "T%x:%x:E:0:0", number, site);
		exchange(fuzz, "qTfP", "qTfP", a, is_marker && defined >>
			 (number * 2 + (site >> 8 & 1)) & 1 ? b : a);
	}
}

/* A trace buffer: what the server has, and what gdb is to get. */
struct buffer {
	size_t used;
	uint8_t bytes[16384];
};

static struct buffer saved[2];
static size_t ends[2][8];		/* of frames */
static int nframes;

static uint8_t *buffer_add(int side, const uint8_t *p, size_t n)
{
	uint8_t *to = saved[side].bytes + saved[side].used;

	memcpy(to, p, n);
	saved[side].used += n;
	return to;
}

static void make_block(struct fuzz *fuzz)
{
	static const char kinds[] = "RMVST";
	static const uint64_t ours = STATIC_BLOCK_ADDRESS;
	char sort = kinds[fuzz_less(fuzz, 5)];
	char kind = sort == 'T' ? 'M' : sort;
	uint32_t n = (uint32_t)fuzz_less(fuzz, 200);
	uint8_t block[256] = { (uint8_t)kind };
	uint32_t length = kind == 'R' ? 9 : kind == 'V' ? 13 :
			  kind == 'M' ? 11 + n : 3 + n;

	if (kind == 'M')
		block[9] = (uint8_t)n;
	if (kind == 'S')
		block[1] = (uint8_t)n;
	if (sort == 'T')
		memcpy(block + 1, &ours, sizeof(ours));
	buffer_add(FILTER_SERVER, block, length);
	if (sort != 'S' && sort != 'T')
		buffer_add(FILTER_GDB, block, length);
}

static void make_buffer(struct fuzz *fuzz)
{
	nframes = (int)fuzz_less(fuzz, 8);
	saved[0].used = saved[1].used = 0;
	for (int i = 0; i < nframes; i++) {
		uint8_t head[6] = { 1 };
		uint8_t *at[2];

		for (int side = 0; side < 2; side++)
			at[side] = buffer_add(side, head, sizeof(head));
		for (size_t n = fuzz_less(fuzz, 6); n; n--)
			make_block(fuzz);
		for (int side = 0; side < 2; side++) {
			uint32_t bytes;

			ends[side][i] = saved[side].used;
			bytes = (uint32_t)(saved[side].bytes +
					   saved[side].used - at[side] - 6);
			memcpy(at[side] + 2, &bytes, 4);
		}
	}
}

static void put_hex(struct stream *to, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	static char hex[2 * sizeof(saved[0].bytes)];

	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[p[i] >> 4];
		hex[2 * i + 1] = digits[p[i] & 15];
	}
	put_packet(to, hex, 2 * n);
}

/* What gdb can have, when the server has sent so much. */
static size_t ready(size_t server)
{
	size_t n = 0;

	for (int i = 0; i < nframes && ends[FILTER_SERVER][i] <= server; i++)
		n = ends[FILTER_GDB][i];
	return n;
}

static size_t less(struct fuzz *fuzz, size_t left)
{
	size_t n = 1 + fuzz_less(fuzz, 400);

	return n < left ? n : left;
}

/* gdb saves the trace buffer, in pieces of any size. */
static void save(struct fuzz *fuzz)
{
	size_t server = 0, gdb = 0, n;
	char text[64], asked[64];

	exchange(fuzz, "g", "g", "0011223344556677", "0011223344556677");
	make_buffer(fuzz);
	while (gdb < saved[FILTER_GDB].used) {
		n = less(fuzz, 400);
		snprintf(text, sizeof(text), "qTBuffer:%zx,%zx", gdb, n);
		put_packet(&in[FILTER_GDB], text, strlen(text));
		while (ready(server) == gdb) {
			size_t k = less(fuzz, saved[FILTER_SERVER].used -
					server);

			snprintf(text, sizeof(text), "qTBuffer:%zx,1000",
				 server);
			put_packet(&want[FILTER_SERVER], text, strlen(text));
			run(fuzz);
			put_hex(&in[FILTER_SERVER],
				saved[FILTER_SERVER].bytes + server, k);
			server += k;
		}
		if (n > ready(server) - gdb)
			n = ready(server) - gdb;
		put_hex(&want[FILTER_GDB], saved[FILTER_GDB].bytes + gdb, n);
		run(fuzz);
		gdb += n;
	}
	snprintf(text, sizeof(text), "qTBuffer:%zx,7d0", gdb);
	snprintf(asked, sizeof(asked), "qTBuffer:%zx,1000", server);
	exchange(fuzz, text, asked, "l", "l");
}

static void unknown(struct fuzz *fuzz)
{
	static const char *const words[] = {
		"m", "X1000,40:", "vFile:pread:", "vCont;c:", "Z0,1001,1",
		"qXfer:x:", "", "QT", "qTfV", "QTDPs", "qRcmd,", "M", "P",
	};
	static const char *const answers[] = {
		"", "OK", "E01", "T05thread:p1.1;", "F10;", "l", "m", "W00",
	};

	pass(FILTER_GDB, payload,
	     make_payload(fuzz, words[fuzz_less(fuzz, 13)]));
	run(fuzz);
	if (fuzz_less(fuzz, 4) == 0)
		pass_text(FILTER_SERVER, "O68656c6c6f");
	if (fuzz_less(fuzz, 8) == 0) {
		put(&in[FILTER_SERVER], "%Stop:T05thread:p1.1;#00", 24);
		put(&want[FILTER_GDB], "%Stop:T05thread:p1.1;#00", 24);
	}
	if (fuzz_less(fuzz, 8) == 0) {
		put(&in[FILTER_GDB], "\x03", 1);
		put(&want[FILTER_SERVER], "\x03", 1);
	}
	if (fuzz_less(fuzz, 8) == 0)
		put_packet(&in[FILTER_SERVER], "0*}0*~0*\"", 9),
		put_packet(&want[FILTER_GDB], "0*}0*~0*\"", 9);
	else
		pass(FILTER_SERVER, payload,
		     make_payload(fuzz, answers[fuzz_less(fuzz, 8)]));
	run(fuzz);
}

static int comparing;

/* Takes and sends pieces until nothing is left. */
static void run(struct fuzz *fuzz)
{
	int idle = 0;

	while (idle < 200) {
		int side = (int)fuzz_less(fuzz, 2);
		struct stream *s = &in[side];
		const struct filter_queue *q = filter_queue(&filter, side);
		size_t most = 1 + fuzz_less(fuzz, fuzz_less(fuzz, 4) ? 9 :
					    200000);
		size_t n = s->used - s->at < most ? s->used - s->at : most;
		char *piece = fuzz_copy(s->bytes + s->at, n);
		size_t took = filter_take(&filter, side, piece, n);

		free(piece);
		s->at += took;
		n = q->used < most ? q->used : most;
		if (comparing && (n > want[side].used - want[side].at ||
				  memcmp(q->bytes, want[side].bytes +
					 want[side].at, n)))
			fuzz_fail(fuzz, "other bytes", q->bytes,
				  n < 80 ? n : 80);
		want[side].at += n;
		filter_sent(&filter, side, (uint32_t)n);
		idle = took || n ? 0 : idle + 1;
		if (in[0].at == in[0].used && in[1].at == in[1].used &&
		    !filter_queue(&filter, 0)->used &&
		    !filter_queue(&filter, 1)->used)
			return;
	}
	if (comparing)
		fuzz_fail(fuzz, "it stands still", NULL, 0);
}

static void session(struct fuzz *fuzz)
{
	int n = 1 + (int)fuzz_less(fuzz, 6);

	exchange(fuzz, "QTinit", "QTinit", "OK", "OK");
	defined = 0;
	while (n--) {
		if (fuzz_less(fuzz, 8) == 0)
			save(fuzz);
		else if (fuzz_less(fuzz, 2))
			known(fuzz);
		else
			unknown(fuzz);
		if (in[0].used > STREAM_BYTES - 3 * PACKET_BYTES ||
		    in[1].used > STREAM_BYTES - 3 * PACKET_BYTES)
			break;
	}
	if (want[0].at != want[0].used || want[1].at != want[1].used)
		fuzz_fail(fuzz, "bytes are missing", NULL, 0);
	else
		fuzz->accepted++;
}

/* What was sent in a session, damaged, once more. */
static void damaged(struct fuzz *fuzz)
{
	size_t sizes[2] = { in[0].used, in[1].used };

	comparing = 0;
	for (int side = 0; side < 2; side++)
		fuzz_mutate(fuzz, (uint8_t *)in[side].bytes, sizes[side]);
	filter_connect(&filter);
	for (int side = 0; side < 2; side++) {
		in[side].at = 0;
		want[side].used = want[side].at = 0;
	}
	run(fuzz);
	comparing = 1;
}

int main(int argc, char **argv)
{
	static const struct filter_host host = {
		.read = host_read, .get = host_get,
	};
	struct fuzz fuzz;

	fuzz_open(&fuzz, "filter", argc, argv);
	comparing = 1;
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		filter_open(&filter, &host);
		/* the hint is no byte of the server's */
		filter.extension = 1;
		offered = 0;
		for (int side = 0; side < 2; side++) {
			in[side].used = in[side].at = 0;
			want[side].used = want[side].at = 0;
		}
		pass_text(FILTER_GDB, "QStartNoAckMode");
		run(&fuzz);
		pass_text(FILTER_SERVER, "OK");
		run(&fuzz);
		session(&fuzz);
		if (fuzz_less(&fuzz, 2))
			damaged(&fuzz);
	}
	return fuzz_end(&fuzz, 900);
}
