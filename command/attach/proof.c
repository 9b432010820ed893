/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves that nothing in a process leads to some of its memory, while all
 * threads are stopped: the agent's code, with the stubs at USDT probes,
 * wherever it is mapped. Then no thread comes there later: an address comes
 * from a register or from memory.
 *
 *	thread's registers		any of them
 *	restartable sequences		the kernel reads once more what the last
 *					one was: the word is cleared
 *	memory				each word of each page that is the
 *					process's own, except what lies below
 *					the stack pointer of a thread in the
 *					stack that libc has given the thread:
 *					where a handler or a coroutine has a
 *					stack, the program may have data below
 *
 * Pages of files that nobody has written to are as the linker made the file,
 * and have no address. The words of the dynamic linker about the library do not
 * count: they lead to tables, not to code.
 *
 * Refused, as there is no proof: processes that make code (addresses there are
 * not aligned, and not absolute), that have more memory than can be read in a
 * short stop, or that share it with another process (CLONE_VM). Code that is in
 * no private mapping of a file counts as made.
 */
#include "command/attach/proof-private.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <linux/rseq.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "command/procfs/process.h"

#define PAGE_BYTES	4096ull
#define RED_ZONE	128
/* Some 20 ms are the longest stop. */
#define PAGES_MAX	16384u
#define PAGES_AT_ONCE	256u
#define PAGEMAP_SWAPPED	(1ull << 62)
#define PAGEMAP_FILE	(1ull << 61)
#define PAGEMAP_PRESENT	(1ull << 63)
#define MAYBE_MS	300
#define VECTORS_BYTES	32768	/* of XSAVE, with AMX: 11 KiB */
/* libc's structure of a thread: how much is read, and how much it may have. */
#define CONTROL_BYTES	2048
#define CONTROL_MAX_BYTES 16384
#define STACK_MAX_BYTES	(1ull << 30)

static void range_add(struct range *ranges, size_t *n, uint64_t start,
		      uint64_t end)
{
	if (start < end)
		ranges[(*n)++] = (struct range){ start, end };
}

static int range_compare(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

/* Returns true for an address in the memory in question. */
static bool leads_there(const struct attach_proof *p, uint64_t address)
{
	size_t low = 0, high = p->nranges;

	if (!high || address < p->ranges[0].start ||
	    address >= p->ranges[high - 1].end)
		return false;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (address < p->ranges[middle].start)
			high = middle;
		else
			low = middle;
	}
	return address < p->ranges[low].end;
}

/* A line of /proc/PID/maps. */
struct line {
	uint64_t start, end;
	bool executable, private;
	bool file;		/* has a path */
	bool stack;		/* of the first thread */
};

static bool line_read(struct line *line, const char *text)
{
	uint64_t inode;
	char flags[5];
	int at = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64 " %n",
		   &line->start, &line->end, flags, &inode, &at) != 4 || !at)
		return false;
	line->executable = flags[2] == 'x';
	line->private = flags[3] == 'p';
	/* a name in brackets may be the program's (PR_SET_VMA) */
	line->file = text[at] == '/' && strncmp(text + at, "/dev/zero", 9);
	line->stack = !strncmp(text + at, "[stack]", 7);
	/* the kernel's */
	return strncmp(text + at, "[v", 2) != 0;
}

/* Adds the parts of the agent's memory that have code: stubs of USDT probes,
 * the decoder, jumps. */
static int code_add(struct attach_proof *p)
{
	FILE *maps = process_stream(p->t->shown, 0, "maps");
	char *text = NULL;
	size_t room = 0;
	struct line line;
	int ret = maps ? 0 : -EACCES;

	while (!ret && getline(&text, &room, maps) > 0) {
		if (!line_read(&line, text) || !line.executable)
			continue;
		for (size_t i = 0; i < p->nheld && !ret; i++) {
			const struct range *r = &p->held[i];

			if (r->end <= line.start || r->start >= line.end)
				continue;
			if (p->nranges == PROOF_RANGES_MAX)
				ret = -E2BIG;
			else
				range_add(p->ranges, &p->nranges,
					  r->start > line.start ? r->start :
								  line.start,
					  r->end < line.end ? r->end :
							      line.end);
		}
	}
	free(text);
	if (maps)
		fclose(maps);
	return ret;
}

int attach_proof_open(struct attach_proof *p, struct attach_target *t,
		      uint64_t facts)
{
	struct mapping rows[MAPPINGS_MAX];
	struct unload_facts *f = &p->facts;
	int ret;

	memset(p, 0, sizeof(*p));
	p->t = t;
	p->memory = true;
	ret = attach_read(t, facts, f, sizeof(*f));
	if (!ret && f->nrows != MAPPINGS_MAX)
		ret = -EPROTO;
	if (!ret)
		ret = attach_read(t, f->rows, rows, sizeof(rows));
	if (ret)
		return ret;
	range_add(p->ranges, &p->nranges, f->code, f->code_end);
	range_add(p->ranges, &p->nranges, f->stubs, f->stubs_end);
	for (size_t i = 0; i < MAPPINGS_MAX; i++)
		range_add(p->held, &p->nheld, rows[i].start,
			  rows[i].start + rows[i].bytes);
	ret = code_add(p);
	if (ret)
		return ret;
	qsort(p->ranges, p->nranges, sizeof(*p->ranges), range_compare);
	/* the agent's own memory leads to itself */
	for (size_t i = 0; i < t->nmodules; i++)
		if (t->modules[i].map == t->names.library)
			attach_proof_except(p, t->modules[i].base,
					    f->stubs_end - t->modules[i].base);
	attach_proof_except(p, f->stub, ATTACH_CODE_BYTES + ATTACH_BLOCK_BYTES);
	return p->nranges ? 0 : -EPROTO;
}

void attach_proof_open_range(struct attach_proof *p, struct attach_target *t,
			     uint64_t start, uint64_t bytes)
{
	memset(p, 0, sizeof(*p));
	p->t = t;
	range_add(p->ranges, &p->nranges, start, start + bytes);
}

void attach_proof_except(struct attach_proof *p, uint64_t start, uint64_t bytes)
{
	range_add(p->held, &p->nheld, start, start + bytes);
}

void attach_proof_begin(struct attach_proof *p)
{
	p->nstacks = 0;
}

void attach_proof_close(struct attach_proof *p)
{
	free(p->stacks);
	p->stacks = NULL;
}

/*
 * Clears the word by which the kernel finds the description of a thread's
 * restartable sequence, if the description is the agent's and the thread is not
 * in the sequence. The kernel would clear it at the thread's next turn, but
 * reads the description before.
 */
static int sequence_clear(const struct attach_proof *p, uint64_t rseq)
{
	uint64_t word = rseq + offsetof(struct rseq, rseq_cs), at, none = 0;
	struct rseq_cs cs;
	int ret = rseq ? attach_read(p->t, word, &at, sizeof(at)) : 0;

	if (ret || !rseq || !at)
		return ret;
	ret = attach_read(p->t, at, &cs, sizeof(cs));
	if (!ret && leads_there(p, cs.start_ip))
		ret = attach_write(p->t, word, &none, sizeof(none));
	return ret;
}

/* Returns true when the code before an address is a call. */
static bool is_return(const struct attach_proof *p, uint64_t address)
{
	uint8_t b[8];		/* b[8 - n] is n bytes before it */

	if (attach_read(p->t, address - sizeof(b), b, sizeof(b)))
		return false;
	return b[3] == 0xe8 || (b[6] == 0xff && (b[7] & 0xf8) == 0xd0) ||
	       (b[6] == 0xff && (b[7] & 0xf8) == 0x10) ||
	       (b[5] == 0xff && (b[6] & 0xf8) == 0x50) ||
	       (b[2] == 0xff && (b[3] == 0x15 || (b[3] & 0xf8) == 0x90));
}

/* Looks below the stack pointer, where a function that calls none may have
 * data. A return address there is that of a call which has ended. */
static int red_zone_look(const struct attach_proof *p, uint64_t sp)
{
	uint64_t words[RED_ZONE / 8];
	int ret = attach_read(p->t, (sp & ~7ull) - sizeof(words), words,
			      sizeof(words));

	for (size_t i = 0; !ret && i < RED_ZONE / 8; i++)
		if (leads_there(p, words[i]) && !is_return(p, words[i]))
			ret = -EAGAIN;
	return ret;
}

/* Looks at the registers of vectors, as compilers keep pointers there. */
static int vectors_look(const struct attach_proof *p, pid_t tid)
{
	static uint64_t words[VECTORS_BYTES / 8];
	struct iovec area = { words, sizeof(words) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &area))
		return -ENOTSUP;
	for (size_t i = 0; i < area.iov_len / 8; i++)
		if (leads_there(p, words[i]))
			return -EAGAIN;
	return area.iov_len < sizeof(words) ? 0 : -E2BIG;
}

/*
 * Returns the first byte of the stack that libc has given the thread, if the
 * stack pointer is there; else 0. libc's structure at the thread pointer, at
 * the top of that stack, has the address and the size as neighbours.
 */
static uint64_t stack_start(const struct attach_proof *p,
			    const struct user_regs_struct *regs)
{
	uint64_t words[CONTROL_BYTES / 8], room;

	if (attach_read(p->t, regs->fs_base, words, sizeof(words)))
		return 0;
	for (size_t i = 0; i + 1 < CONTROL_BYTES / 8; i++) {
		room = words[i] + words[i + 1] - regs->fs_base;
		if (words[i] && !(words[i] & (PAGE_BYTES - 1)) &&
		    words[i] <= regs->rsp && regs->rsp < regs->fs_base &&
		    words[i + 1] <= STACK_MAX_BYTES && room >= CONTROL_BYTES &&
		    room < CONTROL_MAX_BYTES)
			return words[i];
	}
	return 0;
}

int attach_proof_thread(struct attach_proof *p, pid_t tid,
			const struct user_regs_struct *regs, uint64_t rseq)
{
	const uint64_t words[] = {
		regs->rip, regs->rax, regs->rbx, regs->rcx, regs->rdx,
		regs->rsi, regs->rdi, regs->rbp, regs->r8, regs->r9, regs->r10,
		regs->r11, regs->r12, regs->r13, regs->r14, regs->r15,
	};
	/* the helper that asks has come back from there */
	bool asks = regs->rip - p->asker < ATTACH_CODE_BYTES;
	enum attach_forking forking;
	struct range *more;
	int ret;

	for (size_t i = 0; !asks && i < sizeof(words) / sizeof(*words); i++)
		if (leads_there(p, words[i]))
			return -EAGAIN;
	more = realloc(p->stacks, (p->nstacks + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->stacks = more;
	p->stacks[p->nstacks++] = (struct range){ stack_start(p, regs),
						  regs->rsp };
	if (!p->memory)
		return 0;
	ret = asks ? 0 : vectors_look(p, tid);
	if (ret)
		return ret;
	/* words on such a stack are not aligned */
	if (regs->rsp & 7 || (!asks && red_zone_look(p, regs->rsp)))
		return -EAGAIN;
	if (process_named(p->t->pid, tid, "taffrail attach"))
		return -EAGAIN;
	forking = regs->rip - p->facts.stub < ATTACH_CODE_BYTES ? FORKING_NO :
		  attach_forking_at(p->t, regs->rsp, regs->rip);
	if (forking > FORKING_MAYBE ||
	    (forking == FORKING_MAYBE && p->tried_ms < MAYBE_MS))
		return -EAGAIN;
	return sequence_clear(p, rseq);
}

/* Returns 0 when no word leads there; -EAGAIN; or another negative errno. */
static int search_bytes(const struct attach_proof *p, uint64_t from, size_t n)
{
	static uint64_t words[PAGES_AT_ONCE * PAGE_BYTES / 8];

	if (pread(p->t->image, words, n, (off_t)from) != (ssize_t)n)
		return -EFAULT;
	for (size_t i = 0; i < n / 8; i++)
		if (leads_there(p, words[i]))
			return -EAGAIN;
	return 0;
}

/* Searches the words in [from, to) of the pages of a mapping that are in memory
 * or swapped out, and the process's own. */
static int search_pages(struct attach_proof *p, int pagemap, uint64_t from,
			uint64_t to)
{
	uint64_t entries[PAGES_AT_ONCE], run = 0, begin;
	int ret = 0;

	from = (from + 7) & ~7ull;
	for (uint64_t at = from & ~(PAGE_BYTES - 1); !ret && at < to;) {
		/* the last one may reach behind the end */
		size_t n = (to - at + PAGE_BYTES - 1) / PAGE_BYTES;

		n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
		if (pread(pagemap, entries, n * 8,
			  (off_t)(at / PAGE_BYTES * 8)) != (ssize_t)(n * 8))
			return -EACCES;
		for (size_t i = 0; i <= n && !ret; i++) {
			bool own = i < n && entries[i] & (PAGEMAP_PRESENT |
							  PAGEMAP_SWAPPED) &&
				   (entries[i] & PAGEMAP_SWAPPED ||
				    !(entries[i] & PAGEMAP_FILE));
			uint64_t page = at + i * PAGE_BYTES;

			if (own) {
				run += PAGE_BYTES;
				continue;
			}
			if (run && (p->pages += run / PAGE_BYTES) > PAGES_MAX)
				return -E2BIG;
			begin = max_u64(page - run, from);
			page = min_u64(page, to);
			if (run && page > begin)
				ret = search_bytes(p, begin, page - begin);
			run = 0;
		}
		at += n * PAGE_BYTES;
	}
	return ret;
}

/* Returns the first range, from an address on, that is left out: of the memory
 * in question, or what is unused of a thread's stack. Ends at the latest. */
static struct range range_next(const struct attach_proof *p, uint64_t at,
			       uint64_t end)
{
	struct range next = { end, end };

	for (size_t i = 0; i < p->nheld; i++)
		if (p->held[i].end > at && p->held[i].start < next.start)
			next = p->held[i];
	for (size_t i = 0; i < p->nstacks; i++)
		if (p->stacks[i].start && p->stacks[i].end > at &&
		    p->stacks[i].start < next.start)
			next = p->stacks[i];
	return next;
}

/* Returns true for a stub that a killed command has left. */
static bool stub_left(const struct attach_proof *p, uint64_t at)
{
	const size_t bytes = (size_t)(attach_stub_end - attach_stub_start);
	uint8_t code[ATTACH_CODE_BYTES];

	return !attach_read(p->t, at, code, bytes) &&
	       !memcmp(code, attach_stub_start, bytes);
}

/* Searches a mapping; for a range of threads' use, only from where a thread
 * uses the mapping as a stack. Parts of it may be left out, as the kernel joins
 * neighbours. */
static int search_line(struct attach_proof *p, int pagemap,
		       const struct line *line)
{
	uint64_t from = line->end, at = line->start;
	struct range out;
	bool stack = false;
	int ret = 0;

	for (size_t i = 0; i < p->nstacks; i++) {
		if (p->stacks[i].end < line->start ||
		    p->stacks[i].end >= line->end)
			continue;
		stack = true;
		from = p->stacks[i].end < from ? p->stacks[i].end : from;
	}
	if (stack && !line->private)
		return -EAGAIN;
	if (!p->memory)
		return stack ? search_pages(p, pagemap, from, line->end) : 0;
	if (stack && line->stack)
		at = from;
	for (; !ret && at < line->end; at = out.end) {
		out = range_next(p, at, line->end);
		if (out.start <= at)
			continue;
		/* code that the program makes */
		if (line->executable && !(line->file && line->private) &&
		    !stub_left(p, at))
			ret = -ENOTSUP;
		else if (line->private)
			ret = search_pages(p, pagemap, at, out.start);
	}
	return ret;
}

/* Returns 0 when no other process has this memory; -EBUSY, or a negative errno:
 * that is not known. */
static int check_guests(const struct attach_proof *p)
{
	struct dirent *entry;
	DIR *all = opendir("/proc");
	/* a filter of this command's may refuse all, with EPERM */
	int ret = all && !syscall(SYS_kcmp, p->t->pid, p->t->pid, KCMP_VM, 0,
				  0) ? 0 : -EACCES;

	while (!ret && (entry = readdir(all))) {
		pid_t pid = atoi(entry->d_name);
		long same = pid > 0 && pid != p->t->pid ?
				    syscall(SYS_kcmp, p->t->pid, pid, KCMP_VM,
					    0, 0) : 1;

		if (!same)
			ret = -EBUSY;
		else if (same < 0 && errno != ESRCH &&
			 (errno != EPERM ||
			  process_status(pid, "PPid") == p->t->pid))
			ret = -EACCES;
	}
	if (all)
		closedir(all);
	return ret;
}

int attach_proof_memory(struct attach_proof *p)
{
	FILE *maps = process_stream(p->t->shown, 0, "maps");
	char path[32], *text = NULL;
	size_t room = 0;
	struct line line;
	int ret = maps ? 0 : -EACCES, pagemap;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", p->t->shown);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (!ret && pagemap < 0)
		ret = -errno;
	p->pages = 0;
	if (!ret && p->memory)
		ret = check_guests(p);
	while (!ret && getline(&text, &room, maps) > 0)
		if (line_read(&line, text))
			ret = search_line(p, pagemap, &line);
	free(text);
	if (maps)
		fclose(maps);
	if (pagemap >= 0)
		close(pagemap);
	return ret;
}
