/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter's own requests to the server, between a request of gdb and the
 * answer that gdb gets.
 *
 * The agent. A gdbserver that has found an agent reads the agent's variables at
 * each stop, until it exits. It ends where they do not exist: in the program
 * that an execve leads to, or in another program that it runs. So the filter
 * lets the server find no agent until it must start a trace that needs one:
 *
 *	gdb	filter		server
 *	QTStart ------> qSymbol:: ---->
 *		<---- qSymbol:NAME		for each name it looks for
 *		qSymbol:ADDRESS:NAME ---->
 *		<------- OK
 *		QTStart ------->
 *	OK <------------ OK
 *
 * Children. When gdb detaches from a child, the server ends the trace, although
 * the trace is of the parent. The server has forgotten nothing, so the filter
 * starts the trace again and it goes on. While a child shares the memory of the
 * parent, the filter waits until that is over.
 *
 * Invariant: gdb gets one answer to each of its requests.
 */
#include <string.h>

#include "base/text.h"
#include "gdbstub/filter/private.h"

#define QUESTION	"qSymbol:"
#define AGENT_NAMES	"6764625f6167656e745f"	/* gdb_agent_ */
#define RELOCATE	"qRelocInsn:"
#define NAME_BYTES	128

/* The request that the next answer belongs to, in a talk that restarts a
 * trace. */
enum {
	STAGE_STATUS,			/* whether the trace runs */
	STAGE_DETACH,			/* gdb's own request */
	STAGE_THREAD,			/* selects a thread of the parent */
	STAGE_START,
	STAGE_BACK,			/* selects gdb's thread again */
};

/* Keeps a packet for later. Returns false when it is too long. */
static bool packet_keep(struct filter *f, const char *p, size_t n)
{
	if (n >= sizeof(f->kept))
		return false;
	memcpy(f->kept, p, n);
	f->kept[n] = '\0';
	return true;
}

/* Looks a symbol up that the server asks for. Returns true if the host knows
 * it. */
static bool symbol_find(struct filter *f, const char *name, uint64_t *address)
{
	char text[NAME_BYTES];

	return f->host.symbol && packet_read_text(&name, text, sizeof(text)) &&
	       !*name && f->host.symbol(f->host.arg, &f->thread, text, address);
}

enum filter_verdict filter_introduce(struct filter *f, const char *p,
				     enum filter_verdict verdict,
				     struct packet *out)
{
	bool starts = text_after(p, "QTStart") != NULL;
	const char *why;
	bool kept;

	if (f->introduced || !f->wants_agent || !f->started ||
	    (!starts && !text_after(p, "QTDP:")) ||
	    verdict == VERDICT_ANSWERED)
		return verdict;
	why = f->host.early ? f->host.early(f->host.arg, &f->thread) : NULL;
	if (why) {
		/* before the agent is set up, the server would keep the values
		 * that it reads there */
		if (starts)
			f->started = 0;
		filter_defined(f, "E");
		packet_open(out, out->start, out->size);
		return filter_refuse(out, why);
	}
	if (!f->held_back)
		return verdict;
	if (verdict == VERDICT_PASS)
		kept = packet_keep(f, p, strlen(p));
	else if (verdict == VERDICT_CHANGED)
		kept = packet_keep(f, out->start + 1, out->used - 1);
	else
		return verdict;
	if (!kept)
		return verdict;
	packet_open(out, out->start, out->size);
	packet_add(out, QUESTION ":");
	f->kind = KIND_INTRODUCE;
	return VERDICT_CHANGED;
}

/* Answers the server's questions for symbols in place of gdb. When no question
 * is left, gdb's own request follows. */
static enum filter_verdict agent_introduce(struct filter *f, const char *p,
					   struct packet *out)
{
	const char *name = text_after(p, QUESTION);
	uint64_t address;

	if (!name) {
		f->introduced = 1;
		f->kind = KIND_INSTALL;
		packet_add(out, f->kept);
		return VERDICT_MORE;
	}
	packet_add(out, QUESTION);
	if (symbol_find(f, name, &address))
		packet_add_number(out, address);
	packet_add(out, ":");
	packet_add(out, name);
	return VERDICT_MORE;
}

/* The server asks gdb for symbols. A symbol of the agent does not reach gdb:
 * the filter answers that it is not there. */
static enum filter_verdict hold_back(struct filter *f, const char *p,
				     struct packet *out)
{
	const char *name = text_after(p, QUESTION);
	uint64_t address;

	if (!name || f->introduced || !text_after(name, AGENT_NAMES) ||
	    !symbol_find(f, name, &address))
		return VERDICT_PASS;
	f->held_back = 1;
	packet_add(out, QUESTION ":");
	packet_add(out, name);
	return VERDICT_MORE;
}

/* Chooses the thread for the server. */
static void thread_choose(const struct filter_thread *thread,
			  struct packet *out)
{
	packet_add(out, "Hg");
	if (thread->pid) {
		packet_add(out, "p");
		packet_add_number(out, thread->pid);
		packet_add(out, ".");
	}
	packet_add_number(out, thread->tid);
}

enum filter_verdict filter_detach(struct filter *f, const char *p,
				  struct packet *out)
{
	const char *at = p;
	uint64_t pid;

	if (!f->started || f->elsewhere || !f->child || !f->host.relocate ||
	    !packet_read_char(&at, ';') || !packet_read_number(&at, &pid) ||
	    *at || pid != f->child || !packet_keep(f, p - 1, strlen(p - 1)))
		return VERDICT_PASS;
	f->stage = STAGE_STATUS;
	f->kind = KIND_RESTART;
	packet_add(out, "qTStatus");
	return VERDICT_CHANGED;
}

/* FROM;TO: moves an instruction for the server, in gdb's place. */
static bool insn_relocate(struct filter *f, const char *p,
			  const struct filter_thread *thread,
			  struct packet *out)
{
	uint64_t from, to;
	uint32_t n = 0;

	if (f->host.relocate && packet_read_number(&p, &from) &&
	    packet_read_char(&p, ';') && packet_read_number(&p, &to) &&
	    filter_point_place(f, from))
		n = f->host.relocate(f->host.arg, thread, from, to);
	if (!n)
		return false;
	packet_add(out, RELOCATE);
	packet_add_number(out, n);
	return true;
}

/* Takes the answers to the filter's requests, stage by stage. The last stage
 * gives gdb the answer that was kept. */
static enum filter_verdict trace_restart(struct filter *f, const char *p,
					 struct packet *out)
{
	const char *places = text_after(p, RELOCATE);

	if (places) {
		/* gdb cannot answer: it made no request */
		if (!insn_relocate(f, places, &f->parent, out))
			packet_add(out, "E01");
		return VERDICT_MORE;
	}
	switch (f->stage++) {
	case STAGE_STATUS:
		f->ran = text_after(p, "T1") != NULL;
		filter_status_restart(f, p);
		packet_add(out, f->kept);
		return VERDICT_MORE;
	case STAGE_DETACH:
		if (strcmp(p, "OK"))
			return VERDICT_PASS;
		f->ended = 1;
		f->resumes = f->ran && f->shares;
		if (!f->ran || f->shares || !packet_keep(f, p, strlen(p)))
			return VERDICT_PASS;
		thread_choose(&f->parent, out);
		return VERDICT_MORE;
	case STAGE_THREAD:
		packet_add(out, "QTStart");
		return VERDICT_MORE;
	case STAGE_START:
		f->started = *p != 'E';
		if (!f->started)
			f->status.end = FILTER_END_FORK;
		thread_choose(&f->thread, out);
		return VERDICT_MORE;
	default:
		packet_add(out, f->kept);
		return VERDICT_CHANGED;
	}
}

enum filter_verdict filter_talk(struct filter *f, enum filter_kind kind,
				const char *p, struct packet *out)
{
	const char *places = text_after(p, RELOCATE);

	switch (kind) {
	case KIND_SYMBOL:
		return hold_back(f, p, out);
	case KIND_INTRODUCE:
		return agent_introduce(f, p, out);
	case KIND_RESTART:
		return trace_restart(f, p, out);
	case KIND_INSTALL:
		/* gdb could move the instruction, too. But it may first select
		 * another thread, which the server does not expect there */
		if (!places)
			filter_defined(f, p);
		return places && insn_relocate(f, places, &f->thread, out) ?
			       VERDICT_MORE : VERDICT_PASS;
	default:
		/* a stop: after the end of a vfork the trace may go on */
		filter_answer_note(f, KIND_PLAIN, p);
		if (!strstr(p, "vforkdone:") || !packet_keep(f, p, strlen(p)))
			return VERDICT_PASS;
		f->resumes = 0;
		f->stage = STAGE_THREAD;
		f->kind = KIND_RESTART;
		thread_choose(&f->parent, out);
		return VERDICT_MORE;
	}
}
