/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two markers, and behind them notes that no macro makes: one names an object
 * far outside, one an object whose texts do not end. Runs a command, if it is
 * given one.
 */
#include <stdlib.h>

#include <taffrail/marker.h>

/* its texts are longer than any file */
__attribute__((used, aligned(64)))
static struct taffrail_site endless = {
	.version_ = TAFFRAIL_SITE_VERSION, .kind_ = TAFFRAIL_KIND_EVENT,
	.text_bytes_ = 0x7fffffff,
};

int main(int argc, char **argv)
{
	TAFFRAIL_EVENT(shop, whole, argc);
	TAFFRAIL_EVENT(shop, sound, argc);
	return argc > 1 && system(argv[1]);
}

#define NOTE(object)                                       \
	__asm__(".pushsection .note.taffrail,\"a\",\"note\"\n" \
		".balign 4\n"                              \
		".4byte 9, 16, " TYPE "\n"                 \
		".asciz \"taffrail\"\n"                    \
		".balign 4\n"                              \
		".4byte main - .\n"                        \
		".4byte " object "\n"                      \
		".4byte 0, 1\n"                            \
		".popsection\n")
#define WORD_(n)	#n
#define WORD(n)		WORD_(n)
#define TYPE		WORD(TAFFRAIL_NOTE_TYPE)

NOTE("0x7ffffff0");
NOTE("endless - .");
