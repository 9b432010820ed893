/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter when the traced process is gone (gdbstub/filter/gone.c): no
 * request reaches a gdbserver that would die of it.
 */
#include "testsuite/unit/filter-bed.h"

#define AGENT		"6764625f6167656e745f6f6e65"	/* gdb_agent_one */
#define NO_AGENT	"E.gdbserver knows the agent of the program before. " \
			"Start it anew to trace this one"
#define GONE		"T0;terror:7468652070726f6772616d20697320676f6e65:0;" \
			"tframes:0;tcreated:0"

static int is_idle;

static int host_symbol(void *arg, const struct filter_thread *thread,
		       const char *name, uint64_t *address)
{
	(void)arg;
	(void)thread;
	*address = 0x7000;
	return !strcmp(name, "gdb_agent_one");
}

static int host_idle(void *arg)
{
	(void)arg;
	return is_idle;
}

static void passes(const char *request, const char *answer)
{
	exchange(request, request, answer, answer);
}

static void request(const char *text, const char *to_server)
{
	give(FILTER_GDB, framed(text));
	unit_equal_string(sent(FILTER_SERVER), framed(to_server),
			  "%s: what the server gets", text);
}

/* The server answers and gets the next request; gdb sees neither. */
static void talk(const char *answer, const char *next)
{
	give(FILTER_SERVER, framed(answer));
	unit_equal_string(sent(FILTER_GDB), "", "%s: gdb sees nothing", answer);
	unit_equal_string(sent(FILTER_SERVER), framed(next),
			  "%s: what the server gets", answer);
}

static void answer(const char *text)
{
	give(FILTER_SERVER, framed(text));
	unit_equal_string(sent(FILTER_GDB), framed(text), "%s: gdb gets it",
			  text);
}

/* A process 0x1f that the server debugs. */
static void new_process(void)
{
	static const struct filter_host host = {
		.read = one_read,
		.get = one_get,
		.symbol = host_symbol,
		.idle = host_idle,
	};

	filter_begin(&host, 1);
	is_idle = 0;
	passes("?", "T05thread:p1f.20;");
	request("qSymbol::", "qSymbol::");
	talk("qSymbol:" AGENT, "qSymbol::" AGENT);
	answer("OK");
}

/* The server learns of the agent. */
static void trace(void)
{
	exchange("QTDP:1:401000:E:0:0:S-", "QTDP:1:401001:E:0:0:F5-", "OK",
		 "OK");
	request("QTStart", "qSymbol::");
	talk("qSymbol:" AGENT, "qSymbol:7000:" AGENT);
	talk("OK", "QTStart");
	answer("OK");
}

static void gone(void)
{
	new_process();
	/* a server that knows no agent survives the request */
	is_idle = 1;
	passes("qTStatus", "T0;tnotrun:0");
	passes("QTStop", "OK");
	is_idle = 0;
	trace();
	passes("qTStatus", "T1;tnotrun:0");
	passes("QTStop", "OK");
	is_idle = 1;
	exchange("qTStatus", NULL, NULL, GONE);
	exchange("QTStop", NULL, NULL, "OK");
	exchange("QTinit", NULL, NULL, NO_AGENT);
	exchange("QTStart", NULL, NULL, NO_AGENT);
	passes("qSupported", "E01");
	/* the server has a process again */
	is_idle = 0;
	passes("qTStatus", "T0;tnotrun:0");
}

/* A trace that runs is ended before its process is killed. */
static void killed(void)
{
	new_process();
	passes("vKill;1f", "OK");
	new_process();
	trace();
	/* a request for another process, and one that names no process */
	passes("vKill;20", "OK");
	passes("vKill;", "E01");
	request("vKill;1f", "QTStop");
	talk("OK", "vKill;1f");
	answer("OK");
	/* the kill goes on after a refused stop */
	new_process();
	trace();
	request("vKill;1f", "QTStop");
	talk("E01", "vKill;1f");
	answer("E02");
	/* the process has gone already */
	new_process();
	trace();
	is_idle = 1;
	passes("vKill;1f", "OK");
}

int main(void)
{
	gone();
	killed();
	return unit_end();
}
