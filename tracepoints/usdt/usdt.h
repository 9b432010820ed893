/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes of shipped programs as markers.
 *
 * A probe is a nop that was not made for the agent. It becomes a marker with a
 * site in the agent's memory, and a jump to a stub that saves the program's
 * registers; the arguments are fetched from those.
 *
 * The four bytes after the nop may, as a jump's operand, lead to an address
 * where nothing is mapped. Then the nop's byte becomes that of a jump:
 *
 *	probe	e9 xx xx xx xx		xx.. as the program has them
 *	           |
 *	           +--> jmp *stub	where they lead
 *	                 |
 *	                 +--> stub: usdt_entry -> usdt_hit; jmp probe + 1
 *
 * One byte differs, as at a marker: switching is safe for any number of running
 * threads.
 *
 * If that is not possible, and a plan says that the covered instructions may
 * move (tracepoints/usdt/plan/plan.h), the agent chooses all bytes of the jump;
 * each byte at which an instruction began is cc (int3):
 *
 *	probe	e9 cc xx cc xx		from the nop to the fifth byte
 *	           |
 *	           +--> jmp *stub
 *	                 |
 *	                 +--> stub: usdt_entry -> usdt_hit; jmp moved
 *	                                                      |
 *	                        moved: the covered instructions; jmp past them
 *
 * A thread that was between the nop and the end of the covered instructions
 * when they were switched comes to a cc sooner or later. A handler of SIGTRAP
 * leads it to the same instruction in `moved`. The handler also leads threads
 * that come to the nop meanwhile (tracepoints/usdt/jumps/trap-x86_64.c).
 *
 * If another probe's nop is covered, one jump serves both, and the moved code
 * has gates to their stubs, each opened by one byte:
 *
 *	probe	e9 cc xx xx xx		the other's nop was after the first
 *	           |
 *	           +--> gate: jmp *stub, or past it
 *	moved:		gate: jmp *stub of the other, or past it
 *			the covered instructions; jmp past them
 *
 * If none of these is possible, and a session allows it, the nop's byte becomes
 * cc, and the handler leads each hit to the stub:
 *
 *	probe	cc
 *	           +--> SIGTRAP --> stub: usdt_entry -> usdt_hit; jmp probe + 1
 *
 * Invariant: an adopted probe and its stub are never freed: a thread may be in
 * the stub.
 *
 * Everything except the stubs' code and usdt_hit() is in libtaffrail-usdt.so,
 * which is loaded when a rule names a provider (load-x86_64.c).
 */
#ifndef TRACEPOINTS_USDT_USDT_H
#define TRACEPOINTS_USDT_USDT_H

#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/plan/operand.h"

#define USDT_TEXT_BYTES	512

/* Returns true for a probe of the C library or of the dynamic linker. Lists
 * leave such probes out: a user looks for the program's own. */
static inline bool usdt_is_runtime(const char *id)
{
	return text_after(id, "libc/") || text_after(id, "rtld/");
}

struct usdt_file;
struct way;

/* The bytes that are switched. */
enum usdt_placed {
	USDT_BYTE,		/* one byte */
	USDT_JUMP,		/* five bytes or more */
	USDT_MERGED,		/* the same, for two probes side by side */
	USDT_INT3,		/* one byte; each hit traps: here, or at another
				 * exit of the function */
	USDT_FUNCTION,		/* as USDT_JUMP, at a function's entry or
				 * exit */
	USDT_ENTRY_ONLY,	/* the same; not all exits could be had without
				 * traps */
	USDT_PUNNED,		/* as USDT_FUNCTION, with bytes of the program
				 * in the jump */
};

#define USDT_ALIASED	(1u << 7)	/* a marker of another name is on */

/* Where in a function the site is. */
enum usdt_function_site {
	USDT_NO_FUNCTION_SITE,		/* at a probe's nop */
	USDT_ENTRY,
	USDT_EXIT,
	USDT_WHOLE,			/* at none: an entry with exits */
	USDT_LINE,			/* at an instruction of a source line */
};

/* A place in code at which a hit calls the agent (jumps/jumps.h). It is never
 * freed: a thread may be in the stub. */
struct usdt_spot {
	uint64_t address;
	struct way *way;		/* to its stub; NULL: not placed */
	struct usdt_spot *next;		/* of the way */
	int32_t refused;		/* result of the last switch */
	uint8_t gate;			/* number of the gate in the way */
	uint8_t leaves;			/* as in struct usdt_gate; set before it
					 * is placed */
	uint8_t given;			/* back: usdt_spot_give() */
};

/* A probe, or a place in a function. */
struct usdt_adopted {
	struct usdt_spot spot;		/* first: stubs have its address */
	struct usdt_operand *operands;
	int32_t start;			/* of the function, or of the module of
					 * a line: address less this one's */
	uint8_t count;			/* of operands */
	uint8_t strings;		/* operands that point to strings */
	uint8_t called;			/* kinds of calls that are on and begin
					 * or end here; and USDT_ALIASED */
	uint8_t placed : 3;		/* enum usdt_placed */
	uint8_t function : 3;		/* enum usdt_function_site */
	uint8_t in_memory : 1;		/* an operand is in memory */
	uint8_t aliases : 1;		/* it is another name of `first` */
	/*
	 * Whole calls (whole-private.h). Each way in which a function is left
	 * has a marker of its own: in the list `calls` of the entry, and in
	 * `calls` of the exits of this way, which are the list `exits` of the
	 * marker. `next` goes on in either list.
	 */
	union {
		struct usdt_adopted *calls;
		struct usdt_adopted *exits;	/* of calls */
		struct usdt_adopted *first;	/* of an alias */
	};
	struct usdt_adopted *next;
	union {
		struct usdt_adopted *entry;	/* of an exit, and of a call */
		const struct usdt_line *line;	/* of a line */
		uint32_t turn;			/* of an entry: how often whole
						 * calls went on, and off */
	};
	/*
	 * Other names of the function: each has a marker of its own beside that
	 * of the first name, which has the way to the stub and the calls. Those
	 * of an entry are in the order in which they are written, with falling
	 * frames; those of an exit with rising ones.
	 */
	struct usdt_adopted *alias;	/* the next name, or NULL */
	struct taffrail_site site;
	char text[];			/* channel, name, arguments, file */
};

_Static_assert(sizeof(struct usdt_adopted) <= 176,
	       "a site's memory: docs/functions.md");

/* The memory that a probe takes with the text, before the operands. */
static inline uint64_t usdt_adopted_bytes(uint64_t text_bytes)
{
	return (sizeof(struct usdt_adopted) + text_bytes + 7) & ~7ull;
}

/* Returns true for whole calls, NULL allowed. Their marker has the address of
 * the entry. */
static inline bool usdt_is_call(const struct usdt_adopted *probe)
{
	return probe && probe->function == USDT_WHOLE;
}

/* Tells whether a probe is at a line, NULL allowed. */
static inline bool usdt_is_line(const struct usdt_adopted *probe)
{
	return probe && probe->function == USDT_LINE;
}

/* Returns the name of a place in a function, "NAME" or "NAME%return". */
static inline const char *usdt_place_name(const struct usdt_adopted *probe)
{
	return object_of(probe->site.agent_)->name;
}

/* Returns the place or the call that has the way to the stub: of another name
 * the first, else the same. SIGSAFE. */
static inline struct usdt_adopted *
usdt_first(const struct usdt_adopted *probe)
{
	return probe->aliases ? probe->first : (struct usdt_adopted *)probe;
}

/* Returns the address of the function in which a place is. */
static inline uint64_t usdt_start(const struct usdt_adopted *probe)
{
	return probe->spot.address + (uint64_t)(int64_t)probe->start;
}

/* Returns the result of the last switch of a probe; of a call, that of the
 * entry and the exits. */
static inline int usdt_refused(const struct usdt_adopted *probe)
{
	const struct usdt_adopted *exit;
	int ret = probe->spot.refused;

	probe = usdt_first(probe);
	ret = ret ? ret : probe->spot.refused;
	if (probe->function != USDT_WHOLE)
		return ret;
	ret = ret ? ret : probe->entry->spot.refused;
	for (exit = probe->exits; exit && !ret; exit = exit->next)
		ret = exit->spot.refused;
	return ret;
}

/* The program's registers that the stub saves; order as in entry-x86_64.S. */
struct usdt_state {
	uint64_t general[16];		/* as in struct registers */
	uint64_t flags;
	uint64_t vectors[16][2];	/* xmm0 to xmm15 */
};

/* Returns non-zero when a probe of this id must be adopted: USDT_WANTED, with
 * USDT_WANTED_INT3 even if each hit then traps. `types` gets the arguments that
 * must be strings. */
#define USDT_WANTED		1
#define USDT_WANTED_INT3	2
typedef int usdt_wanted(const char *id, struct rule_types *types, void *arg);

/* Called for each wanted probe that has no way (untaken_note()), and for one
 * that has got it. */
typedef void usdt_untaken(struct module *module, const char *id,
			  uint64_t address, int why);

/* Returns the same for a function of a module, by the last of n names; with
 * USDT_WANTED_CALL if a rule is for whole calls: entry and exits. A rule that
 * names the function by an earlier one means that. */
#define USDT_WANTED_CALL	8
typedef int usdt_function_wanted(const struct module *module,
				 const char *const *names, uint32_t n,
				 struct rule_types *types, void *arg);

/*
 * A place of a source line that a command has found by debug information. The
 * text has a line "BUILD-ID OFFSET KIND NAME<tab>TEXT", in which OFFSET is the
 * file's own address (hexadecimal, as the build id), KIND is a number of enum
 * taffrail_kind, and TEXT is that of the arguments or a format; and one for
 * each field,
 * "TYPE OPERAND": enum taffrail_type, and an operand of a USDT probe
 * (plan/operand.h), or 'x', four digits and a program of
 * tracepoints/conditions/ax.h, in hexadecimal digits. The four are 0, or of an
 * array the characters or elements that it has; before 'x', 'l' and two digits
 * are the number of the field that has this number, from 1 on, or behind the
 * program stand a colon and one that gives it. A field 'u' has a bit for each
 * field before it whose program could not read the memory, and those of the
 * four digits behind it, as a number or FIELD_UNREAD of a format. "=BYTES" stands for how fields are shown. It is
 * never freed.
 *
 * With the kind USDT_LINE_CALL, the text tells the types of a function that
 * begins at OFFSET, and NAME is the rule: "RESULT ARGUMENTS REGISTERS NAMES",
 * without the first blank. RESULT and ARGUMENTS are letters of
 * plan/prototypes.def, and NAMES end in "cfa". REGISTERS are a sign each: a
 * digit, from 0 on in the order of the calling convention; a letter, from 'a'
 * on, for eight bytes of the stack above the return address; or '*' for a line
 * "TYPE OPERAND" as above, in which rsp is that of the first instruction. The
 * result is field USDT_LINE_RESULT where a line says how it is shown.
 */
#define USDT_LINE_RESULT 0xff
#define USDT_CALL_ARGUMENTS_MAX 8
#define USDT_LINE_CALL	0xf

/* The bytes of a field's program, behind which that of a length begins. */
static inline uint32_t usdt_program_bytes(const struct ax_program *program)
{
	return (program->bytes + 7) & ~7u;
}

struct usdt_line {
	const struct usdt_line *next;
	uint64_t set;			/* of the rule */
	char text[];
};

/* Returns true for a marker that only gdb asked for: a line that no command has
 * described. */
static inline bool usdt_is_point(const struct usdt_adopted *probe)
{
	return usdt_is_line(probe) && !probe->line->set;
}

/* Returns true for a marker of a line whose place was given back. */
static inline bool usdt_is_given(const struct usdt_adopted *probe)
{
	return probe && (probe->aliases ? probe->first : probe)->spot.given;
}

/* An address at which gdb wants a marker (control/sessions/session.h). */
struct usdt_point {
	uint64_t address;
	uint64_t file;		/* hash of the module's path; 0: any module */
	int why;		/* why none can be there: enum usdt_reason, or a
				 * negative errno; 0: there is one. -ESRCH: no
				 * module was asked yet */
};

struct usdt_asking {
	usdt_wanted *wanted;
	usdt_function_wanted *function_wanted;	/* NULL: no function is */
	usdt_untaken *untaken;
	const struct usdt_line *lines;	/* that any session has asked for */
	/* returns how a session wants a line by this name, as `wanted` */
	int (*line_wanted)(const struct usdt_line *line, const char *name);
	struct usdt_point *points;
	uint32_t npoints;
	void *arg;			/* of `wanted` */
};

/*
 * Adopts the wanted probes of a module, once each. Reads the module's file; the
 * calling thread has private descriptors. The registry's lock is held. Returns
 * 1 when probes that could not be adopted may be adopted by a later call, else
 * 0.
 */
int usdt_adopt(struct module *module, const struct usdt_asking *asking,
	       const struct patcher *patcher);

/* Tells of each wanted probe of a module that the library which places probes
 * is missing (-ELIBACC). Returns as usdt_adopt(), under the same conditions. */
bool usdt_absent_tell(struct module *module, const struct usdt_asking *asking);

/*
 * Looks, once, whether the code of the module's sites is where the notes of the
 * markers say, or was moved after linking; see moved.c. Sites that test a flag
 * get their new addresses, the others CODE_MOVED. Reads the module's file, as
 * usdt_adopt(), before it. Returns true when the file says that none was moved.
 */
bool usdt_sites_look(struct module *module);

/*
 * Maps the file that a module was loaded from, for the notes of probes, which
 * are not loaded. Takes the dynamic linker's name of the file if that is
 * absolute, else the kernel's. Returns 0; -ENOENT: the module has no file (the
 * vDSO); -ESTALE: another file has the name now; or another negative errno: the
 * file cannot be opened. The caller unmaps the file by usdt_module_unmap(), has
 * private descriptors, and holds the registry's lock.
 */
int usdt_module_map(struct usdt_file *file, const struct module *module);

void usdt_module_unmap(struct usdt_file *file);

/* Maps a file. Returns 0, -ESTALE when there is none, or another negative
 * errno. */
int usdt_file_map(struct usdt_file *file, const char *path);

/*
 * The functions of libtaffrail-usdt.so, and the numbers on which it must agree
 * with the agent. `switch_to` switches a probe to nop or jump; a jump of five
 * bytes is there only when the patcher is closed. Returns 0; -EBUSY when
 * another program's code is there; or another negative errno. `refused` later
 * returns the same; or -EAGAIN when a thread blocks SIGTRAP and could not be
 * led on, or -EPERM when the program ignores SIGTRAP. `gone` tells that the
 * probe's module is gone: another probe may use the way. `faulting_off`
 * switches off, when a patcher is closed, all jumps that have moved an
 * instruction which may fault. They are -EFAULT as long as the program handles
 * faults. The registry's lock is held.
 */
#define USDT_VERSION	18

struct usdt_functions {
	uint64_t version;
	uint64_t adopted_bytes;
	uint64_t object_bytes;
	int (*adopt)(struct module *module, const struct usdt_asking *asking,
		     const struct patcher *patcher);
	void (*gone)(struct usdt_adopted *probe);
	int (*switch_to)(const struct patcher *patcher,
			 struct usdt_adopted *probe, int on);
	void (*flush)(const struct patcher *patcher);
	void (*faulting_off)(void);
	const char *(*reason)(int why);	/* of enum usdt_reason, in words */
};

/*
 * Whether the program handles SIGSEGV or SIGBUS, or is about to; how many ways
 * were made that move an instruction which may fault; and whether the agent can
 * take none of them out any more. See agent/faulting.c for the order.
 */
struct usdt_faults {
	uint32_t handled;
	uint32_t ways;
	uint32_t confined;
	uint32_t left;		/* a jump could not be taken out */
};

extern struct usdt_faults usdt_faults;

/* NULL until the library is loaded. */
extern const struct usdt_functions *usdt_functions;

/* The stubs' code, and room for stubs. */
void usdt_entry(void);
extern uint8_t usdt_stubs[];
extern uint8_t usdt_stubs_end[];

/* Returns the end of the first thread's stack, or 0 when it is not known. */
uint64_t usdt_stack_end(void);

/* The machine of the programs of a line's fields: memory, and the registers by
 * gdb's numbers, xmm0 the low half; USDT_LINE_BASE is the base of the module,
 * USDT_LINE_THREAD the thread pointer. */
#define USDT_LINE_VECTOR 40
#define USDT_LINE_THREAD 62
#define USDT_LINE_BASE	63
extern const struct ax_machine usdt_line_machine;

/* As ax_text_read. SIGSAFE. */
uint64_t usdt_text_read(void *to, uint64_t address, uint64_t n);

/* Called by the stub at each hit. SIGSAFE. */
void usdt_hit(struct usdt_adopted *probe, const struct usdt_state *state);

#endif
