/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of pairs: values of fields, in a form in which they can be compared
 * whatever their types' sizes are.
 *
 *	number	8 bytes: an integer extended, or a double
 *	other	the value's bytes, without the NUL of a string
 *
 * Each is kept behind a byte that says how many follow. Bytes without room are
 * in the hash alone.
 *
 * Invariant: equal values of BEGIN and END give equal hashes, whatever the
 * types of the two fields are.
 */
#include "traces/pairs/private.h"

#include <string.h>

#include "traces/text/event-text.h"

#define TEXT_BYTES	(2 * OUT_PIECE_BYTES)

/* Mixes a word into a hash. */
static uint64_t key_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Keeps as many bytes of a key as there is room for. The hash has all of them.
 */
static void key_keep(struct pair *pair, const void *bytes, size_t n)
{
	size_t room = PAIR_KEY_BYTES - pair->key_bytes;

	if (!room)
		return;
	n = n < room - 1 ? n : room - 1;
	pair->key[pair->key_bytes++] = (uint8_t)n;
	memcpy(pair->key + pair->key_bytes, bytes, n);
	pair->key_bytes += (uint8_t)n;
}

/* Returns a number's 8 bytes. */
uint64_t keys_number(const struct field_class *class, const uint8_t *at)
{
	union {
		double f64;
		uint64_t u64;
	} v;

	if (class->kind != FIELD_REAL)
		return field_integer(class, at);
	v.f64 = field_real(class, at);
	/* -0.0 is the same value as 0.0 */
	return v.f64 == 0 ? 0 : v.u64;
}

bool keys_read(struct pair *pair, const struct pair_action *action,
	       const struct trace_event *event, uint64_t *hash)
{
	uint64_t sum = 0;

	pair->key_bytes = 0;
	for (unsigned int i = 0; i < action->kind->nkeys; i++) {
		const struct field_class *class = action->keys[i].class;
		size_t n;
		const uint8_t *at = field_at_bytes(&action->keys[i], event, &n);
		uint64_t word;

		if (!at)
			return false;
		if (class->kind <= FIELD_ENUM) {
			word = keys_number(class, at);
			sum = key_mix(sum, word);
			key_keep(pair, &word, sizeof(word));
			continue;
		}
		if (class->kind == FIELD_STRING)
			n--;
		else if (class->kind == FIELD_TEXT)
			n = strnlen((const char *)at, n);
		key_keep(pair, at, n);
		for (; n >= sizeof(word); n -= sizeof(word)) {
			memcpy(&word, at, sizeof(word));
			at += sizeof(word);
			sum = key_mix(sum, word);
		}
		/* the last word tells how many bytes it has */
		word = n;
		for (size_t k = 0; k < n; k++)
			word = word << 8 | at[k];
		sum = key_mix(sum, word);
	}
	*hash = sum;
	return true;
}

void keys_read_span(struct pair *pair, const struct pair_action *action,
		    const struct trace_event *event)
{
	size_t n;
	const uint8_t *at = field_at_bytes(&action->keys[0], event, &n);
	uint64_t word = at ? keys_number(action->keys[0].class, at) : 0;

	if (at)
		key_keep(pair, &word, sizeof(word));
}

size_t pair_key_text(const struct pair *pair, unsigned int i, char *text,
		     size_t room)
{
	char buffer[TEXT_BYTES] = { 0 };
	struct out out = { .p = buffer, .start = buffer,
			   .end = buffer + sizeof(buffer), .fd = -1 };
	const uint8_t *at = pair->key, *end = at + pair->key_bytes;
	struct field_class class;
	size_t n;

	if (!room)
		return 0;
	for (unsigned int k = 0; k < i && at < end; k++)
		at += 1u + *at;
	if (at < end) {
		class = *pair->keys[i].class;
		n = *at++;
		/* an integer's own bytes are the first, in little endian */
		if (class.kind == FIELD_REAL)
			class.bytes = sizeof(uint64_t);
		if (class.kind > FIELD_ENUM)
			string_text_put(&out, (const char *)at, n);
		else if (n == sizeof(uint64_t))
			field_text_put(&out, &class, at, at + n, false);
	}
	n = (size_t)(out.p - buffer);
	n = n < room - 1 ? n : room - 1;
	memcpy(text, buffer, n);
	text[n] = '\0';
	return n;
}
