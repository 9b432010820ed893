/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program as gdb sees it: one stopped thread. It is the service thread,
 * which is busy with gdb, so the registers are a true snapshot. gdb hears of no
 * other thread, so it never wants to stop one.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/base.h"
#include "base/sys.h"
#include "gdbstub/tracing/frame.h"
#include "gdbstub/wire/connection.h"

/* A seccomp filter may deny process_vm_readv(2), as that of systemd's group
 * @debug does. */
uint64_t memory_read(uint64_t address, void *to, uint64_t n)
{
	long got = sys_read_memory(sys_getpid(), to, address, n);
	int fd;

	if (got == -EPERM || got == -ENOSYS) {
		fd = (int)sys_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
		if (fd < 0)
			return 0;
		got = sys4(SYS_pread64, fd, to, n, address);
		sys_close(fd);
	}
	return got < 0 ? 0 : (uint64_t)got;
}

void connection_add_thread(struct packet *out)
{
	packet_add_byte(out, 'p');
	packet_add_number(out, (uint64_t)sys_getpid());
	packet_add_byte(out, '.');
	packet_add_number(out, (uint64_t)sys_gettid());
}

int serve_supported(struct connection *c, const char *p)
{
	c->marker_room = marker_room(p);
	packet_add(&c->out, "PacketSize=");
	packet_add_number(&c->out, RSP_PACKET_BYTES);
	packet_add(&c->out,
		   ";QStartNoAckMode+;multiprocess+;QNonStop+;vContSupported+"
		   ";qXfer:features:read+;qXfer:auxv:read+"
		   ";qXfer:exec-file:read+;qXfer:threads:read+"
		   ";qXfer:libraries-svr4:read+;QPassSignals+;QProgramSignals+"
		   ";StaticTracepoints+;FastTracepoints+"
		   ";ConditionalBreakpoints+;BreakpointCommands+"
		   ";ConditionalTracepoints+"
		   ";TracepointSource+;EnableDisableTracepoints+;tracenz+"
		   ";QTBuffer:size+;InstallInTrace+;DisconnectedTracing+"
		   ";qXfer:statictrace:read+;qXfer:traceframe-info:read+"
		   ";binary-upload+;error-message+"
		   ";no-resumed+");
	return 0;
}

int serve_no_ack(struct connection *c, const char *p)
{
	c->no_ack = 1;
	return serve_ok(c, p);
}

int serve_stop_reason(struct connection *c, const char *p)
{
	packet_add(&c->out, "T00thread:");
	connection_add_thread(&c->out);
	packet_add_byte(&c->out, ';');
	return 0;
}

/* Returns true when "pPID.TID", "pPID" or "TID" may mean the service thread; 0
 * and -1 stand for any. */
static bool thread_is_ours(const char *p)
{
	uint64_t id;
	bool with_process = packet_read_char(&p, 'p');

	if (packet_read_char(&p, '-'))
		return true;
	if (!packet_read_number(&p, &id))
		return false;
	if (with_process && id && id != (uint64_t)sys_getpid())
		return false;
	if (with_process && !packet_read_char(&p, '.'))
		return true;
	if (with_process && (packet_read_char(&p, '-') ||
			!packet_read_number(&p, &id)))
		return p[-1] == '-';
	return !id || id == (uint64_t)sys_gettid();
}

int serve_thread_set(struct connection *c, const char *p)
{
	if ((*p != 'g' && *p != 'c') || !thread_is_ours(p + 1))
		connection_error(c, 1);
	else
		serve_ok(c, p);
	return 0;
}

int serve_thread_alive(struct connection *c, const char *p)
{
	if (thread_is_ours(p))
		serve_ok(c, p);
	else
		connection_error(c, 1);
	return 0;
}

int serve_thread_current(struct connection *c, const char *p)
{
	packet_add(&c->out, "QC");
	connection_add_thread(&c->out);
	return 0;
}

/* At the answer 1, attached, gdb detaches when it quits. It would kill a
 * program that it had started. */
int serve_attached(struct connection *c, const char *p)
{
	packet_add(&c->out, "1");
	return 0;
}

/* Gets the registers of the frame that gdb looks at, or of the service thread.
 * Returns how much of them is known: enum registers_known. */
static int registers_now(struct connection *c, struct registers *registers)
{
	struct frame frame;
	int known = REGISTERS_KNOWN_MORE;

	if (frame_now(c, &frame))
		frame_registers(&frame, registers, &known);
	else
		*registers = c->registers;
	return known;
}

/* The answer is never an error: gdb does not work without registers. */
int serve_registers(struct connection *c, const char *p)
{
	struct registers registers;
	int known = registers_now(c, &registers);

	registers_add(&c->out, &registers, known);
	return 0;
}

int serve_register(struct connection *c, const char *p)
{
	struct registers registers;
	uint64_t number;
	int known = registers_now(c, &registers);

	if (!packet_read_number(&p, &number) ||
	    !registers_add_one(&c->out, &registers, known, number))
		connection_error(c, 1);
	return 0;
}

/* Reads "ADDRESS,LENGTH" and copies that memory to c->chunk; *n says how many
 * bytes are there. Returns false when the packet is malformed. */
static bool memory_take(struct connection *c, const char *p, uint64_t *n)
{
	struct frame frame;
	uint64_t address;

	if (!packet_read_number(&p, &address) || !packet_read_char(&p, ',') ||
	    !packet_read_number(&p, n))
		return false;
	*n = min_u64(*n, CONNECTION_CHUNK_BYTES);
	if (frame_now(c, &frame)) {
		uint64_t got = frame_memory(&frame, address, c->chunk, *n);

		if (got || !(*n = constant_bytes(address, *n))) {
			*n = got;
			return true;
		}
	}
	*n = memory_read(address, c->chunk, *n);
	return true;
}

int serve_memory(struct connection *c, const char *p)
{
	uint64_t n;

	if (!memory_take(c, p, &n) || !n)
		connection_error(c, 1);
	else
		packet_add_hex(&c->out, c->chunk, n);
	return 0;
}

/* For gdb 16 and later: a "b" before the bytes, which is not an error. */
int serve_memory_binary(struct connection *c, const char *p)
{
	uint64_t n;

	if (!memory_take(c, p, &n) || !n) {
		connection_error(c, 1);
		return 0;
	}
	packet_add(&c->out, "b");
	packet_add_bytes(&c->out, c->chunk, n);
	return 0;
}

/* gdb must hear of these actions, though the stub refuses each of them. */
int serve_resume_actions(struct connection *c, const char *p)
{
	packet_add(&c->out, "vCont;c;C;s;S;t");
	return 0;
}

int serve_detach(struct connection *c, const char *p)
{
	c->detached = 1;
	return serve_ok(c, p);
}

/* `k` gets no answer; the program runs on. */
int serve_kill_unanswered(struct connection *c, const char *p)
{
	return 1;
}
