/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes an event's values from the stack of its probe function. It runs in each
 * hit.
 */
#include "tracepoints/lttng/describe.h"

#include "base/base.h"

/* What an array without an address has. Nobody writes here. */
static char zeros[TAFFRAIL_ARRAY_BYTES_MAX] TABLE;

/*
 * Takes n characters at p. Characters behind a NUL are not the program's to
 * give, and may not be in its memory: they become zeros, as long as the pad has
 * room; then the text is only as long as it is. Returns the pad's next place.
 */
static SIGSAFE char *chars_take(struct write_var *var, const char *p,
				uint64_t n, char *pad, const char *end)
{
	uint64_t used = 0;

	while (used < n && p[used])
		used++;
	var->n = used;
	if (used == n || n > (uint64_t)(end - pad))
		return pad;
	__builtin_memcpy(pad, p, used);
	__builtin_memset(pad + used, 0, n - used);
	var->p = pad;
	var->n = n;
	return pad + n;
}

SIGSAFE void describe_take(struct describe_values *values,
			   const struct describe_step *step,
			   const char *stack, uint64_t limit)
{
	char *fixed = (char *)values->block + values->bytes;
	struct write_var *var = values->vars + values->n;
	char *pad = values->pad, *texts = values->texts;
	uint32_t bits = 8 * values->bytes;
	uint64_t first = values->first;
	const char *p;
	uint64_t word;

	for (; step->op != DESCRIBE_END; step++) {
		__builtin_memcpy(&word, stack, sizeof(word));
		stack += sizeof(word);
		switch (step->op) {
		case DESCRIBE_FLOAT:
			word = float_of_double(word);
			__attribute__((fallthrough));
		case DESCRIBE_WORD:
			/* The next field overwrites what is too much: there is
			 * a word of the block for each field. */
			__builtin_memcpy(fixed, &word, sizeof(word));
			fixed += step->bytes;
			word <<= 64 - 8 * step->bytes;
			if (bits < 64)
				first |= word >> (64 - 8 * step->bytes) << bits;
			bits += 8u * step->bytes;
			break;
		case DESCRIBE_STRING:
			var->p = word ? (const void *)word : "(null)";
			var->n = WRITE_STRING;
			var++;
			break;
		case DESCRIBE_ELEMENTS:
		case DESCRIBE_ARRAY:
		case DESCRIBE_CHARS:
		case DESCRIBE_TEXT:
			__builtin_memcpy(&p, stack, sizeof(p));
			stack += sizeof(p);
			if (!p && (step->op == DESCRIBE_ARRAY ||
				   step->op == DESCRIBE_TEXT))
				p = zeros;
			var->p = p;
			var->n = p ? word : 0;
			if (step->op == DESCRIBE_CHARS && var->n > limit)
				var->n = 0;
			else if (step->op == DESCRIBE_CHARS && p) {
				pad = chars_take(var, p, word, pad,
						 values->pad_end);
				values->cut |= var->n != word;
			} else if (step->op == DESCRIBE_TEXT) {
				texts = chars_take(var, p, word, texts,
						   values->texts_end);
			}
			var++;
			break;
		default:
			break;
		}
	}
	values->first = first;
	values->bytes = bits / 8;
	values->n = (uint32_t)(var - values->vars);
	values->pad = pad;
	values->texts = texts;
}
