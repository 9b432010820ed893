/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter's two streams of bytes. See filter.h.
 *
 * Invariant: the filter cuts bytes into packets as their receiver does (gdb
 * begins a new packet at a '$', and takes the byte behind a '*' for a count;
 * gdbserver does neither). It puts no bytes into the middle of a packet.
 */
#include "gdbstub/filter/filter.h"

#include <string.h>

#include "gdbstub/filter/private.h"
#include "gdbstub/wire/rsp.h"

#define NOTE_BYTES	2048u	/* kept of a passing packet */
#define TRAILER_BYTES	3u	/* # and two digits */
#define NOTIFICATION	'%'

enum { OUTSIDE, PAYLOAD, DIGIT_HIGH, DIGIT_LOW };

void filter_open(struct filter *f, const struct filter_host *host)
{
	memset(f, 0, offsetof(struct filter, buffer.bytes));
	f->host = *host;
}

void filter_connect(struct filter *f)
{
	size_t kept = offsetof(struct filter, no_ack);

	for (int side = FILTER_GDB; side <= FILTER_SERVER; side++) {
		f->streams[side].state = OUTSIDE;
		f->queues[side].used = 0;
	}
	memset((char *)f + kept, 0, offsetof(struct filter, answer) - kept);
	f->nmeant = 0;
	f->buffer.registers = 0;
}

const struct filter_queue *filter_queue(const struct filter *f,
					enum filter_side to)
{
	return &f->queues[to];
}

static uint32_t queue_room(const struct filter_queue *q)
{
	return FILTER_QUEUE_BYTES - q->used;
}

static void queue_add(struct filter_queue *q, const char *p, uint32_t n)
{
	memcpy(q->bytes + q->used, p, n);
	q->used += n;
}

static void queue_byte(struct filter_queue *q, char c)
{
	q->bytes[q->used++] = c;
}

static struct filter_queue *other_queue(struct filter *f, enum filter_side from)
{
	return &f->queues[from == FILTER_GDB ? FILTER_SERVER : FILTER_GDB];
}

/* Sends the filter's own answer, as soon as no other packet is half sent. */
static void answer_send(struct filter *f)
{
	struct filter_queue *q = &f->queues[FILTER_GDB];
	uint32_t from = f->answer_from;

	if (!f->answer_waits || f->streams[FILTER_SERVER].state != OUTSIDE ||
	    queue_room(q) < FILTER_ANSWER_BYTES)
		return;
	queue_add(q, f->answer + from, f->answer_used - from);
	f->answer_waits = 0;
}

void filter_sent(struct filter *f, enum filter_side to, uint32_t n)
{
	struct filter_queue *q = &f->queues[to];

	q->used -= n;
	memmove(q->bytes, q->bytes + n, q->used);
	answer_send(f);
}

/* Requests and their answers */

/* Notes a request that awaits an answer. The oldest is dropped when gdb asks
 * without end. */
static void pending_add(struct filter *f, enum filter_kind kind)
{
	if (kind == KIND_NONE)
		return;
	if (f->npending == FILTER_PENDING)
		memmove(f->pending, f->pending + 1, --f->npending);
	f->pending[f->npending++] = (uint8_t)kind;
}

/* Returns the kind of the next answer. */
static enum filter_kind pending_next(const struct filter *f)
{
	return f->npending ? f->pending[0] : KIND_PLAIN;
}

/* Returns the kind of the answer that has come, and waits for the next. */
static enum filter_kind pending_end(struct filter *f)
{
	enum filter_kind kind = pending_next(f);

	if (f->npending)
		memmove(f->pending, f->pending + 1, --f->npending);
	f->last = (uint8_t)kind;
	return kind;
}

/* gdb wants the last answer again. */
static void pending_again(struct filter *f)
{
	if (f->npending == FILTER_PENDING)
		f->npending--;
	memmove(f->pending + 1, f->pending, f->npending++);
	f->pending[0] = f->last;
}

/* Sends the held bytes as they came, and lets the rest of the packet pass. */
static void held_release(struct filter *f, enum filter_side from)
{
	struct filter_stream *s = &f->streams[from];

	if (!s->passing)
		queue_add(other_queue(f, from), s->hold, s->held);
	s->passing = 1;
}

/* Returns the payload, and puts a NUL in place of the '#'. */
static char *payload_cut(struct filter_stream *s)
{
	if (s->hold[s->held - TRAILER_BYTES] == RSP_END)
		s->hold[s->held - TRAILER_BYTES] = '\0';
	return s->hold + 1;
}

static int digit_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Returns true when a held packet is plain text with the right checksum. */
static bool is_sound(const struct filter_stream *s)
{
	const char *end = s->hold + s->held - TRAILER_BYTES;
	uint8_t sum = 0;

	for (const char *p = s->hold + 1; p < end; p++) {
		/* behind a '*' the byte is a count */
		if (!*p || (*p == RSP_ESCAPE && p[-1] != RSP_REPEAT))
			return false;
		sum += (uint8_t)*p;
	}
	return digit_value(end[1]) == sum >> 4 &&
	       digit_value(end[2]) == (sum & 15);
}

/* Writes a packet with its repetitions written out to `to`. Returns false when
 * that is too long, or a count is wrong. */
static bool repeats_expand(char *to, size_t size, const char *p)
{
	size_t used = 0;

	for (; *p; p++) {
		uint32_t times = 1;
		char c = *p;

		if (c == RSP_REPEAT) {
			if (!used || p[1] < ' ')
				return false;
			c = to[used - 1];
			times = (uint8_t)*++p - 29u;
		}
		if (used + times >= size)
			return false;
		memset(to + used, c, times);
		used += times;
	}
	to[used] = '\0';
	return true;
}

/* Returns true for the server's question to gdb while it installs tracepoints,
 * and for gdb's answer to it. */
static bool is_question(const char *p)
{
	return !strncmp(p, "qRelocInsn:", 11);
}

/* Returns, at the end of a passing packet, the part of its payload that was
 * kept. */
static const char *payload_kept(struct filter_stream *s)
{
	if (s->held < NOTE_BYTES)
		s->held -= TRAILER_BYTES;
	s->hold[s->held] = '\0';
	return s->hold + 1;
}

/* Sends the filter's own answer, which is behind f->answer[0]: that is the '+'
 * that the server would have sent. */
static void answer_ready(struct filter *f, struct packet *out, uint8_t from)
{
	packet_close(out);
	f->answer[0] = RSP_ACK;
	f->answer_from = from;
	f->answer_used = out->used + 1;
	f->answer_waits = 1;
	f->acks += !f->no_ack;
	answer_send(f);
}

/* Tells gdb's user a fact. While the program runs, gdb prints text that comes
 * before the answer. */
static void hint_send(struct filter *f)
{
	static const char name[] = "taffrail: ", end[] = "\n";
	const char *text = f->hint;
	struct packet out;

	f->hint = NULL;
	packet_open(&out, f->answer + 1, FILTER_ANSWER_BYTES - 1);
	packet_add(&out, "O");
	packet_add_hex(&out, name, sizeof(name) - 1);
	packet_add_hex(&out, text, strlen(text));
	packet_add_hex(&out, end, sizeof(end) - 1);
	answer_ready(f, &out, 1);
}

/* Ends a request. One that was kept whole is answered, changed or passed; one
 * that has passed is only noted. */
static void request_end(struct filter *f)
{
	struct filter_stream *s = &f->streams[FILTER_GDB];
	enum filter_verdict verdict = VERDICT_PASS;
	struct packet out;
	const char *p;

	if (s->passing) {
		p = payload_kept(s);
		f->downloading = 0;
		if (f->server_asks && (*p == 'E' || is_question(p)))
			f->server_asks = 0;
		else
			pending_add(f, *p == 'k' || *p == 'R' ? KIND_NONE :
								KIND_PLAIN);
		return;
	}
	f->kind = KIND_PLAIN;
	packet_open(&out, f->answer + 1, FILTER_ANSWER_BYTES - 1);
	if (is_sound(s)) {
		verdict = filter_request(f, payload_cut(s), &out);
		s->hold[s->held - TRAILER_BYTES] = RSP_END;
	}
	if (verdict == VERDICT_ANSWERED) {
		answer_ready(f, &out, f->no_ack);
		return;
	}
	if (verdict == VERDICT_CHANGED && !out.cut) {
		packet_close(&out);
		queue_add(&f->queues[FILTER_SERVER], out.start, out.used);
	} else {
		held_release(f, FILTER_GDB);
	}
	/* gdb makes one request at a time, so older ones get no answer any
	 * more, and this answer must not be taken for one of theirs */
	if (f->kind != KIND_PLAIN)
		f->npending = 0;
	pending_add(f, f->kind);
	/* gdb drops a packet that comes before its own is acknowledged */
	if (f->hint && f->no_ack)
		hint_send(f);
}

/* Returns true for an answer. Text for gdb's user, and a question to gdb, are
 * no answers. */
static bool is_answer(struct filter *f, const char *p)
{
	if (is_question(p)) {
		if (pending_next(f) == KIND_RESTART ||
		    pending_next(f) == KIND_INSTALL)
			return true;
		f->server_asks = 1;
		return false;
	}
	return !(p[0] == 'O' && digit_value(p[1]) >= 0);
}

/* Ends a packet of the server: an answer or a notification. An answer that was
 * kept whole is changed, followed by a request of the filter, or passed. */
static void answer_end(struct filter *f)
{
	struct filter_stream *s = &f->streams[FILTER_SERVER];
	struct filter_queue *to_gdb = &f->queues[FILTER_GDB];
	struct filter_queue *to_server = &f->queues[FILTER_SERVER];
	enum filter_verdict verdict = VERDICT_PASS;
	struct packet out;
	const char *p;

	if (s->passing) {
		p = payload_kept(s);
		if (repeats_expand(f->work, sizeof(f->work), p))
			p = f->work;
		if (s->notice)
			filter_answer_note(f, KIND_PLAIN,
					   strncmp(p, "Stop:", 5) ? p : p + 5);
		else if (is_answer(f, p))
			filter_answer_note(f, pending_end(f), p);
		return;
	}
	if (!is_answer(f, s->hold + 1)) {
		held_release(f, FILTER_SERVER);
		return;
	}
	packet_open(&out, to_gdb->bytes + to_gdb->used, FILTER_WORK_BYTES);
	f->kind = (uint8_t)pending_end(f);
	if (is_sound(s)) {
		if (repeats_expand(f->work, sizeof(f->work), payload_cut(s)))
			verdict = filter_answer(f, f->kind, f->work, &out);
		s->hold[s->held - TRAILER_BYTES] = RSP_END;
	}
	if (verdict == VERDICT_CHANGED && !out.cut) {
		packet_close(&out);
		to_gdb->used += out.used;
	} else if (verdict == VERDICT_MORE) {
		packet_close(&out);
		/* gdb sees neither that answer nor the next request */
		if (!f->no_ack) {
			queue_byte(to_server, RSP_ACK);
			f->server_acks++;
		}
		queue_add(to_server, out.start, out.used);
		pending_add(f, f->kind);
	} else {
		if (is_question(s->hold + 1)) {
			f->server_asks = 1;
			pending_again(f);
		}
		held_release(f, FILTER_SERVER);
	}
}

/* Bytes */

/* Begins a packet. A packet is kept until it is clear that it may pass. */
static void packet_begin(struct filter *f, enum filter_side from, char byte)
{
	struct filter_stream *s = &f->streams[from];

	s->state = PAYLOAD;
	s->repeat = 0;
	s->held = 1;
	s->hold[0] = byte;
	s->notice = byte == NOTIFICATION;
	s->passing = from == FILTER_SERVER &&
		     (s->notice || !filter_answer_held(pending_next(f)));
	if (s->passing)
		queue_byte(other_queue(f, from), byte);
}

/* Takes a byte between packets. The other side does not see acknowledgements of
 * the filter's own packets. */
static void take_outside(struct filter *f, enum filter_side from, char byte)
{
	if (byte == RSP_BEGIN || (byte == NOTIFICATION &&
				  from == FILTER_SERVER)) {
		packet_begin(f, from, byte);
		return;
	}
	if (from == FILTER_GDB && f->acks &&
	    (byte == RSP_ACK || byte == RSP_NAK)) {
		if (byte == RSP_ACK) {
			f->acks--;
			return;
		}
		f->answer_from = 1;
		f->answer_waits = 1;
		answer_send(f);
		return;
	}
	if (from == FILTER_SERVER && f->server_acks &&
	    (byte == RSP_ACK || byte == RSP_NAK)) {
		f->server_acks--;
		if (byte == RSP_ACK)
			return;
	}
	if (byte == RSP_NAK && !f->no_ack) {
		if (from == FILTER_GDB)
			pending_again(f);
		else if (f->npending)
			f->npending--;	/* gdb will send the request again */
	}
	queue_byte(other_queue(f, from), byte);
	if (f->hint && from == FILTER_SERVER && byte == RSP_ACK)
		hint_send(f);
}

/* Keeps a byte, or passes it. A packet that is too long passes from here on. */
static void byte_keep(struct filter *f, enum filter_side from, char byte)
{
	struct filter_stream *s = &f->streams[from];

	if (!s->passing && s->held == FILTER_HOLD_BYTES - 1)
		held_release(f, from);
	if (s->passing)
		queue_byte(other_queue(f, from), byte);
	if (!s->passing || s->held < NOTE_BYTES)
		s->hold[s->held++] = byte;
}

/* Takes one byte from a side, by the rules of the byte's receiver. */
static void byte_take(struct filter *f, enum filter_side from, char byte)
{
	struct filter_stream *s = &f->streams[from];

	switch (s->state) {
	case OUTSIDE:
		take_outside(f, from, byte);
		break;
	case PAYLOAD:
		if (from == FILTER_SERVER && s->repeat) {
			s->repeat = 0;
			byte_keep(f, from, byte);
			break;
		}
		if (from == FILTER_SERVER && byte == RSP_BEGIN) {
			held_release(f, from);
			packet_begin(f, from, byte);
			break;
		}
		s->repeat = byte == RSP_REPEAT;
		if (byte == RSP_END)
			s->state = DIGIT_HIGH;
		byte_keep(f, from, byte);
		if (from == FILTER_GDB && !s->passing && byte != RSP_END &&
		    !filter_request_matters(f, s->hold + 1, s->held - 1))
			held_release(f, from);
		break;
	case DIGIT_HIGH:
		byte_keep(f, from, byte);
		s->state = DIGIT_LOW;
		break;
	default:
		byte_keep(f, from, byte);
		s->state = OUTSIDE;
		if (from == FILTER_GDB)
			request_end(f);
		else
			answer_end(f);
		answer_send(f);
	}
}

size_t filter_take(struct filter *f, enum filter_side from, const char *bytes,
		   size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (queue_room(other_queue(f, from)) < FILTER_ROOM_BYTES ||
		    (from == FILTER_GDB && f->answer_waits))
			break;
		byte_take(f, from, bytes[i]);
	}
	return i;
}
