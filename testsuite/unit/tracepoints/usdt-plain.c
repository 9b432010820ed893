/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usdt_decode_plain(), which works without the decoder, gives the decoder's
 * results: for all opcodes behind all prefixes, for random bytes, and for this
 * program's own code. Most of that code must not need the decoder.
 */
#include "testsuite/unit/unit.h"

#include <stdint.h>

#include "tracepoints/usdt/plan/plan.h"


#define ADDRESS	0x100000ull
#define BYTES	16

extern const uint8_t etext[];

static uint32_t plain;		/* of the compared instructions */
static uint32_t compared;
static uint32_t wrong;

static uint32_t compare(const uint8_t *bytes, uint64_t n)
{
	struct usdt_decoded want;
	struct usdt_decoded got;
	int known = usdt_decode(usdt_zydis(), bytes, n, ADDRESS, &want);

	compared += (uint32_t)known;
	if (!usdt_decode_plain(bytes, n, ADDRESS, &got))
		return known ? want.length : 0;
	plain++;
	if (!known || got.length != want.length || got.leads != want.leads ||
	    got.ends != want.ends || got.through != want.through ||
	    (got.leads && (got.target != want.target ||
			   !got.field != !want.field)) ||
	    (got.field && got.field != want.field)) {
		if (wrong++ < 10)
			printf("# %02x %02x %02x %02x: %d bytes, not %d\n",
			       bytes[0], bytes[1], bytes[2], bytes[3],
			       got.length, known ? want.length : -1);
	}
	return known ? want.length : got.length;
}

static void check_opcodes(void)
{
	static const struct {
		uint32_t n;
		uint8_t bytes[3];
	} prefixes[] = {
		{ 0, { 0 } }, { 1, { 0x66 } }, { 1, { 0xf2 } },
		{ 1, { 0xf3 } }, { 1, { 0x64 } }, { 1, { 0x40 } },
		{ 1, { 0x41 } }, { 1, { 0x48 } }, { 1, { 0x4f } },
		{ 2, { 0x66, 0x48 } }, { 2, { 0xf2, 0x48 } },
		{ 2, { 0xf3, 0x41 } }, { 2, { 0x65, 0x48 } },
		{ 2, { 0x64, 0x66 } }, { 3, { 0x64, 0x66, 0x45 } },
		{ 2, { 0x48, 0x66 } }, { 2, { 0x66, 0xf2 } },
		{ 2, { 0xf2, 0x66 } }, { 2, { 0x66, 0x64 } },
	};
	uint8_t bytes[BYTES] = { 0 };
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		for (uint32_t k = 0; k < 3 * 65536; k++) {
			uint8_t *p = bytes + prefixes[i].n;

			memcpy(bytes, prefixes[i].bytes, sizeof(bytes[0]) * 3);
			if (k >> 16)
				*p++ = 0x0f;
			*p++ = (uint8_t)(k >> 8);
			*p++ = (uint8_t)k;
			while (p < bytes + sizeof(bytes)) {
				seed = seed * 1103515245 + 12345;
				*p++ = (uint8_t)(seed >> 16);
			}
			compare(bytes, sizeof(bytes));
		}
	unit_equal(wrong, 0, "opcodes: as the decoder says");
}

static void check_random(void)
{
	uint8_t bytes[BYTES];
	uint64_t seed = 1;

	for (uint32_t i = 0; i < 1000000; i++) {
		for (int k = 0; k < BYTES; k++) {
			seed = seed * 6364136223846793005ull + 1;
			bytes[k] = (uint8_t)(seed >> 56);
		}
		compare(bytes, sizeof(bytes));
	}
	unit_equal(wrong, 0, "random: as the decoder says");
	unit_check(!usdt_decode_plain(bytes, 1, ADDRESS,
				      &(struct usdt_decoded){ 0 }),
		   "nothing is read behind what may be");
}

static void check_code(void)
{
	const uint8_t *p = (const uint8_t *)compare;
	uint32_t n = 1;

	plain = compared = 0;
	while (n && p < etext) {
		n = compare(p, (uint64_t)(etext - p));
		p += n;
	}
	unit_equal(wrong, 0, "code: as the decoder says");
	unit_check(compared > 200, "code: there is some");
	unit_check(plain > compared / 10 * 8, "code: most is plain");
	printf("# %u of %u\n", plain, compared);
}

int main(void)
{
	if (!usdt_zydis()) {
		unit_skip("plain instructions", "built without libzydis-dev");
		return unit_end();
	}
	check_opcodes();
	check_random();
	check_code();
	return unit_end();
}
