/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What gdb defines for tracing (gdbstub/tracing/defined.h): packets and their
 * answers, the definitions that are kept, and those that a later gdb gets.
 */
#include "testsuite/unit/unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "testsuite/unit/definitions.h"

static struct connection connection;

static const char *ask(const char *packet)
{
	return definitions_ask(&connection, packet);
}

static void expect(const char *packet, const char *answer)
{
	unit_equal_string(ask(packet), answer, "%.80s", packet);
}

static void expect_refusal(const char *packet, const char *fact)
{
	const char *got = ask(packet);
	bool right = got[0] == 'E' && got[1] == '.' && strstr(got, fact);

	if (!right)
		printf("# answer: %s\n", got);
	unit_check(right, "refused: %.70s", packet);
}

/* Returns all parts of an upload, with blanks between: "T... A... l". */
static const char *upload(const char *first, const char *next)
{
	static char all[65536];
	const char *got = ask(first);
	size_t used = 0;

	while (strcmp(got, "l") && used < sizeof(all) / 2) {
		used += (size_t)sprintf(all + used, "%s ", got);
		got = ask(next);
	}
	strcpy(all + used, got);
	return all;
}

#define CONDITION "12,26000622100222bc16080219162022011327"

/* As gdb 13.1 sends them. */
static void session(void)
{
	static const char *const packets[] = {
		"QTinit",
		"QTDP:1:0000000000001000:E:0:5:S:X" CONDITION "-",
		"QTDP:-1:0000000000001000:L-",
		"QTDP:-1:0000000000001000:R0fffffffffffffff-",
		("QTDP:-1:0000000000001000:M-1,561cc39b8140,4M7,"
		 "fffffffffffffff0,10X00000004,26000727-"),
		"QTDP:-1:0000000000001000:Mffffffff,0,1",
		"QTDPsrc:1:1000:at:0:13:2d7175616c6966696564202d6d206170702f78",
		"QTDPsrc:1:1000:cond:0:7:6964203d3d2031",
		"QTDPsrc:1:1000:cmd:0:10:636f6c6c6563742f73313020612c2062",
		"QTDPsrc:1:1000:cmd:0:f:636f6c6c65637420245f7364617461",
		"QTDP:2:2ff0:D:0:0:F5",
		"QTDP:1:1010:E:0:0",
		"QTDV:1:0000000000000000:1:74726163655f74696d657374616d70",
		"QTDV:2:fffffffffffffffe:0:78",
		"QTDisconnected:1",
		"QTBuffer:circular:1",
		"QTBuffer:size:10000",
		"QTNotes:user:6d65;notes:612062;",
		"QTNotes:tstop:656e64;",
		"QTEnable:2:00002ff0",
		"QTDisable:1:1000",
	};

	for (size_t i = 0; i < ARRAY_SIZE(packets); i++)
		expect(packets[i], "OK");
	unit_equal(told.installed, 3, "each tracepoint was installed once");
	unit_equal(told.switched, 2, "and two were switched");
}

static void uploads(void)
{
	static const char points[] =
		"T1:1010:E:0:0 T2:2ff0:E:0:0:F5 T1:1000:D:0:5:X" CONDITION
		" A1:1000:L A1:1000:R0fffffffffffffff"
		" A1:1000:M-1,561cc39b8140,4 A1:1000:M7,fffffffffffffff0,10"
		" A1:1000:X00000004,26000727 A1:1000:Mffffffff,0,1"
		" Z1:1000:at:0:7:2a307831303030"
		" Z1:1000:cond:0:7:6964203d3d2031"
		" Z1:1000:cmd:0:10:636f6c6c6563742f73313020612c2062"
		" Z1:1000:cmd:0:f:636f6c6c65637420245f7364617461 l";

	unit_equal_string(upload("qTfP", "qTsP"), points, "tracepoints");
	unit_equal_string(upload("qTfP", "qTsP"), points, "once more");
	expect("qTsP", "l");
	unit_equal_string(upload("qTfV", "qTsV"),
			  "1:0:1:74726163655f74696d657374616d70"
			  " 2:fffffffffffffffe:0:78 l",
			  "variables");
	expect("qTsV", "l");
}

/* A request for collecting has all parts of the definition. */
static void requests(void)
{
	struct collect_action actions[COLLECT_ACTIONS_MAX];
	struct collect_request request;
	struct trace *t = trace_get();

	trace_request(trace_find(t, 1, 0x1000), &request, actions);
	unit_equal(request.number, 1, "number");
	unit_equal(request.address, 0x1000, "address");
	unit_equal(request.pass, 5, "pass count");
	unit_equal(request.enabled, 0, "off");
	unit_equal(request.condition_bytes, 0x12, "condition");
	unit_equal(request.condition[0], AX_REG, "its first opcode");
	unit_equal(request.nactions, 6, "actions");
	unit_equal(actions[0].kind, COLLECT_STATIC, "static data");
	unit_equal(actions[1].kind, COLLECT_REGISTERS, "registers");
	unit_check(actions[2].kind == COLLECT_MEMORY &&
			   actions[2].base == COLLECT_ABSOLUTE &&
			   actions[2].offset == 0x561cc39b8140 &&
			   actions[2].bytes == 4,
		   "memory");
	unit_check(actions[3].base == 7 && actions[3].offset == ~0xfull &&
			   actions[3].bytes == 16,
		   "memory below a register");
	unit_check(actions[4].kind == COLLECT_EXPRESSION &&
			   actions[4].code_bytes == 4 &&
			   actions[4].code[0] == AX_REG,
		   "an expression");
	unit_equal(actions[5].base, COLLECT_ABSOLUTE, "memory, once more");
	unit_check(!trace_find(t, 3, 0x1000) && !trace_find(t, 2, 0x1000),
		   "no other tracepoint");
	unit_check(t->circular && t->disconnected && t->size == 0x10000,
		   "settings");
	unit_equal_string(t->user, "me", "user");
	unit_equal_string(t->notes, "a b", "notes");
	unit_equal_string(t->stop_note, "end", "note of the stop");
}

/* gdb's locations of one line: the marker is at the first. */
static void locations(void)
{
	const struct trace *t = trace_get();
	const struct trace_point *point;

	expect("QTinit", "OK");
	expect("QTDP:77:1040:E:0:0", "OK");
	expect("QTDP:77:1051:E:0:0-", "OK");
	expect("QTDP:-77:1051:L", "OK");
	point = trace_find(t, 0x77, 0x1051);
	unit_check(point && point->complete && point->aside,
		   "a location aside from the marker");
	point = trace_find(t, 0x77, 0x1040);
	unit_check(point && !point->aside, "the one at the marker");
	expect_refusal("QTDP:78:1051:E:0:0", "no code of a module at 0x1051");
	unit_equal_string(upload("qTfP", "qTsP"), "T77:1040:E:0:0 l",
			  "an upload of it");
	expect("QTDP:79:3001:E:0:0:F2", "OK");
	point = trace_find(t, 0x79, 0x3001);
	unit_check(point && !point->at_marker && !point->aside,
		   "code without a marker");
	unit_equal_string(upload("qTfP", "qTsP"),
			  "T79:3001:E:0:0:F2 T77:1040:E:0:0 l",
			  "an upload of both");
}

/* A local variable of clang's: gdb cuts the frame's address off. */
static void frame_bases(void)
{
	static const char *const codes[][2] = {
		{ "260006" "2a20" "22fc" "1608" "02" "2204" "0c" "27",
		  "260006" "2a40" "22fc" "1608" "02" "2204" "0c" "27" },
		{ "260006" "1610" "2304b0" "02" "0d04" "27",
		  "260006" "1640" "2304b0" "02" "0d04" "27" },
		{ "260007" "2a20" "2204" "02" "19" "2204" "0c" "27",
		  "260007" "2a40" "2204" "02" "19" "2204" "0c" "27" },
		/* an integer in %rbp */
		{ "260006" "2a20" "2204" "02" "1620" "2204" "0c" "27",
		  "260006" "2a20" "2204" "02" "1620" "2204" "0c" "27" },
		{ "260003" "2a20" "2204" "02" "2204" "0c" "27",
		  "260003" "2a20" "2204" "02" "2204" "0c" "27" },
	};
	const struct trace_point *point;
	char packet[128], got[128];

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		size_t n = strlen(codes[i][0]) / 2;

		expect("QTinit", "OK");
		expect("QTDP:1:1000:E:0:0-", "OK");
		snprintf(packet, sizeof(packet), "QTDP:-1:1000:X%08zx,%s", n,
			 codes[i][0]);
		expect(packet, "OK");
		point = trace_find(trace_get(), 1, 0x1000);
		for (size_t k = 0; k < n; k++)
			sprintf(got + 2 * k, "%02x",
				point->actions->collect.code[k]);
		unit_equal_string(got, codes[i][1], "program %zu", i);
	}
}

static const struct {
	const char *packet;
	const char *fact;
} refused[] = {
	{ "QTDP:5:1001:E:0:0", "no code of a module at 0x1001" },
	{ "QTDP:5:0:E:0:0", "no code of a module at 0x0" },
	{ "QTDP:5:ffffffffffffffff:E:0:0", "no code" },
	{ "QTDP:2:2ff0:E:0:0", "defined already" },
	{ "QTDP:0:1020:E:0:0", "1 to 65535" },
	{ "QTDP:10000:1020:E:0:0", "1 to 65535" },
	{ "QTDP:5:1020:E:3:0", "tracepoint 5: while-stepping" },
	{ "QTDP:5:1020:F:0:0", "malformed" },
	{ "QTDP:5:1020:E:0", "malformed" },
	{ "QTDP:5:1020:E:0:0:", "malformed" },
	{ "QTDP:5:1020:E:0:0:F", "malformed" },
	{ "QTDP:5:1020:E:0:0--", "malformed" },
	{ "QTDP:5:1020:E:0:0:Z", "malformed" },
	{ "QTDP:5:1020:E:0:0:X1,27:X1,27", "no result" },
	{ "QTDP:5:1020:E:0:0:X3,220127:X3,220127", "malformed" },
	{ "QTDP:5:1020:E:0:0:X3,2201", "malformed" },
	{ "QTDP:5:1020:E:0:0:X3,22012", "malformed" },
	{ "QTDP:5:1020:E:0:0:X2,2201", "condition: it has no end (byte 0)" },
	{ "QTDP:5:1020:E:0:0:X0,", "no end" },
	{ "QTDP:5:1020:E:0:0:X4,26003c27", "no such register" },
	{ "QTDP:5:1020:E:0:0:Xc0,c4", "malformed" },
	{ "QTDP:5:1020:E:0:0:X2,c427", "no meaning" },
	{ "QTDP:5:1020:E:0:0:X191,", "at most 400 bytes" },
	{ "QTDP:5:1020:E:0:0:Xffffffffffffffff,", "at most 400 bytes" },
	{ "QTDP:", "malformed" },
	{ "QTDP:-", "malformed" },
	{ "QTDP:-7:1000:L", "tracepoint 7: no tracepoint waits for" },
	{ "QTDP:-1:1000:L", "waits for" },
	{ "QTDP:-1:1000", "malformed" },
	{ "QTDV:1:0:0:78", "variable 1" },
	{ "QTDV:2:0:1:74726163655f74696d657374616d70", "variable 1" },
	{ "QTDV:3:0:1:78", "built-in" },
	{ "QTDV:80:0:0:78", "too many" },
	{ "QTDV:3:0:0:7", "1 to 63 characters" },
	{ "QTDV:3:0:0:", "1 to 63 characters" },
	{ "QTDV:3:0:0:78:", "malformed" },
	{ "QTDV:3:0:", "malformed" },
	{ "QTEnable:9:1000", "no such tracepoint" },
	{ "QTEnable:1:1008", "no such tracepoint" },
	{ "QTDisable:1:1000:", "malformed" },
	{ "QTDisconnected:2", "malformed" },
	{ "QTDisconnected:10", "malformed" },
	{ "QTBuffer:circular:", "malformed" },
	{ "QTBuffer:size:-2", "malformed" },
	{ "QTBuffer:shape:1", "malformed" },
	{ "QTNotes:user:6", "malformed" },
	{ "QTNotes:reason:61;", "malformed" },
	{ "QTaffrail:data:1", "malformed" },
	{ "QTaffrail:data:80", "malformed" },
	{ "QTaffrail:data:", "malformed" },
	{ "QTDPsrc:1:1000", "malformed" },
	{ "QTDPsrc:1:1000:at", "malformed" },
	{ "QTDPsrc:1:1000:at:0:1:6", "malformed" },
	{ "QTDPsrc:1:1000:at:0:1:61:", "malformed" },
};

static const struct {
	const char *action;
	const char *fact;
} refused_actions[] = {
	{ "S", "while-stepping" },
	{ "SR03", "while-stepping" },
	{ "R", "malformed" },
	{ "R0", "malformed" },
	{ "L-L", "malformed" },
	{ "LLR03M", "malformed" },
	{ "M-2,0,1", "no such register" },
	{ "M3c,0,1", "no such register" },
	{ "M7,0", "malformed" },
	{ "M7,0,10000", "at most 65535" },
	{ "X00000002,2627", "cut off" },
	{ "X00000001,34", "expression: printf calls functions (byte 0)" },
	{ "X00000006,22012d000127", "no meaning" },
	{ "Q", "malformed" },
};

/* A refused packet changes nothing, but a refused part removes its tracepoint.
 */
static void refusals(void)
{
	char before[4096];
	char packet[128];

	strcpy(before, upload("qTfP", "qTsP"));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		expect_refusal(refused[i].packet, refused[i].fact);
	expect_refusal("QTSave:2f746d70", "without -r");
	for (size_t i = 0; i < ARRAY_SIZE(refused_actions); i++) {
		ask("QTDP:6:1040:E:0:0-");
		snprintf(packet, sizeof(packet), "QTDP:-6:1040:%s",
			 refused_actions[i].action);
		expect_refusal(packet, refused_actions[i].fact);
		expect_refusal("QTDP:-6:1040:L", "waits for");
	}
	told.refuses = -1;
	expect_refusal("QTDP:6:1040:E:0:0", "the run");
	expect_refusal("QTEnable:1:1000", "the run");
	told.refuses = 0;
	unit_equal_string(upload("qTfP", "qTsP"), before, "nothing changed");
}

/* Source texts: in pieces, and texts that a later gdb does not get. */
static void sources(void)
{
	char packet[1200];
	size_t used;

	expect("QTinit", "OK");
	unit_equal(told.forgotten, 2, "a run is told before all is forgotten");
	expect("QTDP:1:1000:E:0:0", "OK");
	expect("QTDPsrc:1:1000:at:0:4:6162", "OK");
	expect("QTDPsrc:1:1000:cmd:0:1:78", "OK");
	unit_equal_string(upload("qTfP", "qTsP"),
			  "T1:1000:E:0:0 Z1:1000:cmd:0:1:78 l",
			  "half a text is none");
	expect("QTDPsrc:1:1000:at:2:4:636465", "OK");
	expect("QTDPsrc:1:1000:at:2:4:6666", "OK");
	expect("QTDPsrc:9:1000:at:0:1:61", "OK");
	expect("QTDPsrc:1:1000:cmd:0:1:79797979", "OK");
	expect("QTDP:2:2ff0:E:0:0", "OK");
	expect("QTDPsrc:2:2ff0:at:0:f:2d70726f62652d7374617020783a79", "OK");
	expect("QTDPsrc:1:1000:verse:0:1:61", "OK");
	unit_equal_string(upload("qTfP", "qTsP"),
			  "T2:2ff0:E:0:0 Z2:2ff0:at:0:7:2a307832666630"
			  " T1:1000:E:0:0 Z1:1000:at:0:4:61626364"
			  " Z1:1000:cmd:0:1:78 Z1:1000:cmd:0:1:79 l",
			  "a text in pieces");
	used = (size_t)sprintf(packet, "QTDPsrc:1:1000:cmd:0:1d7:");
	for (int i = 0; i < 0x1d7; i++)
		used += (size_t)sprintf(packet + used, "61");
	expect(packet, "OK");
	unit_check(!strstr(upload("qTfP", "qTsP"), "616161"),
		   "a text too long is dropped");
	packet[23] = '6';
	packet[used - 2] = 0;
	expect(packet, "OK");
	unit_check(strstr(upload("qTfP", "qTsP"), "616161") != NULL,
		   "one less is not");
}

/* Makes a program of n bytes in hex; each byte has a meaning. */
static void code(char *hex, int n, const char *end)
{
	int used = 0;

	for (n -= (int)strlen(end) / 2; used < n / 3; used++)
		hex = stpcpy(hex, "220129");
	strcpy(hex, end);
}

/* Each line can be read back from a file. */
static void lines(void)
{
	static char longest_code[1024];
	char packet[2048];
	const char *got;
	size_t longest = 0;

	expect("QTinit", "OK");
	code(longest_code, 399, "220127");
	sprintf(packet, "QTDP:ffff:2ff0:E:0:ffffffffffffffff:X18f,%s-",
		longest_code);
	expect(packet, "OK");
	code(longest_code, 400, "27");
	sprintf(packet, "QTDP:-ffff:2ff0:X00000190,%s-", longest_code);
	expect(packet, "OK");
	sprintf(packet, "QTDP:-ffff:2ff0:M%01000d,0,1", 0);
	expect_refusal(packet, "malformed");
	expect("QTDP:fffe:2ff0:E:0:0", "OK");
	sprintf(packet, "QTDPsrc:fffe:2ff0:cond:0:1d6:%0940d", 0);
	expect(packet, "OK");
	for (got = ask("qTfP"); strcmp(got, "l"); got = ask("qTsP"))
		longest = strlen(got) > longest ? strlen(got) : longest;
	unit_check(longest > 900 && longest < 990, "lines of %zu characters",
		   longest);
}

/* A variable that means static data: only an action that collects it means
 * static data, and a later gdb does not hear of the variable. */
static void static_data(void)
{
	const struct trace_point *point;
	const struct trace_action *action;

	expect("QTinit", "OK");
	expect("QTaffrail:data:2", "OK");
	expect("QTDP:2:1000:E:0:0-", "OK");
	expect("QTDP:-2:1000:X00000008,2c00022e00022927-", "OK");
	expect("QTDP:-2:1000:X00000008,2c00032e00032927-", "OK");
	expect("QTDP:-2:1000:X00000005,2c00022927", "OK");
	expect("QTDV:2:0:0:5f7364617461", "OK");
	expect("QTDV:3:0:0:78", "OK");
	point = trace_find(trace_get(), 2, 0x1000);
	action = point ? point->actions : NULL;
	unit_check(action && action->collect.kind == COLLECT_STATIC &&
			   action->next->collect.kind == COLLECT_EXPRESSION &&
			   action->next->next->collect.kind ==
				   COLLECT_EXPRESSION,
		   "the first of three is static data");
	unit_equal_string(upload("qTfV", "qTsV"),
			  "1:0:1:74726163655f74696d657374616d70 3:0:0:78 l",
			  "it is not uploaded");
	expect("QTaffrail:data:0", "OK");
	unit_check(strstr(upload("qTfV", "qTsV"), " 2:0:0:5f7364617461 "),
		   "and is a variable like others again");
}

/* The most definitions that are allowed. */
static void limits(void)
{
	char packet[2048];
	int i;

	expect("QTinit", "OK");
	for (i = 0; i < COLLECT_POINTS_MAX; i++) {
		sprintf(packet, "QTDP:%x:%x:E:0:0", 1 + i, 0x1000 + 16 * i);
		if (strcmp(ask(packet), "OK"))
			break;
	}
	unit_equal(i, COLLECT_POINTS_MAX, "so many tracepoints");
	expect_refusal("QTDP:1:2ff0:E:0:0", "too many tracepoints");
	expect("QTinit", "OK");
	expect("QTDP:2:1000:E:0:0-", "OK");
	for (i = 0; i < COLLECT_ACTIONS_MAX; i++)
		if (strcmp(ask("QTDP:-2:1000:L-"), "OK"))
			break;
	unit_equal(i, COLLECT_ACTIONS_MAX, "so many actions");
	expect_refusal("QTDP:-2:1000:L-", "too many actions");
}

/* A refused definition keeps its memory until QTinit, so the memory can be used
 * up. */
static void memory(void)
{
	int i;

	expect("QTinit", "OK");
	for (i = 0; i < 100000; i++) {
		if (strcmp(ask("QTDP:2:1000:E:0:0-"), "OK"))
			break;
		ask("QTDP:-2:1000:Q");
	}
	expect("QTDP:2:1000:E:0:0-",
	       "E.tracepoint 2: the tracepoints take too much memory");
	expect("QTDPsrc:2:1000:at:0:1:61", "OK");
	expect("QTinit", "OK");
	expect("QTDP:2:1000:E:0:0", "OK");
}

/* An upload that definitions interrupt goes on, or ends at QTinit. */
static void interrupted(void)
{
	expect("QTinit", "OK");
	expect("QTDP:1:1000:E:0:0", "OK");
	expect("QTDP:2:1000:E:0:0-", "OK");
	expect("QTDP:3:1000:D:0:0", "OK");
	expect("qTfP", "T3:1000:D:0:0");
	expect_refusal("QTDP:-2:1000:Q", "malformed");
	expect("QTDP:4:1000:D:0:0", "OK");
	expect("qTsP", "T1:1000:E:0:0");
	expect("qTsP", "l");
	expect("qTfP", "T4:1000:D:0:0");
	expect("QTinit", "OK");
	expect("QTDP:4:1000:E:0:0", "OK");
	expect("qTsP", "l");
	expect("QTDV:7f:8000000000000000:0:61", "OK");
	expect("qTfV", "1:0:1:74726163655f74696d657374616d70");
	expect("qTsV", "7f:8000000000000000:0:61");
	expect("QTinit", "OK");
	expect("qTsV", "l");
}

/* A forked child has no definitions. */
static void forked(void)
{
	int status = -1;
	pid_t child;

	expect("QTDP:1:1000:E:0:0", "OK");
	child = fork();
	if (!child)
		_exit(strcmp(ask("qTfP"), "l") != 0 ||
		      strcmp(ask("qTfV"), "1:0:1:74726163655f74696d65737461"
					  "6d70") != 0);
	waitpid(child, &status, 0);
	unit_equal(status, 0, "a forked child begins with nothing");
	expect("qTfP", "T1:1000:E:0:0");
}

int main(void)
{
	session();
	uploads();
	requests();
	refusals();
	sources();
	lines();
	locations();
	frame_bases();
	static_data();
	limits();
	memory();
	interrupted();
	forked();
	return unit_end();
}
