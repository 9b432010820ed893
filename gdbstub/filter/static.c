/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: static data. gdb collects static data by an action 'L' and reads
 * it by qXfer:statictrace; gdbserver dropped both in release 17. For a server
 * of any release it is memory at an address reserved for it (static-block.h):
 *
 *	gdb	filter				server
 *	QTDP:-1:A:L ------> QTDP:-1:A:M-1,ADDRESS,0 ---->
 *	qXfer:statictrace:read::0,n ----> mADDRESS + 10,n ---->
 *		l and text <----			<---- text in hex
 *	qTaffrail:stamp	----------------> mADDRESS,10 ---->
 *		<--------------------------------- time and thread in hex
 *	qTaffrail:name	----------------> mADDRESS,7f ---->
 *		<--------------------------------- the marker's id in hex
 *
 * Invariant: gdb does not see that memory, neither in the list of a frame's
 * contents nor in a file that gdb saves.
 */
#include <string.h>

#include "base/text.h"
#include "gdbstub/filter/private.h"
#include "gdbstub/wire/static-block.h"

#define READ_BYTES	2048u		/* of static data at once */
#define LIST_BYTES	8192u		/* of a list: it must be kept whole */
#define NAME_BYTES	127u		/* of a marker's id */
#define WORDS_BYTES	48		/* of one of the two below */

/* The action that means static data; a block's element in a frame's list. */
static const char *wanted_action(char *words)
{
	struct text text;

	text_open(&text, words, WORDS_BYTES);
	text_add(&text, "M-1,");
	text_add_hex(&text, STATIC_BLOCK_ADDRESS, 1);
	text_add(&text, ",0");
	return words;
}

/* Returns the beginning of the element for the memory at an address. */
static const char *element_word(char *words, uint64_t address)
{
	struct text text;

	text_open(&text, words, WORDS_BYTES);
	text_add(&text, "<memory start=\"0x");
	text_add_hex(&text, address, 1);
	text_add(&text, "\"");
	return words;
}

static bool skip_number(const char **p)
{
	uint64_t number;

	return packet_read_number(p, &number);
}

/* Steps over one action: L, S, RMASK, MBASE,OFFSET,LENGTH or XLENGTH,CODE.
 * Returns false when there is no action. */
static bool skip_action(const char **p)
{
	uint64_t length;

	switch (*(*p)++) {
	case 'L':
	case 'S':			/* the next actions are for steps */
		return true;
	case 'R':
		*p += strspn(*p, "0123456789abcdefABCDEF");
		return true;
	case 'M':
		packet_read_char(p, '-');
		return skip_number(p) && packet_read_char(p, ',') &&
		       skip_number(p) && packet_read_char(p, ',') &&
		       skip_number(p);
	case 'X':
		if (!packet_read_number(p, &length) ||
		    !packet_read_char(p, ',') || length > strlen(*p) / 2)
			return false;
		*p += 2 * length;
		return true;
	default:
		return false;
	}
}

/* Returns the first 'L' among actions, or NULL. */
static const char *find_static(const char *p)
{
	while (*p && *p != 'L')
		if (!skip_action(&p))
			return NULL;
	return *p ? p : NULL;
}

bool filter_static_wanted(const char *actions)
{
	return find_static(actions) != NULL;
}

/* All other actions stay in their order. */
void filter_static_want(struct packet *out, const char *actions)
{
	char words[WORDS_BYTES];
	const char *at;

	while ((at = find_static(actions))) {
		packet_add_bytes(out, actions, (size_t)(at - actions));
		packet_add(out, wanted_action(words));
		actions = at + 1;
	}
	packet_add(out, actions);
}

bool filter_static_is_action(const char *action)
{
	char words[WORDS_BYTES];

	return !strcmp(action, wanted_action(words));
}

bool filter_static_is_block(const uint8_t *block)
{
	uint64_t address = 0;

	if (*block != 'M')
		return *block == 'S';
	for (uint32_t i = sizeof(address); i--;)
		address = address << 8 | block[1 + i];
	return address == STATIC_BLOCK_ADDRESS ||
	       address == STATIC_NAME_ADDRESS;
}

/* Replaces the request by one for memory of the frame. */
static enum filter_verdict read_memory(struct packet *out, uint64_t address,
				       uint64_t n)
{
	packet_add(out, "m");
	packet_add_number(out, address);
	packet_add(out, ",");
	packet_add_number(out, n);
	return VERDICT_CHANGED;
}

/* ANNEX, which is empty, :OFFSET,LENGTH */
enum filter_verdict filter_static_request(struct filter *f, const char *p,
					  struct packet *out)
{
	uint64_t offset, n;

	if (!packet_read_char(&p, ':') || !packet_read_number(&p, &offset) ||
	    !packet_read_char(&p, ',') || !packet_read_number(&p, &n) || *p)
		return filter_refuse(out, "malformed request");
	f->static_at = offset;
	f->static_wanted = (uint32_t)(n < READ_BYTES ? n : READ_BYTES);
	f->kind = KIND_STATIC;
	return read_memory(out, STATIC_BLOCK_ADDRESS + STATIC_STAMP_BYTES +
			   offset, f->static_wanted);
}

enum filter_verdict filter_static_stamp(struct filter *f, const char *p,
					struct packet *out)
{
	return read_memory(out, STATIC_BLOCK_ADDRESS, STATIC_STAMP_BYTES);
}

enum filter_verdict filter_static_name(struct filter *f, const char *p,
				       struct packet *out)
{
	return read_memory(out, STATIC_NAME_ADDRESS, NAME_BYTES);
}

/* The memory ends where its block ends: an answer shorter than the request is
 * the end. */
enum filter_verdict filter_static_answer(struct filter *f, const char *p,
					 struct packet *out)
{
	size_t n = strlen(p) / 2;
	uint8_t bytes[READ_BYTES];

	if (!n || n > f->static_wanted || !packet_read_hex(&p, bytes, n) ||
	    *p) {
		packet_add(out, f->static_at ? "l" : "E01");
		return VERDICT_CHANGED;
	}
	packet_add(out, n < f->static_wanted ? "l" : "m");
	packet_add_bytes(out, bytes, n);
	return VERDICT_CHANGED;
}

/* ANNEX, which is empty, :OFFSET,LENGTH. From release 16 on, one answer of a
 * server may be longer than the filter keeps, so the filter asks for less. */
enum filter_verdict filter_static_list(struct filter *f, const char *p,
				       struct packet *out)
{
	uint64_t offset, n;

	f->kind = KIND_HOLDINGS;
	if (!packet_read_char(&p, ':') || !packet_read_number(&p, &offset) ||
	    !packet_read_char(&p, ',') || !packet_read_number(&p, &n) ||
	    n <= LIST_BYTES || *p)
		return VERDICT_PASS;
	packet_add(out, "qXfer:traceframe-info:read::");
	packet_add_number(out, offset);
	packet_add(out, ",");
	packet_add_number(out, LIST_BYTES);
	return VERDICT_CHANGED;
}

/* Hides the elements in the list of a frame's contents. They become blanks,
 * because gdb reads the list in pieces and counts the bytes. */
enum filter_verdict filter_static_hide(const char *p, struct packet *out)
{
	enum filter_verdict verdict = VERDICT_PASS;
	char data[WORDS_BYTES], name[WORDS_BYTES];
	const char *from, *to, *other;

	element_word(data, STATIC_BLOCK_ADDRESS);
	element_word(name, STATIC_NAME_ADDRESS);
	for (;;) {
		from = strstr(p, data);
		other = strstr(p, name);
		if (!from || (other && other < from))
			from = other;
		to = from ? strstr(from, "/>") : NULL;
		if (!to)
			break;
		packet_add_bytes(out, p, (size_t)(from - p));
		for (p = to + 2; from < p; from++)
			packet_add(out, " ");
		verdict = VERDICT_CHANGED;
	}
	if (verdict == VERDICT_CHANGED)
		packet_add(out, p);
	return verdict;
}
