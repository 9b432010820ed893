/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads names, lines, build IDs and markers out of ELF files, in a sealed child
 * (command/sandbox/child.h): a file is input, and may take over the reader,
 * make the reader compute without end, or be cut meanwhile.
 *
 * The child opens no file. The caller opens each file, with the rights that the
 * caller chooses, and the child gets the descriptor. Addresses are the file's
 * own.
 *
 * Invariant: no answer rather than a wrong one. The command checks each answer,
 * as the child may be another program by then.
 *
 * `ns` is the processor time that the child may still take, in nanoseconds; a
 * function subtracts the time that the child took. All functions return 0 or a
 * negative errno: -ETIMEDOUT if the time is used up, -ENOEXEC if the file makes
 * no sense, -EPIPE if the child is gone, -EAGAIN if none can be made. Not for
 * several threads at a time.
 */
#ifndef COMMAND_SYMBOLISER_SYMBOLISER_H
#define COMMAND_SYMBOLISER_SYMBOLISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taffrail/site.h"

#define SYMBOLISER_ADDRESSES_MAX 4096u
#define SYMBOLISER_FRAMES_MAX	16u	/* of an address */
#define SYMBOLISER_NAME_BYTES	160u	/* with the NUL; the end of what is */
#define SYMBOLISER_CUT		"..."	/* cut tells it */
#define SYMBOLISER_SEGMENTS_MAX	64u
#define SYMBOLISER_ID_BYTES	20u
#define SYMBOLISER_PATH_BYTES	256u
#define SYMBOLISER_CXX_BYTES	512u
#define SYMBOLISER_NEEDED_BYTES	4096u
#define SYMBOLISER_ERROR_BYTES	256u
/* Processor time for a caller without a budget. */
#define SYMBOLISER_NS		1000000000u
#define SYMBOLISER_MARKERS_NS	30000000000u

/* What a file has. */
enum symboliser_kind {
	FILE_OWN,			/* it is the file that is asked about */
	FILE_DEBUG,			/* debug information of that build */
	FILE_ALTERNATE,			/* parts that several of those share:
					 * dwz */
	FILE_PACKAGE,			/* split files, .dwp */
	FILE_SPLIT,			/* a unit of which those have the
					 * skeleton: .dwo */
	FILE_BLANK,			/* memory for one of the package */
	FILE_KINDS,
};

#define SYMBOLISER_FILES_MAX	513u	/* with the file itself */
#define SYMBOLISER_SPLIT_BYTES	1020u	/* of a path */
#define SYMBOLISER_WORDS_BYTES	40960u	/* of lines and expressions */

/* A file that is open to read. */
struct symboliser_file {
	int fd;
	uint64_t bytes;
	uint32_t kind;			/* enum symboliser_kind */
	const char *name;		/* from FILE_SPLIT on: as the file that
					 * was asked about has it */
};

struct opener_file;

/* Returns the file itself, or the copy, that the opener has opened. */
struct symboliser_file symboliser_opened(const struct opener_file *file);

/* A segment that is loaded, as the program headers have it. */
struct symboliser_segment {
	uint64_t address, bytes;
	uint64_t offset, file_bytes;
	uint64_t align;
	bool code;
};

/* All facts of a file that a command needs before it looks for addresses. */
struct symboliser_module {
	uint32_t nsegments;
	uint32_t id_bytes;		/* of a build ID; 0: there is none */
	struct symboliser_segment segments[SYMBOLISER_SEGMENTS_MAX];
	uint8_t id[SYMBOLISER_ID_BYTES];
	bool library;			/* no process can begin with it: it
					 * names no dynamic linker, is none,
					 * and is no static program */
	char interpreter[SYMBOLISER_PATH_BYTES]; /* the dynamic linker, or "" */
	bool has_lines;			/* DWARF's units (.debug_info) */
	char debug_file[SYMBOLISER_PATH_BYTES]; /* the name of the file that has
					 * the rest of it (.gnu_debuglink), or
					 * "" */
	char alternate[SYMBOLISER_PATH_BYTES]; /* the same of parts that several
					 * files share (.gnu_debugaltlink) */
	uint32_t alternate_bytes;	/* of its build ID */
	uint8_t alternate_id[SYMBOLISER_ID_BYTES];
	char soname[SYMBOLISER_PATH_BYTES]; /* of a shared object, or "" */
	char needed[SYMBOLISER_NEEDED_BYTES]; /* shared objects that it is
					 * linked to, each with a NUL; then
					 * an empty one */
};

/* The symbol that covers an address and begins nearest to it. */
struct symboliser_symbol {
	uint64_t before;		/* bytes from the symbol on */
	uint32_t rank;			/* 0: none covers it */
	char name[SYMBOLISER_NAME_BYTES];	/* as the file has it */
};

/* The source of an address. A function that was inlined there has a separate
 * frame, before the frame of the function into which it was inlined. */
struct symboliser_frame {
	uint32_t address;		/* its number */
	uint32_t line;			/* 0: not known */
	char file[SYMBOLISER_PATH_BYTES];	/* "": not known; the end is
						 * kept of what is longer */
	char function[SYMBOLISER_NAME_BYTES];	/* "": not known */
};

enum marker_kind {
	MARKER_MARK,		/* text is a printf-like format */
	MARKER_EVENT,		/* text is the argument text */
	MARKER_USDT,		/* text is the note's operands */
};

/* How a USDT probe is placed, or would be (docs/usdt.md). */
enum marker_placement {
	PLACED_UNSAID, PLACED_BYTE, PLACED_JUMP,
	PLACED_MERGED,		/* one jump for two probes side by side */
	PLACED_EITHER,		/* byte or jump, depending on addresses */
	PLACED_INT3,		/* by a trap for each hit */
	PLACED_BYTE_OR_INT3,	/* depending on addresses */
	PLACED_PUNNED,		/* a jump with bytes of the program */
	PLACED_NOT,
};

/* Why a marker or a probe cannot be placed, or by a trap only. */
enum symboliser_why {
	WHY_UNSAID,
	WHY_MOVED,		/* the code was moved after linking */
	WHY_OTHER,		/* other code is at the site */
	WHY_ELSEWHERE,		/* a call site of LTTng-UST: no provider is in
				 * the file */
	WHY_OWN,		/* an event of LTTng-UST: the file has LTTng in
				 * itself, whose calls do not leave it */
	WHY_EXITS,		/* a function: not all exits can be had */
	WHY_REACH,		/* a function: no jump leads anywhere */
	WHY_SYMBOL,		/* a function: the symbol is too long */
	WHY_FIELDS,		/* an event of LTTng-UST: too many; and so on,
				 * as marker_refusal() has it */
	WHY_LONG, WHY_NAME, WHY_TYPE, WHY_MALFORMED, WHY_STATE,
	WHY_APART,		/* the module is in another namespace of the
				 * dynamic linker */
	WHY_USDT,		/* WHY_USDT + enum usdt_reason: a probe */
};

/* Why a file is no probe library. */
enum symboliser_unfit {
	UNFIT_NOT,		/* it is one */
	UNFIT_FORMAT,		/* it is no ELF file */
	UNFIT_MACHINE,
	UNFIT_TYPE,		/* it is no shared library */
	UNFIT_CUT,		/* it ends before its segments do */
	UNFIT_NOTE,		/* it has no TAFFRAIL_PROBE_LIBRARY */
	UNFIT_END,
};

#define SYMBOLISER_EXPORTED 2	/* a function of a file without others */

/* A marker or a USDT probe, as a file has it. */
struct symboliser_marker {
	uint64_t address;
	uint32_t line;
	int32_t operand;		/* USDT: the bytes after the nop's
					 * first */
	uint8_t kind;			/* enum marker_kind */
	uint8_t nfields;
	uint8_t tested;			/* 1: the site tests a flag */
	uint8_t function;		/* 1: of a program that was not
					 * prepared; or SYMBOLISER_EXPORTED */
	uint8_t former;			/* 1: its name is also that of an
					 * IFUNC, which is newer */
	uint8_t placement;		/* enum marker_placement */
	uint8_t why;			/* enum symboliser_why */
	uint8_t types[TAFFRAIL_FIELDS_MAX];
};

/* A marker with texts. */
struct symboliser_found {
	struct symboliser_marker marker;
	const char *strings[4];		/* channel, name, text, source file */
	const char *shown;		/* struct taffrail_shown; */
	size_t shown_bytes;		/* 0: there is none */
	bool matched;			/* the child's: a site with a probe */
};

/* How markers are read: bits. */
#define SYMBOLISER_PLAN		1u	/* with the placement of USDT probes and
					 * functions */
#define SYMBOLISER_LOADED	2u	/* the file is a module's memory, from
					 * its first page on: it has no
					 * sections, so no USDT probes */
#define SYMBOLISER_LTTNG	4u	/* with the events of LTTng-UST */
#define SYMBOLISER_FUNCTIONS	8u	/* functions, instead of markers */
#define SYMBOLISER_LIBC		16u	/* with the prototypes of libc's
					 * (rule_is_runtime()) */
#define SYMBOLISER_HANDLES	32u	/* for a program that handles SIGSEGV or
					 * SIGBUS */
#define SYMBOLISER_APART	64u	/* the module is in another namespace of
					 * the dynamic linker */

/* Reads segments, build ID, dynamic linker and libraries of a file. */
int symboliser_module(struct symboliser_module *module,
		      const struct symboliser_file *file, uint64_t *ns);

/* Does the same in SYMBOLISER_NS for a file that the opener has opened. Where
 * that fails, the module is all zeros. */
int symboliser_read_open(struct symboliser_module *module,
			 const struct opener_file *file);

/* Does the same for the file at a path, which the opener opens. */
int symboliser_read(struct symboliser_module *module, const char *path);

/* Gives in *unfit whether a file is a probe library: enum symboliser_unfit. */
int symboliser_library(uint64_t *unfit, const struct symboliser_file *file,
		       uint64_t *ns);

/* Gives the file's own address of `offset` in a segment of code, or of the page
 * in which the segment begins. Returns 0 or -ENOENT. */
int symboliser_place(uint64_t *address, const struct symboliser_module *module,
		     uint64_t offset);

/* Returns whether the module is linked to a shared object with a name that
 * begins so. */
bool symboliser_needs(const struct symboliser_module *module, const char *name);

/* Gives the address of a symbol that the file defines. Returns -ENOENT if it
 * defines none, or the name is too long for a request. */
int symboliser_address(uint64_t *address, const char *name,
		       const struct symboliser_file *file, uint64_t *ns);

/* Gives the symbols of `n` addresses, which are in order, each once. Returns
 * -E2BIG for more than SYMBOLISER_ADDRESSES_MAX, and -EPIPE if the child gives
 * fewer than `n`. */
int symboliser_names(struct symboliser_symbol *symbols,
		     const uint64_t *addresses, size_t n,
		     const struct symboliser_file *file, uint64_t *ns);

/*
 * Gives the frames of `n` addresses, in their order, by the file's own DWARF;
 * up to `room`, the number in *frames_n. An address has none where the file
 * tells neither function nor line. Returns -EPIPE for more than `room`, or for
 * frames out of order.
 */
int symboliser_lines(struct symboliser_frame *frames, size_t room,
		     size_t *frames_n, const uint64_t *addresses, size_t n,
		     const struct symboliser_file *file, uint64_t *ns);

/*
 * Calls `take` for each marker, for each USDT probe that is not the site of a
 * marker, and for each event of LTTng-UST if `how` asks for them, until a call
 * returns another value than 0, which is returned.
 * `found` is valid during the call. `error` says why there are none, or which
 * were left out, else it is empty. `how`: SYMBOLISER_PLAN and the like. `debug`
 * is NULL, or a file of the same build that names functions which the file does
 * not name.
 */
int symboliser_markers(const struct symboliser_file *file,
		       const struct symboliser_file *debug, uint32_t how,
		       int (*take)(const struct symboliser_found *found,
				   void *priv), void *priv,
		       char error[SYMBOLISER_ERROR_BYTES], uint64_t *ns);

/*
 * Gives the values that can be had at source lines, as text of the heap, which
 * spots.c describes; it is not checked. `words` are questions, each but the
 * first behind SYMBOLISER_QUESTION: "FILE:LINE", "FUNCTION:+LINES" or, for all
 * lines, "FILE", and then expressions, each with a NUL: "?NAME" is left out
 * where there is no such variable, "" stands for the parameters, and "!" says
 * that the program handles SIGSEGV or SIGBUS. Of
 * `files`, the first is the file itself, the others are of other kinds. Returns
 * -E2BIG for too many bytes or files.
 */
#define SYMBOLISER_QUESTION	'\n'
int symboliser_spots(char **text, const char *words, size_t bytes,
		     const struct symboliser_file *files, uint32_t n,
		     uint64_t *ns);

/*
 * Returns the C++ name for a linker's name, "store::get(int)" for
 * "_ZN5store3getEi": the beginning, text of the heap, and in *length the length
 * of all. NULL: the name is none of C++, or cannot be read.
 */
char *symboliser_cxx(const char *name, size_t *length, uint64_t *ns);

/* Takes "x/../", "./" and "//" out of a path, which it returns. Compilers write
 * one file in several ways. */
char *symboliser_path_tidy(char *path);

/* Returns the words for a negative errno of these functions. */
const char *symboliser_error(int error);

/* Ends the child, if there is one; the next request makes another one. */
void symboliser_end(void);

#endif
