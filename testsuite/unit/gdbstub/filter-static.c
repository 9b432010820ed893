/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Static data through the filter (gdbstub/filter/static.c), to a gdbserver that
 * does not know it: it is collected, read, listed, saved and uploaded.
 */
#include "testsuite/unit/filter-bed.h"

#include <stdlib.h>

#include "gdbstub/wire/static-block.h"

#define WANTED	"M-1,7461666672000000,0"
#define ELEMENT	"<memory start=\"0x7461666672000000\" length=\"0x8\"/>"
#define NAME	"<memory start=\"0x7461666672010000\" length=\"0x8\"/>"
#define OTHER	"<memory start=\"0x74616666720000001\" length=\"0x8\"/>"

static void new_filter(int no_ack)
{
	static const struct filter_host host = {
		.read = one_read, .get = one_get,
	};

	filter_begin(&host, no_ack);
}

static void passes(const char *request, const char *answer)
{
	exchange(request, request, answer, answer);
}

/* Actions: an L at any place, and only an L that is an action. */
static void actions(void)
{
	new_filter(1);
	unit_equal(STATIC_BLOCK_ADDRESS, 0x7461666672000000, "the address");
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	exchange("QTDP:-1:401000:L-", "QTDP:-1:401001:" WANTED "-", "OK", "OK");
	exchange("QTDP:-1:401000:LR03X2,2027LM-1,4c,5",
		 "QTDP:-1:401001:" WANTED "R03X2,2027" WANTED "M-1,4c,5", "OK",
		 "OK");
	/* at another place, too, where a fast tracepoint may have it */
	exchange("QTDP:-2:401001:M5,0,10L", "QTDP:-2:401001:M5,0,10" WANTED,
		 "OK", "OK");
	exchange("QTDP:-2:401001:R03SL-", "QTDP:-2:401001:R03S" WANTED "-",
		 "OK", "OK");
	passes("QTDP:-2:401001:X2,L-", "E01");
	passes("QTDP:-2:401001:X2,4L-", "E01");
	passes("QTDP:-2:401001:M-1,L", "E01");
	passes("QTDP:-2:401001:M-1,2,L", "E01");
	passes("QTDP:-2:401001:ZL", "E01");
	passes("QTDP:-2:401001:-L", "E01");
	passes("QTDP:-2:401001", "E01");
	passes("QTDP:-2:L", "E01");
	exchange("qTfP", "qTfP", "A1:401001:" WANTED, "A1:401000:L");
	exchange("qTsP", "qTsP", "A2:401001:" WANTED, "A2:401001:L");
	exchange("qTsP", "qTsP", "A1:401001:" WANTED "0",
		 "A1:401000:" WANTED "0");
	exchange("qTsP", "qTsP", "A2:401001:R03", "A2:401001:R03");
}

static void reads(const char *at, const char *length, const char *answer,
		  const char *to_gdb)
{
	char request[64], memory[64];

	snprintf(request, sizeof(request), "qXfer:statictrace:read::%s,%s", at,
		 length);
	snprintf(memory, sizeof(memory), "m%llx,%s",
		 STATIC_BLOCK_ADDRESS + 16 + strtoull(at, NULL, 16),
		 strcmp(length, "1000") ? length : "800");
	exchange(request, memory, answer, to_gdb);
}

static void data(void)
{
	static char hex[2 * 2048 + 1], text[2 + 2048];

	new_filter(1);
	reads("0", "1000", "6161", "laa");
	/* bytes that must be escaped */
	give(FILTER_GDB, framed("qXfer:statictrace:read::0,4"));
	sent(FILTER_SERVER);
	give(FILTER_SERVER, framed("232a7d61"));
	unit_equal_string(sent(FILTER_GDB), framed("m}\x03}\x0a}\x5d"
			  "a"), "escapes");
	memset(hex, '6', sizeof(hex) - 1);
	memset(text + 1, 'f', 2048);
	text[0] = 'm';
	reads("0", "1000", hex, text);
	reads("800", "1000", "616263", "labc");
	reads("803", "1000", "E01", "l");
	reads("0", "1000", "E01", "E01");
	reads("0", "1000", "", "E01");
	reads("0", "2", "616263", "E01");
	reads("0", "2", "6x", "E01");
	exchange("qXfer:statictrace:read:x:0,4", NULL, NULL,
		 "E.malformed request");
	exchange("qXfer:statictrace:read::4", NULL, NULL,
		 "E.malformed request");
}

/* Time and thread are before the text. */
static void stamp(void)
{
	new_filter(1);
	exchange("qTaffrail:stamp", "m7461666672000000,10",
		 "00112233445566770100000000000000",
		 "00112233445566770100000000000000");
	exchange("qTaffrail:stamp", "m7461666672000000,10", "E01", "E01");
	passes("qTaffrail:stamps", "");
	exchange("qTaffrail:name", "m7461666672010000,7f", "612f62", "612f62");
	exchange("qTaffrail:name", "m7461666672010000,7f", "E01", "E01");
}

/* The list of what a frame holds: without static data, but of the same length.
 */
static void list(void)
{
	static char blank[sizeof(ELEMENT)];
	char shown[256];

	memset(blank, ' ', sizeof(blank) - 1);
	snprintf(shown, sizeof(shown), "l<a>%s" OTHER "%s</a>", blank, blank);
	new_filter(1);
	exchange("qXfer:traceframe-info:read::0,1000",
		 "qXfer:traceframe-info:read::0,1000",
		 "l<a>" ELEMENT OTHER NAME "</a>", shown);
	passes("qXfer:traceframe-info:read::0,1000", "l<a>" OTHER "</a>");
	passes("qXfer:traceframe-info:read::0,10",
	       "m<memory start=\"0x7461666672000000\"");
	passes("qXfer:traceframe-info:read::0,10", "E01");
	exchange("qXfer:traceframe-info:read::1f,1fffb",
		 "qXfer:traceframe-info:read::1f,2000", "l</a>", "l</a>");
	passes("qXfer:traceframe-info:read::0,2001x", "E01");
}

/* gdb saves frames without static data. */
static void saved(void)
{
	new_filter(1);
	passes("g", "xx00");
	exchange("qTBuffer:0,7d0", "qTBuffer:0,1000",
		 "01002700000052aabb" "4d00000072666661740100ff"
		 "4d00000172666661740100ff"
		 "4d01000072666661740100ff",
		 "01000f00000052aabb" "4d01000072666661740100ff");
}

int main(void)
{
	actions();
	data();
	stamp();
	list();
	saved();
	return unit_end();
}
