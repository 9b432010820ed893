/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers whose descriptions no macro makes, written by hand as the
 * applications' ABI has them (site.h): what LTTng-UST can say of a field. The
 * events foreign/... are those of described-lttng.c. With an argument, the
 * program prints "ready" and hits its markers until its input ends.
 */
#define TAFFRAIL_FLAG_SITES
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

#define PACKED	__attribute__((packed))

struct PACKED word {
	struct taffrail_shown head;
};

struct PACKED count {
	struct taffrail_shown head;
	uint64_t n;
};

#define WORD(field, how)	{ { field, TAFFRAIL_HOW_##how, 0, 0 } }
#define COUNT(field, n)		{ { field, TAFFRAIL_HOW_COUNT, 1, 8 }, n }

/* Names for values: FROM, TO each; the literal's own NUL ends the last name. */
#define RANGES_TYPE(n, names)						\
	struct PACKED {							\
		struct taffrail_shown head;				\
		int64_t values[n];					\
		char names_[sizeof(names)];				\
	}
#define RANGES(field, n, names, ...)					\
	{ { field, TAFFRAIL_HOW_RANGES, n, 8 * (n) + sizeof(names) },	\
	  { __VA_ARGS__ }, names }

#define TEXTS(name, fields)	"foreign\0" name "\0" fields "\0described.c"

/* An object: the site, its texts, and the descriptions. */
#define OBJECT(object, texts_, descriptions)				\
	static struct {							\
		struct taffrail_site site_;				\
		char texts[sizeof(texts_)];				\
		descriptions						\
	} PACKED __attribute__((aligned(64))) object
#define SITE(object, literal, n, fixed, nvar, ...)		\
	.site_ = { .version_ = TAFFRAIL_SITE_VERSION,			\
		   .kind_ = TAFFRAIL_KIND_EVENT, .nfields_ = n,		\
		   .fixed_bytes_ = fixed, .nvar_ = nvar,		\
		   .flags_ = TAFFRAIL_SITE_FLAG_TESTED,			\
		   .line_ = __LINE__, .types_ = { __VA_ARGS__ },	\
		   .text_bytes_ = sizeof(object) -			\
				  sizeof(struct taffrail_site) },	\
	.texts = literal

#define HIT(object, fixed, var)	do {					\
	__asm__ __volatile__(TAFFRAIL_SITE_CODE_			\
		: : [taffrail_object_] TAFFRAIL_FIXED_ (&(object)));	\
	write_hit((struct taffrail_site *)(void *)&(object), fixed,	\
		  var);							\
} while (0)

static void write_hit(struct taffrail_site *site, uint64_t fixed,
		      const struct taffrail_var *var)
{
	if (site->enabled_)
		site->hit_(site, fixed, var);
}

#define A(type)	(TAFFRAIL_T_ARRAY | TAFFRAIL_T_##type)
#define Q(type)	(TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_##type)

#define ARRAYS	TEXTS("arrays", "arr, arrx, arrn, arrh, txt, raw, after")
OBJECT(arrays, ARRAYS,
       struct count arr; struct count arrx; struct word arrx_hex;
       struct count arrn; struct word arrn_big;
       struct count arrh; struct word arrh_big; struct word arrh_hex;
       struct count txt; struct word txt_text; struct count raw;) = {
	SITE(arrays, ARRAYS, 7, 4, 6, A(S32), A(S32), A(U16), A(U32), A(S8),
	     A(S8), TAFFRAIL_T_S32),
	.arr = COUNT(1, 3), .arrx = COUNT(2, 2), .arrx_hex = WORD(2, HEX),
	.arrn = COUNT(3, 2), .arrn_big = WORD(3, BIG_ENDIAN),
	.arrh = COUNT(4, 2), .arrh_big = WORD(4, BIG_ENDIAN),
	.arrh_hex = WORD(4, HEX), .txt = COUNT(5, 8),
	.txt_text = WORD(5, CHARS), .raw = COUNT(6, 3),
};

#define SEQUENCES	TEXTS("sequences", "sq, sb, sn, st, none, full")
OBJECT(sequences, SEQUENCES,
       struct word sb; struct word sn; struct word st; struct word none;
       struct word full;) = {
	SITE(sequences, SEQUENCES, 6, 0, 6, Q(S32), Q(U8), Q(S16), Q(S8), Q(S8),
	     Q(U8)),
	.sb = WORD(2, HEX), .sn = WORD(3, BIG_ENDIAN), .st = WORD(4, CHARS),
	.none = WORD(5, CHARS), .full = WORD(6, CHARS),
};

#define NAMES	"IDLE\0BUSY\0neg\0after\0THREE\0with blank, comma\0say \"hi\""
#define VALUES	0, 0, 1, 9, -5, -5, -4, -4, 3, 3, 20, 20, 30, 40
#define WIDE	"TOP\0LOW\0MID"
#define ENUMS	TEXTS("enums", "e, ec, eu, es")
OBJECT(enums, ENUMS,
       RANGES_TYPE(14, NAMES) e; RANGES_TYPE(14, NAMES) ec;
       RANGES_TYPE(6, WIDE) eu; RANGES_TYPE(6, WIDE) es;) = {
	SITE(enums, ENUMS, 4, 21, 0, TAFFRAIL_T_S32, TAFFRAIL_T_U8,
	     TAFFRAIL_T_U64, TAFFRAIL_T_S64),
	.e = RANGES(1, 14, NAMES, VALUES), .ec = RANGES(2, 14, NAMES, VALUES),
	.eu = RANGES(3, 6, WIDE, INT64_MIN, -1, 0, 9, 10, INT64_MAX),
	.es = RANGES(4, 6, WIDE, 10, INT64_MAX, INT64_MIN, -1, 0, 9),
};

/* What LTTng-UST cannot say, but the descriptions can. */
#define OWN	"own\0own\0bits, octal, ones\0described.c"
OBJECT(own, OWN, struct word bits; struct word octal; struct count ones;
       struct word ones_bits; struct PACKED {
		struct taffrail_shown head;
		char uri[24];
       } uri;) = {
	SITE(own, OWN, 3, 1, 2, TAFFRAIL_T_U8, Q(U16), A(S8)),
	.bits = WORD(1, BIN), .octal = WORD(2, OCT), .ones = COUNT(3, 2),
	.ones_bits = WORD(3, BIN),
	.uri = { { 0, TAFFRAIL_HOW_URI, 0, 24 }, "http://example.org/\"own" },
};

#define VAR(p)		{ p, sizeof(p) / sizeof(*(p)) }
#define VAR_N(p, n)	{ p, n }

static void hit_all(void)
{
	static const int v[] = { 1, -2, 300 };
	static const uint8_t n[] = { 0, 1, 0x34, 0x12, 0xff, 0xfe, 1, 2 };
	static const char text[] = "hello";
	static const uint16_t octal[] = { 8, 0xffff };
	static const int8_t ones[] = { 5, -1 };
	static const int e[] = { 0, 5, -5, -4, 3, 20, 35, 77 };
	static const uint64_t wide[] = { 0, 9, 10, INT64_MAX, 1ull << 63,
					 UINT64_MAX, 4, 11 };
	const struct taffrail_var array[] = {
		VAR(v), VAR_N(v, 2), VAR_N(n, 2), VAR_N(n, 2),
		VAR_N("abc\0\0\0\0", 8), VAR_N("abc", 3),
	};
	const struct taffrail_var sequence[] = {
		VAR(v), VAR_N(text, 5), VAR_N(n, 4), VAR_N("hi\0\0", 5),
		VAR_N("", 0), VAR_N(text, 5),
	};
	const struct taffrail_var mine[] = { VAR(octal), VAR(ones) };
	struct PACKED {
		int e;
		uint8_t ec;
		uint64_t eu, es;
	} fixed;
	int i;

	HIT(arrays, 7, array);
	HIT(sequences, 0, sequence);
	for (i = 0; i < 8; i++) {
		fixed.e = e[i];
		fixed.ec = (uint8_t)e[i];
		fixed.eu = fixed.es = wide[i];
		HIT(enums, (uint64_t)(uintptr_t)&fixed, NULL);
	}
	HIT(own, 5, mine);
}

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };

	(void)argv;
	hit_all();
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit_all();
	}
	return 0;
}
