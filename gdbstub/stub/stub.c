/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stub: gdb's remote protocol, served by the agent's service thread on
 * gdb.sock, while every thread of the program runs on.
 *
 * What must stay true: gdb sees a program that it cannot change. A packet that
 * would stop a thread, or write memory or registers, is refused with a text.
 * All input is checked; nothing is left of a gdb that has gone, unless it left
 * a run.
 */
#include "gdbstub/stub/connect.h"

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

#define SEND_WAITS	4	/* of SEND_WAIT_MS, for one answer */
#define SEND_WAIT_MS	500
#define RECEIVE_BYTES	4096
#define READS_MAX	64	/* more than a socket holds */

/* A packet: `word` is its first characters, or all of it where `whole` is set.
 * The first row that fits counts. A packet whose row has no function is refused
 * with `text`; a packet without a row gets the empty answer: not supported. */
struct row {
	packet_fn *fn;
	const char *text;
	uint8_t whole;
	char word[23];			/* a pointer takes a relocation */
};

static const char no_stop[] = "the program keeps running: it is not stopped";
static const char no_write[] = "memory is read-only through this stub";
static const char no_breakpoint[] =
	"no breakpoints here: nothing stops the program; use tracepoints";
static const char no_kill[] = "the stub neither runs nor kills programs";

static const struct row rows[] = {
	{ serve_supported, NULL, 0, "qSupported" },
	{ serve_no_ack, NULL, 1, "QStartNoAckMode" },
	{ serve_ok, NULL, 1, "!" },
	{ serve_stop_reason, NULL, 1, "?" },
	{ serve_registers, NULL, 1, "g" },
	{ serve_register, NULL, 0, "p" },
	{ serve_memory, NULL, 0, "m" },
	{ serve_memory_binary, NULL, 0, "x" },
	{ serve_thread_set, NULL, 0, "H" },
	{ serve_thread_alive, NULL, 0, "T" },
	{ serve_detach, NULL, 0, "D" },
	{ serve_transfer, NULL, 0, "qXfer:" },
	{ serve_file, NULL, 0, "vFile:" },
	{ serve_ok, NULL, 0, "QNonStop:" },
	{ serve_ok, NULL, 0, "QPassSignals:" },
	{ serve_ok, NULL, 0, "QProgramSignals:" },
	{ serve_ok, NULL, 0, "QThreadEvents:" },
	{ serve_ok, NULL, 0, "qSymbol:" },
	{ serve_attached, NULL, 0, "qAttached" },
	{ serve_thread_current, NULL, 1, "qC" },
	{ serve_ok, NULL, 1, "vStopped" },
	{ serve_ok, NULL, 1, "vCtrlC" },
	{ serve_trace_status, NULL, 1, "qTStatus" },
	{ serve_markers_first, NULL, 1, "qTfSTM" },
	{ serve_markers_next, NULL, 1, "qTsSTM" },
	{ serve_marker_at, NULL, 0, "qTSTMat:" },
	{ serve_variables_first, NULL, 1, "qTfV" },
	{ serve_variables_next, NULL, 1, "qTsV" },
	{ serve_points_first, NULL, 1, "qTfP" },
	{ serve_points_next, NULL, 1, "qTsP" },
	{ serve_trace_init, NULL, 1, "QTinit" },
	{ serve_define_point, NULL, 0, "QTDP:" },
	{ serve_define_source, NULL, 0, "QTDPsrc:" },
	{ serve_define_variable, NULL, 0, "QTDV:" },
	{ serve_point_enable, NULL, 0, "QTEnable:" },
	{ serve_point_disable, NULL, 0, "QTDisable:" },
	{ serve_ok, NULL, 0, "QTro:" },
	{ serve_trace_disconnected, NULL, 0, "QTDisconnected:" },
	{ serve_trace_buffer, NULL, 0, "QTBuffer:" },
	{ serve_trace_notes, NULL, 0, "QTNotes:" },
	{ serve_trace_save, NULL, 0, "QTSave:" },
	{ serve_trace_start, NULL, 1, "QTStart" },
	{ serve_trace_stop, NULL, 1, "QTStop" },
	{ serve_frame, NULL, 0, "QTFrame:" },
	{ serve_point_status, NULL, 0, "qTP:" },
	{ serve_variable, NULL, 0, "qTV:" },
	{ serve_frame_buffer, NULL, 0, "qTBuffer:" },
	{ serve_frame_fields, NULL, 0, "qTaffrail:frame:" },
	{ serve_trace_data, NULL, 0, "QTaffrail:data:" },
	{ serve_markers_all, NULL, 1, "qTaffrail:markers" },
	{ NULL, no_write, 0, "M" },
	{ NULL, no_write, 0, "X" },
	{ NULL, "registers are read-only through this stub", 0, "G" },
	{ NULL, "registers are read-only through this stub", 0, "P" },
	{ NULL, no_breakpoint, 0, "Z" },
	{ NULL, no_breakpoint, 0, "z" },
	{ serve_resume_actions, NULL, 1, "vCont?" },
	{ NULL, no_stop, 0, "vCont;" },
	{ NULL, no_stop, 0, "c" },
	{ NULL, no_stop, 0, "C" },
	{ NULL, no_stop, 0, "s" },
	{ NULL, no_stop, 0, "S" },
	{ NULL, no_kill, 0, "vKill" },
	{ NULL, no_kill, 0, "vRun" },
	{ NULL, no_kill, 0, "vAttach" },
	{ NULL, no_kill, 0, "R" },
	{ serve_kill_unanswered, NULL, 1, "k" },
};

static int awaited;	/* the socket is open for a gdb that has not come yet */

int gdb_allowed(void)
{
	return sys5(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
}

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

/* Returns 0, or 1 when the packet gets no answer. */
static int packet_serve(struct connection *c, const char *p)
{
	const struct row *row;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		const char *rest = text_after(p, row->word);

		if (!rest || (row->whole && *rest))
			continue;
		if (row->fn)
			return row->fn(c, rest);
		connection_refuse(c, row->text);
		return 0;
	}
	return 0;
}

/* Returns 1 for a packet of a download of tracepoints; see serve_marker_at().
 */
static int is_download(const char *p, const struct packet *answer)
{
	struct run_state state;

	if (text_after(p, "qTStatus"))
		return text_after(answer->start, "$T1") != NULL;
	if (!text_after(p, "QTDP") || text_after(answer->start, "$E"))
		return text_after(p, "QTinit") != NULL;
	run_look(&state);
	return state.phase != RUN_ON;
}

/* Returns 1 when gdb asks for variables; see serve_points_first(). */
static int is_variables(const char *p)
{
	return text_after(p, "qTfV") || text_after(p, "qTsV");
}

static int packet_answer(struct connection *c, int fd, int too_long)
{
	int ret = c->no_ack ? 0 : bytes_send(fd, "+", 1);

	packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
	if (too_long)
		connection_refuse(c, "the packet is too long");
	else if (!ret && packet_serve(c, c->in.data))
		return 0;
	c->downloading = is_download(c->in.data, &c->out);
	c->variables_told = is_variables(c->in.data);
	packet_close(&c->out);
	return ret ? ret : bytes_send(fd, c->out.start, c->out.used);
}

static int byte_serve(struct connection *c, int fd, uint8_t byte)
{
	switch (packet_take(&c->in, byte)) {
	case PACKET_READY:
		return packet_answer(c, fd, 0);
	case PACKET_LONG:
		return packet_answer(c, fd, 1);
	case PACKET_BROKEN:
		return c->no_ack ? 0 : bytes_send(fd, "-", 1);
	case PACKET_AGAIN:
		if (c->no_ack || !c->out.start)
			return 0;
		return bytes_send(fd, c->out.start, c->out.used);
	default:
		/* also at an interrupt: gdb sees a program that is stopped */
		return 0;
	}
}

static int connection_end(struct connection *c, int why)
{
	files_close(c);
	run_disconnected();
	sys_munmap(c, sizeof(*c));
	log_fact(LOG_INFO, "gdb", "gone", why);
	return -EPIPE;
}

/* Serves the bytes that have come. Returns 0 when no more are there, 1 when
 * there may be more, a negative errno when the connection ends. */
static int connection_read(struct connection *c, int fd)
{
	uint8_t bytes[RECEIVE_BYTES];
	long got = sys6(SYS_recvfrom, fd, bytes, sizeof(bytes), MSG_DONTWAIT,
			NULL, NULL);
	int ret = 0;
	long i;

	if (got == -EAGAIN || got == -EINTR)
		return 0;
	if (got <= 0)
		return got ? (int)got : -EPIPE;
	if (!gdb_allowed())
		return -EPERM;
	for (i = 0; i < got && !ret; i++)
		ret = byte_serve(c, fd, bytes[i]);
	return ret ? ret : 1;
}

/*
 * Reads all bytes that are there, to see the end of one gdb before a gdb that
 * came later is refused as a second one.
 *
 * The snapshot shows this function, which runs whenever gdb looks. When gdb has
 * connected, its user reads this function's name and the line of the snapshot.
 */
static int taffrail_agent_serves_gdb(int fd, void *arg)
{
	struct connection *c = arg;
	int ret = 1;
	int i;

	REGISTERS_TAKE(&c->registers); /* the program's threads run on */
	for (i = 0; i < READS_MAX && ret > 0; i++)
		ret = connection_read(c, fd);
	return ret < 0 ? connection_end(c, ret) : 0;
}

/* Answers the end of a packet with a refusal, which gdb shows, and waits until
 * gdb closes. If the stub closed first, with an acknowledgement still unread,
 * gdb would see an error instead. */
static int refusal_ready(int fd, void *why)
{
	char bytes[RECEIVE_BYTES];
	char answer[128];
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

static struct connection *connection_make(void)
{
	struct connection *c = sys_map_anonymous(sizeof(*c));
	int i;

	if (!c)
		return NULL;
	sys_madvise(c, sizeof(*c), MADV_DONTFORK);
	sys_madvise(c, sizeof(*c), MADV_DONTDUMP);
	for (i = 0; i < CONNECTION_FILES; i++)
		c->files[i] = -1;
	packet_reader_open(&c->in, c->in_bytes, sizeof(c->in_bytes));
	return c;
}

static int connection_begin(int fd)
{
	static char busy[] = "another gdb is connected";
	static char forbidden[] = "the program is not dumpable: its memory may not be read";
	struct connection *c;
	int ret;

	if (!gdb_allowed())
		return service_watch(fd, refusal_ready, forbidden);
	if (service_watches(taffrail_agent_serves_gdb))
		return service_watch(fd, refusal_ready, busy);
	c = connection_make();
	if (!c)
		return -ENOMEM;
	run_connected();
	ret = service_watch(fd, taffrail_agent_serves_gdb, c);
	if (ret)
		sys_munmap(c, sizeof(*c));
	return ret;
}

int gdb_connected(void)
{
	return service_watches(taffrail_agent_serves_gdb) != 0;
}

void gdb_await(void)
{
	awaited = 1;
}

/* The service thread calls this at each turn. run_look() here would end a run
 * before a gdb looks at it. */
int gdb_idle(void)
{
	return !awaited && !run_exists() &&
	       !service_watches(taffrail_agent_serves_gdb) &&
	       !service_watches(refusal_ready);
}

int gdb_connect(int listener, void *arg)
{
	int fd = service_accept(listener);

	(void)arg;
	if (fd < 0)
		return 0;
	awaited = 0;
	if (connection_begin(fd))
		sys_close(fd);
	else
		log_fact(LOG_INFO, "gdb", "connected", 0);
	return 0;
}
