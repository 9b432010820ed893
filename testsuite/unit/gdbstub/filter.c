/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter between gdb and gdbserver (gdbstub/filter/filter.h): the bytes
 * that gdb sends, and the bytes that each side then gets.
 */
#include "testsuite/unit/filter-bed.h"

#include <stdlib.h>

static uint32_t reads;
static uint32_t nmarkers = 2;
static uint64_t asked_pid, asked_tid;

static const struct filter_marker markers[] = {
	{ 0x401000, "app/one", "id %d", 0 },
	{ 0x401fff, "app/two", "int32 id", 0 },
};

static uint32_t host_read(void *arg, const struct filter_thread *thread)
{
	(void)arg;
	reads++;
	asked_pid = thread->pid;
	asked_tid = thread->tid;
	return nmarkers;
}

static void host_get(void *arg, uint32_t i, struct filter_marker *marker)
{
	(void)arg;
	*marker = markers[i];
}

static void host_attach(void *arg, uint64_t pid)
{
	(void)arg;
	asked_pid = pid;
}

static void new_filter(int no_ack)
{
	static const struct filter_host host = {
		.read = host_read, .get = host_get, .attach = host_attach,
	};

	filter_begin(&host, no_ack);
}

#define ONE	"m401000:6170702f6f6e65:6964202564"
#define TWO	"m401fff:6170702f74776f:696e743332206964"

static void list(void)
{
	new_filter(1);
	reads = 0;
	exchange("?", "?", "T0506:0*,;thread:p1f.20;core:1;",
		 "T0506:0*,;thread:p1f.20;core:1;");
	exchange("qTfSTM", NULL, NULL, ONE);
	exchange("qTsSTM", NULL, NULL, TWO);
	exchange("qTsSTM", NULL, NULL, "l");
	unit_equal(reads, 1, "markers are read once a list");
	unit_equal(asked_pid, 0x1f, "of the process that stopped");
	exchange("Hgp2a.0", "Hgp2a.0", "OK", "OK");
	exchange("qTfSTM", NULL, NULL, ONE);
	unit_equal(asked_pid, 0x2a, "of the process that gdb chose");
	exchange("qC", "qC", "QC1f1", "QC1f1");
	exchange("qTfSTM", NULL, NULL, ONE);
	unit_equal(asked_tid, 0x1f1, "a thread without a process");
	unit_equal(asked_pid, 0, "whose process is not told");
	exchange("?", "?", "T05thread:p1* .1* ;", "T05thread:p1* .1* ;");
	exchange("qTfSTM", NULL, NULL, ONE);
	unit_equal(asked_pid, 0x1111, "repetitions are written out");
	exchange("qTSTMat:401000", NULL, NULL, "l");
	/* typed again: gdb has asked whether to send the first at once */
	exchange("qTStatus", "qTStatus", "T0;tnotrun:0", "T0;tnotrun:0");
	exchange("qTSTMat:401000", NULL, NULL, "l");
	exchange("qTStatus", "qTStatus", "T1", "T1");
	exchange("qTSTMat:401fff", NULL, NULL, TWO);
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("qTSTMat:401ffe", NULL, NULL, "l");
	exchange("QTDP:1:401000:E:0:0:S", "QTDP:1:401001:E:0:0:F5", "OK", "OK");
	exchange("qTSTMat:401fff", NULL, NULL, TWO);
	exchange("QTDP:1:401000:E:0:0:S", "QTDP:1:401001:E:0:0:F5", "E01",
		 "E01");
	exchange("qTSTMat:401000", NULL, NULL, "l");
	exchange("QTStart", "QTStart", "OK", "OK");
	exchange("QTDP:2:401000:E:0:0:S", "QTDP:2:401001:E:0:0:F5", "OK", "OK");
	exchange("qTSTMat:401fff", NULL, NULL, "l");
}

/* A marker's text has room for gdb's tracepoint after gdb has named its
 * features; a later gdb names its own. */
static void room(const char *request, size_t n)
{
	char text[700];

	new_filter(1);
	exchange(request, request, "a", "a" OFFERED);
	memset(text, '0', sizeof(text));
	memcpy(text, ONE, sizeof(ONE) - 1);
	text[sizeof("m401000:6170702f6f6e65:") - 1 + 2 * n] = '\0';
	exchange("qTfSTM", NULL, NULL, text);
}

static void rooms(void)
{
	room("qSupported:multiprocess+;xmlRegisters=i386", 272);
	room("qSupported:multiprocess+;error-message+;swbreak+", 288);
	room("qSupported", 272);
	filter_connect(&filter);
	give(FILTER_GDB, framed("QStartNoAckMode"));
	give(FILTER_SERVER, framed("OK"));
	sent(FILTER_GDB);
	sent(FILTER_SERVER);
	exchange("qTfSTM", NULL, NULL, ONE);
}

static void define(void)
{
	new_filter(1);
	exchange("QTDP:1:0000000000401000:E:0:0:S:X3,220127-",
		 "QTDP:1:401001:E:0:0:F5:X3,220127-", "OK", "OK");
	exchange("QTDP:-1:0000000000401000:R03-", "QTDP:-1:401001:R03-", "OK",
		 "OK");
	exchange("QTDP:-2:0000000000401000:R03", "QTDP:-2:0000000000401000:R03",
		 "OK", "OK");
	exchange("QTDPsrc:1:401000:at:0:2:6162", "QTDPsrc:1:401001:at:0:2:6162",
		 "OK", "OK");
	exchange("QTDP:2:401fff:D:0:a:S", "QTDP:2:402000:D:0:a:F5", "OK", "OK");
	exchange("QTDP:3:401000:E:0:0-", "QTDP:3:401000:E:0:0-", "OK", "OK");
	exchange("QTDP:4:401001:E:0:0:F5-", "QTDP:4:401001:E:0:0:F5-", "OK",
		 "OK");
	exchange("QTDP:5:401002:E:0:0:S", NULL, NULL,
		 "E.no marker at this address");
	exchange("QTDP:5:401002:E:S:S", NULL, NULL, "E.malformed tracepoint");
	exchange("QTDisable:2:401fff", "QTDisable:2:402000", "OK", "OK");
	exchange("QTEnable:3:401000", "QTEnable:3:401000", "OK", "OK");
	/* no trace has begun: the server does not know yet */
	exchange("qTP:1:401000", NULL, NULL, "V0:0");
	/* the same number and address, but no longer a static tracepoint */
	exchange("QTDP:1:401000:E:0:0", "QTDP:1:401000:E:0:0", "OK", "OK");
	exchange("qTP:1:401000", NULL, NULL, "V0:0");
	exchange("QTStart", "QTStart", "OK", "OK");
	exchange("qTP:1:401000", "qTP:1:401000", "V1:2", "V1:2");
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("qTP:2:401fff", "qTP:2:401fff", "E01", "E01");
}

static void meant(void)
{
	new_filter(1);
	exchange("QTDP:1:401000:E:0:0", "QTDP:1:401000:E:0:0", "OK", "OK");
	exchange("QTaffrail:static:401000", NULL, NULL, "OK");
	exchange("QTaffrail:static:401004", NULL, NULL,
		 "E.no marker at this address");
	exchange("QTDP:1:401000:E:0:0-", "QTDP:1:401001:E:0:0:F5-", "OK", "OK");
	exchange("QTDP:2:401fff:E:0:0-", "QTDP:2:401fff:E:0:0-", "OK", "OK");
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:1:401000:E:0:0:X2,2027", "QTDP:1:401001:E:0:0:F5:X2,2027",
		 "OK", "OK");
	/* the server would make no step */
	exchange("QTDP:b:401000:E:3:0-", NULL, NULL,
		 "E.tracepoint 11: no while-stepping at a marker with a static "
		 "tracepoint: use trace elsewhere");
	exchange("QTDP:b:401fff:E:3:0-", "QTDP:b:401fff:E:3:0-", "OK", "OK");
}

/* A fast tracepoint at a marker, whose instruction is short. */
static void fast(void)
{
	new_filter(1);
	exchange("qTMinFTPILen", NULL, NULL, "1");
	exchange("QTDP:1:401000:E:0:0:F1:X2,2027-",
		 "QTDP:1:401001:E:0:0:F5:X2,2027-", "OK", "OK");
	exchange("QTDP:-1:401000:R03-", "QTDP:-1:401001:R03-", "OK", "OK");
	exchange("QTDP:2:401000:E:0:0:S", "QTDP:2:401001:E:0:0:F5", "OK",
		 "OK");
	exchange("QTDP:3:401002:E:0:0:F1", NULL, NULL,
		 "E.the instruction is too short for a fast tracepoint");
	exchange("QTDP:3:401002:E:0:0:F5", "QTDP:3:401002:E:0:0:F5", "OK",
		 "OK");
	exchange("qTfP", "qTfP", "T1:401001:E:0:0:F5:X2,2027",
		 "T1:401000:E:0:0:F1:X2,2027");
	exchange("qTsP", "qTsP", "T2:401001:E:0:0:F5", "T2:401000:E:0:0");
	nmarkers = 0;
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("qTMinFTPILen", NULL, NULL, "1");
	new_filter(1);
	exchange("qTMinFTPILen", "qTMinFTPILen", "5", "5");
	nmarkers = 2;
	exchange("qTMinFTPILen", NULL, NULL, "1");
}

static void upload(void)
{
	new_filter(1);
	exchange("QTDP:1:401000:E:0:0:S", "QTDP:1:401001:E:0:0:F5", "OK", "OK");
	filter_connect(&filter);
	new_filter(0);
	give(FILTER_GDB, framed("QTDP:1:401000:E:0:0:S"));
	sent(FILTER_SERVER);
	give(FILTER_SERVER, framed("OK"));
	filter_connect(&filter);
	sent(FILTER_GDB);
	give(FILTER_GDB, framed("QStartNoAckMode"));
	give(FILTER_SERVER, framed("OK"));
	sent(FILTER_GDB);
	sent(FILTER_SERVER);
	exchange("qTfP", "qTfP", "T1:401001:E:0:0:F5:X3,220127",
		 "T1:401000:E:0:0:X3,220127");
	exchange("qTsP", "qTsP", "T1:7:E:0:0:F5", "T1:7:E:0:0:F5");
	exchange("qTsP", "qTsP", "A1:401001:R0* 3", "A1:401000:R00003");
	exchange("qTsP", "qTsP", "A2:401001:R03", "A2:401001:R03");
	exchange("qTsP", "qTsP", "Z1:401001:at:0:2:2d6d",
		 "Z1:401000:at:0:9:2a3078343031303030");
	exchange("qTsP", "qTsP", "Z1:401001:cmd:0:2:2d6d",
		 "Z1:401000:cmd:0:2:2d6d");
	exchange("qTsP", "qTsP", "l", "l");
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:9:401000:E:0:0", "QTDP:9:401001:E:0:0:F5", "OK", "OK");
}

static void frames(void)
{
	char in[400], out[400];

	memset(in, '0', sizeof(in));
	strcpy(in + 256, "0110400000000000*\"");
	memset(out, '0', sizeof(out));
	strcpy(out + 256, "001040000000000000000");
	new_filter(1);
	exchange("QTDP:1:401000:E:0:0:S", "QTDP:1:401001:E:0:0:F5", "OK", "OK");
	exchange("g", "g", in, in);
	exchange("QTFrame:3", "QTFrame:3", "F3T1", "F3T1");
	exchange("g", "g", in, out);
	exchange("p10", "p10", "0110400000000000", "0010400000000000");
	exchange("p10", "p10", "xxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxx");
	exchange("p10", "p10", "0210400000000000", "0210400000000000");
	exchange("p1", "p1", "0110400000000000", "0110400000000000");
	exchange("g", "g", "E01", "E01");
	exchange("QTFrame:4", "QTFrame:4", "F4T2", "F4T2");
	exchange("g", "g", in, in);
	exchange("QTFrame:4", "QTFrame:4", "F5T1", "F5T1");
	exchange("QTFrame:6", "QTFrame:6", "F-1", "F-1");
	exchange("p10", "p10", "0110400000000000", "0010400000000000");
	exchange("QTFrame:ffffffff", "QTFrame:ffffffff", "OK", "OK");
	exchange("p10", "p10", "0110400000000000", "0110400000000000");
	exchange("QTFrame:range:400000:402000", "QTFrame:range:400000:402000",
		 "F-1", "F-1");
	exchange("QTFrame:outside:402000:402002",
		 "QTFrame:outside:402000:402002", "F-1", "F-1");
	exchange("QTFrame:pc:402000", "QTFrame:pc:402000", "F-1", "F-1");
}

static void ended(const char *request, const char *answer, int expected)
{
	filter.ended = 0;
	exchange(request, request, answer, answer);
	unit_equal(filter.ended, expected, "%s: %s: an end", request, answer);
}

static void ends(void)
{
	new_filter(1);
	ended("D;1f", "OK", 1);
	ended("D", "E01", 0);
	ended("vKill;1f", "OK", 1);
	ended("vCont;c", "W03;process:1f", 1);
	ended("vCont;c", "X0b", 1);
	ended("vCont;c", "T05thread:p1f.20;", 0);
	ended("Hg0", "OK", 0);
	exchange("vAttach;2b", "vAttach;2b", "T05thread:p2b.2b;",
		 "T05thread:p2b.2b;");
	unit_equal(asked_pid, 0x2b, "who is about to be attached to");
}

#define SERVER_FRAME "01001500000052aabb5303006162634d00100000000000000100ff"
#define GDB_FRAME "01000f00000052aabb4d00100000000000000100ff"

/* Static data is left out of the trace buffer, and not counted. */
static void buffer(void)
{
	new_filter(1);
	exchange("qTBuffer:0,7d0", "qTBuffer:0,7d0", "00", "00");
	exchange("g", "g", "00", "00");
	exchange("g", "g", "E01", "E01");
	exchange("qTBuffer:0,7d0", "qTBuffer:0,1000", SERVER_FRAME, SERVER_FRAME);
	new_filter(1);
	exchange("g", "g", "xx00", "xx00");
	exchange("qTBuffer:0,7d0", "qTBuffer:0,1000", SERVER_FRAME SERVER_FRAME,
		 GDB_FRAME GDB_FRAME);
	exchange("qTBuffer:2a,7d0", "qTBuffer:36,1000", "l", "l");
	exchange("qTBuffer:0,6", "qTBuffer:0,1000", SERVER_FRAME "0200",
		 "01000f000000");
	exchange("qTBuffer:6,1", NULL, NULL, "52");
	exchange("qTBuffer:6,1", NULL, NULL,
		 "E.the trace buffer is read from its start");
	exchange("qTBuffer:7,7d0", NULL, NULL,
		 "aabb4d00100000000000000100ff");
	/* in pieces; the last one is not a whole frame */
	give(FILTER_GDB, framed("qTBuffer:15,7d0"));
	unit_equal_string(sent(FILTER_SERVER), framed("qTBuffer:1d,1000"),
			  "the next frame");
	give(FILTER_SERVER, framed("0500000053"));
	unit_equal_string(sent(FILTER_GDB), "", "gdb waits for all of it");
	unit_equal_string(sent(FILTER_SERVER), framed("qTBuffer:22,1000"),
			  "the rest is asked for");
	give(FILTER_SERVER, framed("02006162030001"));
	unit_equal_string(sent(FILTER_GDB), framed("020000000000"),
			  "nothing else was in it");
	exchange("qTBuffer:1b,7d0", "qTBuffer:29,1000", "l", "030001");
	exchange("qTBuffer:1e,7d0", "qTBuffer:29,1000", "l", "l");
	/* bytes that are no frame */
	exchange("qTBuffer:0,7d0", "qTBuffer:0,1000", "010001000000ff",
		 "010001000000ff");
	exchange("qTBuffer:7,7d0", "qTBuffer:7,1000", "E01", "E01");
	/* a frame that is too large */
	exchange("qTBuffer:0,7d0", "qTBuffer:0,1000", "0100000000015301",
		 "0100000000015301");
	exchange("qTBuffer:8,7d0", "qTBuffer:8,1000", SERVER_FRAME,
		 SERVER_FRAME);
}

static void supported(void)
{
	new_filter(1);
	exchange("qSupported:a+", "qSupported:a+", "PacketSize=47ff;b+",
		 "PacketSize=47ff;b+" OFFERED);
	exchange("qSupported:a+", "qSupported:a+",
		 "a;StaticTracepoints+;qXfer:statictrace:read+;b",
		 "a;StaticTracepoints+;qXfer:statictrace:read+;b");
	exchange("qSupported:a+", "qSupported:a+", "a;StaticTracepoints+;b",
		 "a;StaticTracepoints+;b;qXfer:statictrace:read+");
	exchange("qSupported", "qSupported", "", "");
}

/* Acknowledgements, and what comes in between. */
static void acknowledged(void)
{
	new_filter(0);
	give(FILTER_GDB, framed("qTsSTM"));
	unit_equal_string(sent(FILTER_GDB), "+$l#6c", "ours, acknowledged");
	give(FILTER_GDB, "-");
	unit_equal_string(sent(FILTER_GDB), "$l#6c", "once more");
	give(FILTER_GDB, "+");
	unit_equal_string(sent(FILTER_SERVER), "", "the server saw nothing");
	give(FILTER_GDB, "$qTsSTM#00");
	unit_equal_string(sent(FILTER_SERVER), "$qTsSTM#00", "broken: passes");
	give(FILTER_SERVER, "-");
	give(FILTER_GDB, framed("qTfP"));
	sent(FILTER_SERVER);
	sent(FILTER_GDB);
	give(FILTER_SERVER, "+");
	give(FILTER_SERVER, "$l#00");
	give(FILTER_GDB, "-");
	unit_equal_string(sent(FILTER_SERVER), "-", "a broken answer");
	give(FILTER_SERVER, "$l#6c");
	unit_equal_string(sent(FILTER_GDB), "+$l#00$l#6c", "comes twice");
	give(FILTER_GDB, "+\x03");
	unit_equal_string(sent(FILTER_SERVER), "+\x03", "Ctrl-C passes");
}

static void between(void)
{
	new_filter(1);
	give(FILTER_SERVER, "%Stop:T05");
	give(FILTER_GDB, framed("qTsSTM"));
	unit_equal_string(sent(FILTER_GDB), "%Stop:T05",
			  "nothing within a notification");
	unit_equal(filter_take(&filter, FILTER_GDB, "$g#67", 5), 0,
		   "gdb waits so long");
	give(FILTER_SERVER, "thread:p7.7;#00");
	unit_equal_string(sent(FILTER_GDB), "thread:p7.7;#00$l#6c", "behind it");
	give(FILTER_GDB, framed("QTStart"));
	give(FILTER_SERVER, framed("qRelocInsn:401001;7000"));
	give(FILTER_GDB, framed("m401001,10"));
	give(FILTER_SERVER, framed("00"));
	give(FILTER_GDB, framed("qRelocInsn:5"));
	give(FILTER_SERVER, framed("OK"));
	sent(FILTER_GDB);
	sent(FILTER_SERVER);
	exchange("qSupported", "qSupported", "a", "a" OFFERED);
	give(FILTER_GDB, framed("qRcmd,00"));
	give(FILTER_SERVER, framed("O6869"));
	give(FILTER_SERVER, framed("OK"));
	sent(FILTER_GDB);
	sent(FILTER_SERVER);
	exchange("qSupported", "qSupported", "a", "a" OFFERED);
	give(FILTER_GDB, framed("k"));
	give(FILTER_GDB, framed("qC"));		/* gdb gave up on it */
	sent(FILTER_SERVER);
	exchange("qSupported", "qSupported", "a", "a" OFFERED);
}

/* A tracepoint that gdb defines again while the trace runs: the server has it,
 * or has refused it. */
static void again(void)
{
	new_filter(1);
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:1:7000:E:0:0-", "QTDP:1:7000:E:0:0-", "OK", "OK");
	exchange("QTDP:-1:7000:R03FF", "QTDP:-1:7000:R03FF", "OK", "OK");
	exchange("QTDP:1:7000:E:0:0-", "QTDP:1:7000:E:0:0-", "E01", "E01");
	exchange("QTDP:1:7000:E:0:0-", "QTDP:1:7000:E:0:0-", "OK", "OK");
	exchange("QTStart", "QTStart", "OK", "OK");
	exchange("QTDP:1:7000:E:0:0-", NULL, NULL, "OK");
	exchange("QTDP:-1:7000:R03FF", NULL, NULL, "OK");
	exchange("QTDPsrc:1:7000:cmd:0:1:61", NULL, NULL, "OK");
	exchange("QTDP:1:7001:E:0:0-", "QTDP:1:7001:E:0:0-", "OK", "OK");
	exchange("QTDP:-1:7001:R03FF", "QTDP:-1:7001:R03FF", "E.no", "E.no");
	exchange("QTDP:1:7001:E:0:0", "QTDP:1:7001:E:0:0", "OK", "OK");
	exchange("QTDPsrc:1:7001:cmd:0:1:61", "QTDPsrc:1:7001:cmd:0:1:61",
		 "OK", "OK");
	exchange("QTDP:2:401000:E:0:0:S", "QTDP:2:401001:E:0:0:F5", "E.far",
		 "E.far");
	exchange("QTDP:2:401000:E:0:0:S", "QTDP:2:401001:E:0:0:F5", "OK", "OK");
	exchange("QTDP:2:401000:E:0:0:S", NULL, NULL, "OK");
	exchange("QTDP:3:8000:E:0:0:F5", "QTDP:3:8000:E:0:0:F5", "OK", "OK");
	exchange("QTDP:3:8000:E:0:0:F5", NULL, NULL, "OK");
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:1:7000:E:0:0-", "QTDP:1:7000:E:0:0-", "OK", "OK");
}

/* A packet that the filter looks at, but that is too long to be kept. */
static void too_long(void)
{
	size_t n = 3 * FILTER_HOLD_BYTES;
	char *big = malloc(n);
	size_t taken = 0, passed = 0;
	int same = 1;

	memset(big, 'x', n);
	memcpy(big, "$QTDP:1:401000:E:0:0:S:", 23);
	memcpy(big + n - 3, "#00", 3);
	new_filter(1);
	while (passed < n) {
		const struct filter_queue *q =
			filter_queue(&filter, FILTER_SERVER);

		taken += filter_take(&filter, FILTER_GDB, big + taken,
				     n - taken);
		if (!q->used)
			break;
		same &= !memcmp(q->bytes, big + passed, q->used);
		passed += q->used;
		filter_sent(&filter, FILTER_SERVER, q->used);
	}
	unit_equal(passed, n, "a packet too long to keep passes");
	unit_equal(same, 1, "as it came");
	free(big);
}

/* A gdb without the extension is told of it once, when its program runs. */
static void hint(void)
{
	const char *told;

	new_filter(1);
	filter.extension = 0;
	give(FILTER_GDB, framed("vCont;c"));
	unit_equal_string(sent(FILTER_SERVER), framed("vCont;c"), "it runs");
	told = sent(FILTER_GDB);
	unit_check(!strncmp(told, "$O7461", 6) && strchr(told, '#'), "a text");
	give(FILTER_SERVER, framed("T05thread:p1f.20;"));
	unit_equal_string(sent(FILTER_GDB), framed("T05thread:p1f.20;"),
			  "then the answer");
	exchange("vCont;s", "vCont;s", "T05thread:p1f.20;",
		 "T05thread:p1f.20;");
	new_filter(0);
	filter.extension = 0;
	give(FILTER_GDB, framed("vCont;c"));
	unit_equal_string(sent(FILTER_GDB), "", "not before the ack");
	sent(FILTER_SERVER);
	give(FILTER_SERVER, "+");
	unit_check(!strncmp(sent(FILTER_GDB), "+$O7461", 7), "behind the ack");
	give(FILTER_GDB, "+");
	unit_equal_string(sent(FILTER_SERVER), "", "its ack is ours");
	new_filter(1);
	filter.extension = 0;
	exchange("qTaffrail:extension", NULL, NULL, "OK");
	exchange("vCont;c", "vCont;c", "W00", "W00");
}

static void host_get_unserved(void *arg, uint32_t i,
			      struct filter_marker *marker)
{
	host_get(arg, i, marker);
	marker->unserved = 1;
}

static const char *host_unserved(void *arg, const struct filter_thread *thread,
				 const struct filter_marker *marker)
{
	(void)arg;
	(void)thread;
	unit_check(marker->unserved, "it is listed only");
	return "not this one";
}

/* A marker that is only listed: it is refused when it is named, and makes no
 * tracepoint of another kind possible. */
static void unserved(void)
{
	static const struct filter_host host = {
		.read = host_read,
		.get = host_get_unserved,
		.unserved = host_unserved,
	};

	filter_begin(&host, 1);
	exchange("qTfSTM", NULL, NULL, ONE);
	exchange("QTDP:1:401000:E:0:0:S-", NULL, NULL, "E.not this one");
	exchange("QTaffrail:static:401000", NULL, NULL, "E.not this one");
	exchange("QTDP:1:401000:E:0:0:F2-", NULL, NULL,
		 "E.the instruction is too short for a fast tracepoint");
	exchange("qTMinFTPILen", "qTMinFTPILen", "5", "5");
}

int main(void)
{
	hint();
	unserved();
	list();
	rooms();
	define();
	meant();
	fast();
	upload();
	frames();
	ends();
	buffer();
	supported();
	acknowledged();
	between();
	again();
	too_long();
	return unit_end();
}
