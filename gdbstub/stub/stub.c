/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stub: gdb's remote protocol, served by the agent's service thread on
 * gdb.sock, while every thread of the program runs on.
 *
 * Invariant: gdb sees a program that it cannot change. A packet that would stop
 * a thread, or write memory or registers, is refused with a text. All input is
 * checked; nothing is left of a gdb that has gone, unless it left a run.
 */
#include "gdbstub/stub/open.h"

#include <errno.h>
#include <linux/prctl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/service/service.h"
#include "control/threads/log.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/print.h"

#define SEND_WAITS	4	/* of SEND_WAIT_MS, for one answer */
#define SEND_WAIT_MS	500
#define RECEIVE_BYTES	4096
#define READS_MAX	64	/* more than a socket holds */
#define CONSOLE_MS	20	/* between looks for texts of dprintf */

/* The functions that serve packets. A table of their addresses would take four
 * times the bytes: each address takes a relocation. */
#define FUNCTIONS(ONE) ONE(serve_supported) ONE(serve_no_ack)		\
	ONE(serve_ok) ONE(serve_stop_reason) ONE(serve_registers)	\
	ONE(serve_register) ONE(serve_memory)				\
	ONE(serve_memory_binary) ONE(serve_thread_set)			\
	ONE(serve_thread_alive) ONE(serve_detach) ONE(serve_transfer)	\
	ONE(serve_file) ONE(serve_attached) ONE(serve_thread_current)	\
	ONE(serve_trace_status) ONE(serve_markers_first)		\
	ONE(serve_markers_next) ONE(serve_marker_at)			\
	ONE(serve_marker_kind)						\
	ONE(serve_marker_moved)						\
	ONE(serve_variables_first) ONE(serve_variables_next)		\
	ONE(serve_points_first) ONE(serve_points_next)			\
	ONE(serve_trace_init) ONE(serve_define_point)			\
	ONE(serve_define_source) ONE(serve_define_variable)		\
	ONE(serve_point_enable) ONE(serve_point_disable)		\
	ONE(serve_trace_disconnected) ONE(serve_trace_buffer)		\
	ONE(serve_trace_notes) ONE(serve_trace_save)			\
	ONE(serve_trace_start) ONE(serve_trace_stop) ONE(serve_frame)	\
	ONE(serve_point_status) ONE(serve_variable)			\
	ONE(serve_frame_buffer) ONE(serve_frame_fields)			\
	ONE(serve_trace_data) ONE(serve_markers_all)			\
	ONE(serve_fast_length) ONE(serve_breakpoint_set)		\
	ONE(serve_breakpoint_clear) ONE(serve_breakpoint_refusal)	\
	ONE(serve_resume)						\
	ONE(serve_resume_actions) ONE(serve_kill_unanswered)

#define NUMBER(fn)	BY_##fn,
#define CALL(fn)	case BY_##fn: return fn(c, rest);

enum answer {
	FUNCTIONS(NUMBER)
	NO_STOP, NO_WRITE, NO_REGISTER, NO_KILL,
};

/* Why a packet is refused, from NO_STOP on. */
static const char refusals[] =
	"the program keeps running: it is not stopped\0"
	"memory is read-only through this stub\0"
	"registers are read-only through this stub\0"
	"the stub neither runs nor kills programs";

/* Packets: the function that answers; whether the word is all of the packet, or
 * the first characters. The first row that fits counts. A packet without a row
 * gets the empty answer: not supported. */
#define PACKETS(ONE)							\
	ONE(BY_serve_supported, 0, "qSupported")			\
	ONE(BY_serve_no_ack, 1, "QStartNoAckMode")			\
	ONE(BY_serve_ok, 1, "!")					\
	ONE(BY_serve_stop_reason, 1, "?")				\
	ONE(BY_serve_registers, 1, "g")					\
	ONE(BY_serve_register, 0, "p")					\
	ONE(BY_serve_memory, 0, "m")					\
	ONE(BY_serve_memory_binary, 0, "x")				\
	ONE(BY_serve_thread_set, 0, "H")				\
	ONE(BY_serve_thread_alive, 0, "T")				\
	ONE(BY_serve_detach, 0, "D")					\
	ONE(BY_serve_transfer, 0, "qXfer:")				\
	ONE(BY_serve_file, 0, "vFile:")					\
	ONE(BY_serve_ok, 0, "QNonStop:")				\
	ONE(BY_serve_ok, 0, "QPassSignals:")				\
	ONE(BY_serve_ok, 0, "QProgramSignals:")				\
	ONE(BY_serve_ok, 0, "QThreadEvents:")				\
	ONE(BY_serve_ok, 0, "qSymbol:")					\
	ONE(BY_serve_attached, 0, "qAttached")				\
	ONE(BY_serve_thread_current, 1, "qC")				\
	ONE(BY_serve_ok, 1, "vStopped")					\
	ONE(BY_serve_ok, 1, "vCtrlC")					\
	ONE(BY_serve_trace_status, 1, "qTStatus")			\
	ONE(BY_serve_markers_first, 1, "qTfSTM")			\
	ONE(BY_serve_markers_next, 1, "qTsSTM")				\
	ONE(BY_serve_marker_at, 0, "qTSTMat:")				\
	ONE(BY_serve_variables_first, 1, "qTfV")			\
	ONE(BY_serve_variables_next, 1, "qTsV")				\
	ONE(BY_serve_points_first, 1, "qTfP")				\
	ONE(BY_serve_points_next, 1, "qTsP")				\
	ONE(BY_serve_trace_init, 1, "QTinit")				\
	ONE(BY_serve_define_point, 0, "QTDP:")				\
	ONE(BY_serve_fast_length, 1, "qTMinFTPILen")			\
	ONE(BY_serve_define_source, 0, "QTDPsrc:")			\
	ONE(BY_serve_define_variable, 0, "QTDV:")			\
	ONE(BY_serve_point_enable, 0, "QTEnable:")			\
	ONE(BY_serve_point_disable, 0, "QTDisable:")			\
	ONE(BY_serve_ok, 0, "QTro:")					\
	ONE(BY_serve_trace_disconnected, 0, "QTDisconnected:")		\
	ONE(BY_serve_trace_buffer, 0, "QTBuffer:")			\
	ONE(BY_serve_trace_notes, 0, "QTNotes:")			\
	ONE(BY_serve_trace_save, 0, "QTSave:")				\
	ONE(BY_serve_trace_start, 1, "QTStart")				\
	ONE(BY_serve_trace_stop, 1, "QTStop")				\
	ONE(BY_serve_frame, 0, "QTFrame:")				\
	ONE(BY_serve_point_status, 0, "qTP:")				\
	ONE(BY_serve_variable, 0, "qTV:")				\
	ONE(BY_serve_frame_buffer, 0, "qTBuffer:")			\
	ONE(BY_serve_frame_fields, 0, "qTaffrail:frame:")		\
	ONE(BY_serve_trace_data, 0, "QTaffrail:data:")			\
	ONE(BY_serve_markers_all, 1, "qTaffrail:markers")		\
	ONE(BY_serve_marker_kind, 0, "qTaffrail:at:")			\
	ONE(BY_serve_marker_moved, 0, "qTaffrail:moved:")		\
	ONE(BY_serve_breakpoint_refusal, 1, "qTaffrail:refused")	\
	ONE(NO_WRITE, 0, "M")						\
	ONE(NO_WRITE, 0, "X")						\
	ONE(NO_REGISTER, 0, "G")					\
	ONE(NO_REGISTER, 0, "P")					\
	ONE(BY_serve_breakpoint_set, 0, "Z")				\
	ONE(BY_serve_breakpoint_clear, 0, "z")				\
	ONE(BY_serve_resume_actions, 1, "vCont?")			\
	ONE(BY_serve_resume, 0, "vCont;")				\
	ONE(NO_STOP, 0, "c")						\
	ONE(NO_STOP, 0, "C")						\
	ONE(NO_STOP, 0, "s")						\
	ONE(NO_STOP, 0, "S")						\
	ONE(NO_KILL, 0, "vKill")					\
	ONE(NO_KILL, 0, "vRun")						\
	ONE(NO_KILL, 0, "vAttach")					\
	ONE(NO_KILL, 0, "R")						\
	ONE(BY_serve_kill_unanswered, 1, "k")

#define ANSWER(answer, whole, word)	{ answer, whole },
#define WORD(answer, whole, word)	word "\0"

static const struct {
	uint8_t answer;			/* enum answer */
	uint8_t whole;
} answers[] = { PACKETS(ANSWER) };

/* Beside them: as an array in each row, they would take twice the bytes. */
static const char words[] = PACKETS(WORD);

static int awaited;	/* the socket is open for a gdb that has not come yet */

bool gdb_allowed(void)
{
	return sys5(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
}

/* Sends all bytes, or returns a negative errno. A gdb that does not read is
 * given up after SEND_WAITS. */
static int bytes_send(int fd, const char *p, uint32_t n)
{
	int waits = 0;
	int ret;

	while (n) {
		long sent = sys6(SYS_sendto, fd, p, n,
				 MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);

		if (sent == -EAGAIN) {
			if (waits++ == SEND_WAITS)
				return -ETIMEDOUT;
			ret = service_wait(fd, POLLOUT, SEND_WAIT_MS);
			if (ret && ret != -ETIMEDOUT)
				return ret;
			continue;
		}
		if (sent == -EINTR)
			continue;
		if (sent <= 0)
			return sent ? (int)sent : -EPIPE;
		p += sent;
		n -= (uint32_t)sent;
	}
	return 0;
}

/* Calls the function of the packet's row, or refuses with the row's text.
 * Returns 0, or 1 when the packet gets no answer. */
static bool packet_serve(struct connection *c, const char *p)
{
	const char *word = words;
	const char *rest = NULL;
	const char *text = refusals;
	uint32_t answer, i;

	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		rest = text_after(p, word);
		if (rest && (!answers[i].whole || !*rest))
			break;
		word += text_length(word) + 1;
	}
	if (i == ARRAY_SIZE(answers))
		return false;
	answer = answers[i].answer;
	switch (answer) {
		FUNCTIONS(CALL)
	default:
		for (; answer > NO_STOP; answer--)
			text += text_length(text) + 1;
		connection_refuse(c, text);
		return false;
	}
}

/* Answers the packet in c->in. Returns 0, or a negative errno when the gdb is
 * to be dropped. */
static int packet_answer(struct connection *c, int fd, int too_long)
{
	int ret = c->no_ack ? 0 : bytes_send(fd, "+", 1);
	const char *p = c->in.data;
	struct run_state state;

	packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
	if (too_long)
		connection_refuse(c, "the packet is too long");
	else if (!ret && packet_serve(c, c->in.data))
		return 0;
	/* a packet of a download of tracepoints: see serve_marker_at() */
	if (text_after(p, "qTStatus")) {
		c->downloading = text_after(c->out.start, "$T1") != NULL;
	} else if (text_after(p, "QTDP") && !text_after(c->out.start, "$E")) {
		run_look(&state);
		c->downloading = state.phase != RUN_ON;
	} else {
		c->downloading = text_after(p, "QTinit") != NULL;
	}
	/* see serve_points_first() */
	c->variables_told = text_after(p, "qTfV") || text_after(p, "qTsV");
	packet_close(&c->out);
	return ret ? ret : bytes_send(fd, c->out.start, c->out.used);
}

static struct connection *current;
static int current_pid;		/* a forked child does not have its memory */
static int current_fd;

int64_t gdb_look(void)
{
	struct connection *c = current;

	if (!c || current_pid != (int)sys_getpid() || !c->waits)
		return -1;
	for (;;) {
		packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
		if (!prints_tell(&c->out))
			return CONSOLE_MS;
		packet_close(&c->out);
		if (bytes_send(current_fd, c->out.start, c->out.used))
			return -1;
	}
}

/* Ends gdb's wait for the program, which it has interrupted, behind the texts
 * so far. */
static int wait_end(struct connection *c, int fd)
{
	print_console(false);
	gdb_look();
	c->waits = false;
	packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
	packet_add(&c->out, "T02thread:");
	connection_add_thread(&c->out);
	packet_add_byte(&c->out, ';');
	packet_close(&c->out);
	return bytes_send(fd, c->out.start, c->out.used);
}

/* Serves the bytes that have come. Returns 0 when no more are there, 1 when
 * there may be more, a negative errno when the connection ends. An interrupt
 * has no answer: gdb sees a program that is stopped. */
static int connection_read(struct connection *c, int fd)
{
	uint8_t bytes[RECEIVE_BYTES];
	long got = sys6(SYS_recvfrom, fd, bytes, sizeof(bytes), MSG_DONTWAIT,
			NULL, NULL);
	int ret = 0;

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	if (got <= 0)
		return got ? (int)got : -EPIPE;
	if (!gdb_allowed())
		return -EPERM;
	for (long i = 0; i < got && !ret; i++) {
		switch (packet_take(&c->in, bytes[i])) {
		case PACKET_READY:
			ret = packet_answer(c, fd, 0);
			break;
		case PACKET_LONG:
			ret = packet_answer(c, fd, 1);
			break;
		case PACKET_BROKEN:
			ret = c->no_ack ? 0 : bytes_send(fd, "-", 1);
			break;
		case PACKET_INTERRUPT:
			ret = c->waits ? wait_end(c, fd) : 0;
			break;
		case PACKET_AGAIN:
			if (!c->no_ack && c->out.start)
				ret = bytes_send(fd, c->out.start, c->out.used);
			break;
		default:
			break;
		}
	}
	return ret ? ret : 1;
}

/*
 * Reads all bytes that are there, to see the end of one gdb before a gdb that
 * came later is refused as a second one. At the end it frees all that a gdb had
 * here, and returns -EPIPE, which ends the watch of the descriptor.
 *
 * The snapshot shows this function, which runs whenever gdb looks. When gdb has
 * connected, the user reads this function's name and the line of the snapshot.
 */
static int taffrail_agent_serves_gdb(int fd, void *arg)
{
	struct connection *c = arg;
	int ret = 1;

	REGISTERS_TAKE(&c->registers); /* the program's threads run on */
	for (int i = 0; i < READS_MAX && ret > 0; i++)
		ret = connection_read(c, fd);
	if (ret >= 0)
		return 0;
	current = NULL;
	files_close(c);
	prints_disconnected();
	run_disconnected();
	sys_munmap(c, sizeof(*c));
	log_fact(LOG_INFO, "gdb", "gone", ret);
	return -EPIPE;
}

/* Answers the end of a packet with a refusal, which gdb shows, and waits until
 * gdb closes. If the stub closed first, with an acknowledgement still unread,
 * gdb would see an error instead. */
static int refusal_ready(int fd, void *why)
{
	char bytes[RECEIVE_BYTES], answer[128];
	struct packet out;
	long got = sys6(SYS_recvfrom, fd, bytes, sizeof(bytes), MSG_DONTWAIT,
			NULL, NULL);
	int ret;
	long i;

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	if (got <= 0)
		return -EPIPE;
	for (i = 0; i < got && bytes[i] != RSP_END; i++)
		;
	if (i == got)
		return 0;
	packet_open(&out, answer, sizeof(answer));
	packet_add(&out, "E.");
	packet_add(&out, why);
	packet_close(&out);
	ret = bytes_send(fd, "+", 1);
	if (!ret)
		ret = bytes_send(fd, out.start, out.used);
	sys2(SYS_shutdown, fd, SHUT_WR);
	return ret;
}

/* Takes a gdb, or has it told why not. Returns 0, or a negative errno: the
 * caller then closes fd. Neither a forked child nor a core file gets the
 * connection. */
static int connection_begin(int fd)
{
	static char busy[] = "another gdb is connected";
	static char forbidden[] =
		"the program is not dumpable: its memory may not be read";
	struct connection *c;
	int ret;

	if (!gdb_allowed())
		return service_watch(fd, refusal_ready, forbidden);
	if (service_watches(taffrail_agent_serves_gdb))
		return service_watch(fd, refusal_ready, busy);
	c = sys_map_anonymous(sizeof(*c));
	if (!c)
		return -ENOMEM;
	sys_madvise(c, sizeof(*c), MADV_DONTFORK);
	sys_madvise(c, sizeof(*c), MADV_DONTDUMP);
	for (int i = 0; i < CONNECTION_FILES; i++)
		c->files[i] = -1;
	packet_reader_open(&c->in, c->in_bytes, sizeof(c->in_bytes));
	run_connected();
	prints_connected();
	ret = service_watch(fd, taffrail_agent_serves_gdb, c);
	current = ret ? NULL : c;
	current_pid = (int)sys_getpid();
	current_fd = fd;
	if (ret)
		sys_munmap(c, sizeof(*c));
	return ret;
}

bool gdb_connected(void)
{
	return service_watches(taffrail_agent_serves_gdb) != 0;
}

void gdb_await(void)
{
	awaited = 1;
}

/* The service thread calls this at each turn. run_look() here would end a run
 * before a gdb looks at it. */
bool gdb_idle(void)
{
	return !awaited && !run_exists() &&
	       !service_watches(taffrail_agent_serves_gdb) &&
	       !service_watches(refusal_ready);
}

int gdb_connect(int listener, void *arg)
{
	int fd = service_accept(listener);

	if (fd < 0)
		return 0;
	awaited = 0;
	if (connection_begin(fd))
		sys_close(fd);
	else
		log_fact(LOG_INFO, "gdb", "connected", 0);
	return 0;
}
