/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The requests that the filter (gdbstub/filter/filter.h) itself sends to
 * gdbserver, between a request of gdb and its answer.
 */
#include "testsuite/unit/filter-bed.h"

static uint64_t asked_pid;

/* The agent exists while `agent` is set. */
static int agent, same_agent;

static int host_symbol(void *arg, const struct filter_thread *thread,
		       const char *name, uint64_t *address)
{
	(void)arg;
	(void)thread;
	*address = 0x7000;
	return agent && !strcmp(name, "gdb_agent_one");
}

#define EARLY	"not yet"

/* The process has not set up its agent while `too_early` is set. */
static int too_early;

static const char *host_early(void *arg, const struct filter_thread *thread)
{
	(void)arg;
	(void)thread;
	return too_early ? EARLY : NULL;
}

static int host_known(void *arg, const struct filter_thread *thread)
{
	(void)arg;
	(void)thread;
	return same_agent;
}

/* A marker has a cell while `cells` is set. */
static int cells;

static uint64_t host_cell(void *arg, const struct filter_thread *thread,
			  uint64_t site)
{
	(void)arg;
	(void)thread;
	return cells && site == 0x401000 ? 0x5000 : 0;
}

static uint32_t host_relocate(void *arg, const struct filter_thread *thread,
			      uint64_t from, uint64_t to)
{
	(void)arg;
	asked_pid = thread->pid;
	return from == 0x401001 && to == 0x90000 ? 5 : 0;
}

static void new_filter(int no_ack)
{
	static const struct filter_host host = {
		.read = one_read,
		.get = one_get,
		.symbol = host_symbol,
		.early = host_early,
		.known = host_known,
		.cell = host_cell,
		.relocate = host_relocate,
	};

	filter_begin(&host, no_ack);
}

#define AGENT_ONE	"6764625f6167656e745f6f6e65"	/* gdb_agent_one */
#define AGENT_TWO	"6764625f6167656e745f74776f"
#define OTHER		"6f74686572"

/* The server answers and gets the next request; gdb sees neither. */
static void talk(const char *answer, const char *next)
{
	give(FILTER_SERVER, framed(answer));
	unit_equal_string(sent(FILTER_GDB), "", "%s: gdb sees nothing", answer);
	unit_equal_string(sent(FILTER_SERVER), framed(next),
			  "%s: what the server gets", answer);
}

static void request(const char *text, const char *to_server)
{
	give(FILTER_GDB, framed(text));
	unit_equal_string(sent(FILTER_SERVER), framed(to_server),
			  "%s: what the server gets", text);
}

static void answer(const char *text)
{
	give(FILTER_SERVER, framed(text));
	unit_equal_string(sent(FILTER_GDB), framed(text), "%s: gdb gets it",
			  text);
}

/* The filter tells the server of the agent only when the server needs it. */
static void introduce(void)
{
	new_filter(1);
	agent = 0;
	exchange("qSymbol::", "qSymbol::", "qSymbol:" AGENT_ONE,
		 "qSymbol:" AGENT_ONE);
	agent = 1;
	exchange("qSymbol::" AGENT_ONE, "qSymbol::" AGENT_ONE,
		 "qSymbol:" OTHER, "qSymbol:" OTHER);
	exchange("qSymbol:1:" OTHER, "qSymbol:1:" OTHER, "OK", "OK");
	request("qSymbol::", "qSymbol::");
	talk("qSymbol:" AGENT_ONE, "qSymbol::" AGENT_ONE);
	answer("OK");
	/* a trace without it */
	exchange("QTDP:1:7:E:0:0-", "QTDP:1:7:E:0:0-", "OK", "OK");
	exchange("QTStart", "QTStart", "OK", "OK");
	/* a fast tracepoint while it runs */
	request("QTDP:2:401000:E:0:0:S-", "qSymbol::");
	talk("qSymbol:" AGENT_ONE, "qSymbol:7000:" AGENT_ONE);
	talk("qSymbol:" AGENT_TWO, "qSymbol::" AGENT_TWO);
	talk("qSymbol:" OTHER, "qSymbol::" OTHER);
	talk("OK", "QTDP:2:401001:E:0:0:F5-");
	answer("OK");
	exchange("QTDP:3:401000:E:0:0:S-", "QTDP:3:401001:E:0:0:F5-", "OK",
		 "OK");
	exchange("qSymbol::", "qSymbol::", "qSymbol:" AGENT_TWO,
		 "qSymbol:" AGENT_TWO);
}

/* No trace that needs an agent begins before there is one. */
static void early(void)
{
	new_filter(1);
	too_early = 1;
	agent = 1;
	for (int held_back = 0; held_back < 2; held_back++) {
		exchange("QTinit", "QTinit", "OK", "OK");
		exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-",
			 "OK", "OK");
		exchange("QTStart", NULL, NULL, "E." EARLY);
		request("qSymbol::", "qSymbol::");
		talk("qSymbol:" AGENT_ONE, "qSymbol::" AGENT_ONE);
		answer("OK");
	}
	/* a trace of other tracepoints begins, without the refused ones */
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:1:7:E:0:0-", "QTDP:1:7:E:0:0-", "OK", "OK");
	exchange("QTStart", "QTStart", "OK", "OK");
	exchange("QTDP:2:401000:E:0:0:S-", NULL, NULL, "E." EARLY);
	too_early = 0;
	request("QTDP:2:401000:E:0:0:S-", "qSymbol::");
	talk("qSymbol:" AGENT_ONE, "qSymbol:7000:" AGENT_ONE);
	talk("OK", "QTDP:2:401001:E:0:0:F5-");
	answer("OK");
}

/* The same where packets are acknowledged. */
static void introduce_acknowledged(void)
{
	new_filter(0);
	give(FILTER_GDB, framed("qSymbol::"));
	sent(FILTER_SERVER);
	give(FILTER_SERVER, "+");
	give(FILTER_SERVER, framed("qSymbol:" AGENT_ONE));
	unit_equal_string(sent(FILTER_GDB), "+", "gdb has its own");
	give(FILTER_SERVER, "+");
	unit_equal(sent(FILTER_SERVER)[0], '+', "the server has its own");
	give(FILTER_SERVER, framed("OK"));
	unit_equal_string(sent(FILTER_GDB), framed("OK"), "ours is not gdb's");
	give(FILTER_GDB, "+");
	unit_equal_string(sent(FILTER_SERVER), "+", "gdb's passes");
}

/* Another program, in which the server must not look for that agent. */
static void replaced(void)
{
	new_filter(1);
	exchange("vRun;61", "vRun;61", "T05thread:p1f.20;",
		 "T05thread:p1f.20;");
	request("qSymbol::", "qSymbol::");
	talk("qSymbol:" AGENT_ONE, "qSymbol::" AGENT_ONE);
	answer("OK");
	exchange("vCont;c", "vCont;c", "T05exec:00;thread:p1f.20;",
		 "T05exec:00;thread:p1f.20;");
	same_agent = 0;
	exchange("QTinit", "QTinit", "OK", "OK");
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	request("QTStart", "qSymbol::");
	talk("OK", "QTStart");
	answer("OK");
	exchange("vCont;c", "vCont;c", "T05exec:00;thread:p1f.20;",
		 "T05exec:00;thread:p1f.20;");
	exchange("vRun;61", NULL, NULL, "E.gdbserver knows the agent of the "
		 "program before. Start it anew to trace this one");
	exchange("QTinit", NULL, NULL, "E.gdbserver knows the agent of the "
		 "program before. Start it anew to trace this one");
	same_agent = 1;
	exchange("QTinit", "QTinit", "OK", "OK");
}

static void born(const char *how)
{
	char stop[64];

	snprintf(stop, sizeof(stop), "T05%s:p2a.2a;thread:p1f.20;", how);
	exchange("vCont;c", "vCont;c", stop, stop);
}

static void trace(const char *status)
{
	new_filter(1);
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	exchange("QTStart", "QTStart", "OK", "OK");
	born(status);
}

/* A trace that runs goes on when gdb has let go of a child. */
static void children(void)
{
	trace("fork");
	exchange("Hgp2a.2a", "Hgp2a.2a", "OK", "OK");
	request("D;2a", "qTStatus");
	talk("T1;tnotrun:0", "D;2a");
	talk("OK", "Hgp1f.20");
	talk("OK", "QTStart");
	talk("qRelocInsn:401001;90000", "qRelocInsn:5");
	unit_equal(asked_pid, 0x1f, "in the parent");
	talk("qRelocInsn:401001;90001", "E01");
	talk("OK", "Hgp2a.2a");
	give(FILTER_SERVER, framed("E01"));
	unit_equal_string(sent(FILTER_GDB), framed("OK"), "gdb's own answer");
	exchange("D;1f", "D;1f", "OK", "OK");
	trace("fork");
	request("D;2a", "qTStatus");
	talk("T0;tpasscount:1", "D;2a");
	answer("OK");
	trace("fork");
	request("D;2a", "qTStatus");
	talk("T1", "D;2a");
	answer("E01");
	trace("fork");
	exchange("D;2b", "D;2b", "OK", "OK");
}

/* After a vfork, the trace goes on when the child has its own memory. */
static void sharing(void)
{
	trace("vfork");
	request("D;2a", "qTStatus");
	talk("T1", "D;2a");
	answer("OK");
	exchange("vCont;c", "vCont;c", "T0a;thread:p1f.20;",
		 "T0a;thread:p1f.20;");
	request("vCont;c", "vCont;c");
	talk("T05vforkdone:;thread:p1f.20;", "Hgp1f.20");
	talk("OK", "QTStart");
	talk("OK", "Hgp1f.20");
	give(FILTER_SERVER, framed("OK"));
	unit_equal_string(sent(FILTER_GDB),
			  framed("T05vforkdone:;thread:p1f.20;"),
			  "then gdb has the stop");
	exchange("vCont;c", "vCont;c", "T05vforkdone:;thread:p1f.20;",
		 "T05vforkdone:;thread:p1f.20;");
	trace("vfork");
	request("D;2a", "qTStatus");
	talk("T1", "D;2a");
	answer("OK");
	exchange("QTStop", "QTStop", "OK", "OK");
	exchange("vCont;c", "vCont;c", "T05vforkdone:;thread:p1f.20;",
		 "T05vforkdone:;thread:p1f.20;");
	/* a tracepoint elsewhere needs gdb, which cannot answer then */
	new_filter(1);
	exchange("QTDP:1:7:E:0:0:F5-", "QTDP:1:7:E:0:0:F5-", "OK", "OK");
	exchange("QTStart", "QTStart", "OK", "OK");
	born("fork");
	exchange("D;2a", "D;2a", "OK", "OK");
}

static uint32_t warnings;

static void host_warn(void *arg, const char *text)
{
	(void)arg;
	warnings += strstr(text, "ftrace away from a marker") != NULL;
}

/* The user is told once that a fast tracepoint away from a marker may harm. */
static void elsewhere(void)
{
	static const struct filter_host host = {
		.read = one_read,
		.get = one_get,
		.warn = host_warn,
	};

	filter_begin(&host, 1);
	exchange("QTDP:1:401000:E:0:0:F1-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	exchange("QTDP:2:7000:E:0:0-", "QTDP:2:7000:E:0:0-", "OK", "OK");
	unit_equal(warnings, 0, "none of what is safe");
	exchange("QTDP:3:7000:E:0:0:F5-", "QTDP:3:7000:E:0:0:F5-", "OK", "OK");
	exchange("QTDP:4:7010:E:0:0:F6-", "QTDP:4:7010:E:0:0:F6-", "OK", "OK");
	unit_equal(warnings, 1, "once");
}

/* The filter moves instructions at markers itself; gdb moves the others. */
static void relocate(void)
{
	new_filter(1);
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	request("QTStart", "QTStart");
	talk("qRelocInsn:401001;90* ", "qRelocInsn:5");
	answer("qRelocInsn:401002;9000");
	request("m401002,10", "m401002,10");
	answer("00");
	request("qRelocInsn:7", "qRelocInsn:7");
	answer("OK");
	exchange("qSupported", "qSupported", "a", "a" OFFERED);
}

static const char *registers_at(const char *pc)
{
	static char text[400];

	memset(text, '0', sizeof(text) - 1);
	memcpy(text + 256, pc, 16);
	return text;
}

/* Frames of a marker's tracepoint are not where gdb looks for them. */
static void walk(int with_cells)
{
	const char *place = with_cells ? "QTDP:1:5000:E:0:0:F5" :
					 "QTDP:1:401001:E:0:0:F5";
	const char *pc = with_cells ? "0050000000000000" : "0110400000000000";

	new_filter(1);
	cells = with_cells;
	exchange("QTDP:1:401000:E:0:0:S", place, "OK", "OK");
	exchange("QTDP:2:7000:E:0:0", "QTDP:2:7000:E:0:0", "OK", "OK");
	exchange("QTFrame:pc:7000", "QTFrame:pc:7000", "F2T2", "F2T2");
	/* a tracepoint at only one place needs no registers */
	request("QTFrame:pc:401000", "QTFrame:3");
	talk("F3T2", "g");
	talk(registers_at("0070000000000000"), "QTFrame:4");
	answer("F4T1");
	exchange("p10", "p10", pc, "0010400000000000");
	/* the end: the frame selected before is selected again */
	request("QTFrame:outside:401000:401000", "QTFrame:5");
	talk("F5T1", "QTFrame:6");
	talk("F6T2", "g");
	talk("E01", "QTFrame:7");
	talk("F-1", "QTFrame:4");
	give(FILTER_SERVER, framed("F4T1"));
	unit_equal_string(sent(FILTER_GDB), framed("F-1"), "not found");
	exchange("p10", "p10", pc, "0010400000000000");
	/* two places of one number: registers tell */
	exchange("QTDP:1:7000:E:0:0", "QTDP:1:7000:E:0:0", "OK", "OK");
	exchange("QTFrame:ffffffff", "QTFrame:ffffffff", "OK", "OK");
	request("QTFrame:range:401000:401000", "QTFrame:0");
	talk("F0T1", "g");
	talk(registers_at("0070000000000000"), "QTFrame:1");
	talk("F1T1", "g");
	give(FILTER_SERVER, framed(registers_at(pc)));
	unit_equal_string(sent(FILTER_GDB), framed("F1T1"), "found");
	request("QTFrame:pc:401000", "QTFrame:2");
	talk("F-1", "QTFrame:1");
	answer("F-1");
	exchange("QTFrame:ffffffff", "QTFrame:ffffffff", "OK", "OK");
	request("QTFrame:pc:401000", "QTFrame:0");
	talk("F-1", "QTFrame:ffffffff");
	give(FILTER_SERVER, framed("OK"));
	unit_equal_string(sent(FILTER_GDB), framed("F-1"), "nothing at all");
	cells = 0;
}

int main(void)
{
	walk(0);
	walk(1);
	introduce();
	introduce_acknowledged();
	early();
	replaced();
	children();
	sharing();
	elsewhere();
	relocate();
	return unit_end();
}
