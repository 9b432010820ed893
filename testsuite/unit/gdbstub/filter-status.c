/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The status of a trace that gdb gets through the filter
 * (gdbstub/filter/status.c): why the trace ended, when it began, and what is
 * missing from its frames.
 */
#include "testsuite/unit/filter-bed.h"

#define REST	";tframes:3;tcreated:3;tfree:400;tsize:500;circular:0"
#define TIMES	";starttime:1234;stoptime:5678"
#define ENDED	"T0;tstop::0" REST TIMES ";username::;notes::"

static struct filter_said says;
static uint64_t begun_bytes;
static int begun_circular;

static uint32_t host_relocate(void *arg, const struct filter_thread *thread,
			      uint64_t from, uint64_t to)
{
	(void)arg;
	(void)thread;
	(void)from;
	(void)to;
	return 5;
}

static void host_begin(void *arg, const struct filter_thread *thread,
		       uint64_t bytes, int circular)
{
	(void)arg;
	(void)thread;
	begun_bytes = bytes;
	begun_circular = circular;
}

static void host_said(void *arg, const struct filter_thread *thread,
		      struct filter_said *said)
{
	(void)arg;
	(void)thread;
	*said = says;
}

static void passes(const char *request, const char *answer)
{
	exchange(request, request, answer, answer);
}

/* A trace runs; the agent has not reported on it yet. */
static void begin_trace(void)
{
	static const struct filter_host host = {
		.read = one_read,
		.get = one_get,
		.relocate = host_relocate,
		.begin = host_begin,
		.said = host_said,
	};

	filter_begin(&host, 1);
	says = (struct filter_said){ 0 };
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	passes("QTStart", "OK");
}

static const char *hex(const char *text)
{
	static char digits[256];
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		snprintf(digits + 2 * i, 3, "%02x",
			 (unsigned int)(uint8_t)text[i]);
	digits[2 * n] = '\0';
	return digits;
}

/* gdb asks, and gets this reason in place of the server's. */
static void reason(const char *want)
{
	char text[512];

	snprintf(text, sizeof(text), "T0;%s" REST TIMES ";username::;notes::",
		 want);
	exchange("qTStatus", "qTStatus", ENDED, text);
}

static void error(const char *why)
{
	char text[256];

	snprintf(text, sizeof(text), "terror:%s:0", hex(why));
	reason(text);
}

static void reasons(void)
{
	begin_trace();
	reason("tstop::0");
	says.full = 1;
	reason("tfull:0");
	says.left = 1;
	error("a thread left a hit, as by siglongjmp() in a signal handler");
	says.exit = 1;
	error("the program exits");
	says.exec = 1;
	error("the program called execve");
	/* the trace that gdb stops has ended before */
	passes("QTStop", "OK");
	error("the program called execve");
	/* gdb itself stops the trace */
	begin_trace();
	passes("QTStop", "OK");
	says.full = 1;
	reason("tstop::0");
	/* an execve that the agent did not see */
	begin_trace();
	passes("vCont;c", "T05exec:00;thread:p1f.20;");
	error("the program called execve");
	/* a reason that the server knows, and the next trace */
	passes("qTStatus", "T0;tpasscount:1" REST TIMES ";username::;notes::");
	passes("QTStart", "OK");
	reason("tstop::0");
	passes("qTStatus", "E01");
	passes("qTStatus", "");
}

/* A trace that runs has no end; its start is the first one, before restarts. */
static void times(void)
{
	begin_trace();
	exchange("qTStatus", "qTStatus", "T1;tnotrun:0" REST TIMES,
		 "T1;tnotrun:0" REST ";starttime:1234;stoptime:0");
	passes("vCont;c", "T05fork:p2a.2a;thread:p1f.20;");
	give(FILTER_GDB, framed("D;2a"));
	give(FILTER_SERVER, framed("T1;tnotrun:0" REST TIMES));
	for (int i = 0; i < 4; i++)
		give(FILTER_SERVER, framed("OK"));
	sent(FILTER_SERVER);
	unit_equal_string(sent(FILTER_GDB), framed("OK"), "gdb lets go");
	exchange("qTStatus", "qTStatus",
		 "T1;tnotrun:0" REST ";starttime:9999;stoptime:0",
		 "T1;tnotrun:0" REST ";starttime:1234;stoptime:0");
}

/* Checks the notes that gdb gets, for the server's notes `has`. */
static void notes(const char *has, const char *want)
{
	char answer[512], text[512];

	snprintf(answer, sizeof(answer), "T1;tnotrun:0" REST ";notes:%s", has);
	snprintf(text, sizeof(text), "T1;tnotrun:0" REST ";notes:%s", want);
	exchange("qTStatus", "qTStatus", answer, text);
}

static void with_notes(const char *more)
{
	char want[300];

	snprintf(want, sizeof(want), "%s:", hex(more));
	notes(":", want);
	snprintf(want, sizeof(want), "6d65%s:", hex(" "));
	strcpy(want + 6, hex(more));
	strcat(want, ":");
	notes("6d65:", want);
}

static void missing(void)
{
	begin_trace();
	notes(":", ":");
	notes("6d65:", "6d65:");
	says.used = 0x100;
	notes("6d65:", "6d65:");
	says.cut = 17;
	with_notes("(frames cut: 17)");
	/* the server has less than the agent gave it */
	says.used = 0x101;
	with_notes("(frames cut: 17) (frames without data: the buffer is full)");
	says.cut = 0;
	says.failed = 3;
	says.dropped = 7;
	with_notes("(hits lost: 7) (conditions failed: 3) "
		   "(frames without data: the buffer is full)");
	says.failed = 0;
	says.dropped = 0;
	with_notes("(frames without data: the buffer is full)");
	/* a circle drops its oldest frames: nothing is missing */
	passes("QTBuffer:circular:1", "OK");
	notes("6d65:", "6d65:");
}

/* The agent learns the size of the server's buffer. */
static void sizes(void)
{
	begin_trace();
	unit_equal(begun_bytes, 5242880, "gdbserver's own size");
	unit_equal(begun_circular, 0, "no circle");
	passes("QTBuffer:size:10000", "OK");
	passes("QTBuffer:circular:1", "OK");
	passes("QTStart", "OK");
	unit_equal(begun_bytes, 0x10000, "gdb's size");
	unit_equal(begun_circular, 1, "a circle");
	passes("QTBuffer:size:-1", "OK");
	passes("QTBuffer:circular:0", "OK");
	passes("QTStart", "OK");
	unit_equal(begun_bytes, 5242880, "its own again");
	unit_equal(begun_circular, 0, "no circle again");
	notes(":", ":");
	passes("QTStart", "OK");
	unit_equal(begun_bytes, 0x500, "as the server says");
}

int main(void)
{
	reasons();
	times();
	missing();
	sizes();
	return unit_end();
}
