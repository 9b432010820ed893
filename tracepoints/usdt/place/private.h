/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a pass over a module: probes, functions and source lines.
 */
#ifndef TRACEPOINTS_USDT_PLACE_PRIVATE_H
#define TRACEPOINTS_USDT_PLACE_PRIVATE_H

#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/jumps/jumps.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/debug.h"

/*
 * Makes markers of the wanted functions of a module. `codes` are the addresses
 * of the sites that the module has. Returns true when a later call may place
 * more.
 */
bool usdt_functions_adopt(struct module *module,
			  const struct usdt_asking *asking,
			  const struct patcher *patcher,
			  const struct usdt_file *file, struct index *codes);

/* Makes markers of the wanted lines of a module, and at the points of gdb's.
 * Returns true when a later call may place more. */
bool usdt_lines_adopt(struct module *module, const struct usdt_asking *asking,
		      const struct patcher *patcher,
		      const struct usdt_file *file);

/* Gives the sites of lines back that no session wants any more. */
void usdt_lines_give(struct module *module, const struct usdt_asking *asking,
		     const struct patcher *patcher);

/* Tells whether a point of gdb's in a module has no marker yet and may get one;
 * notes which have one. */
bool usdt_points_lack(const struct module *module,
		      const struct usdt_asking *asking);

/* Adds the bytes of the sites of a module's own markers to a set. Returns 0 or
 * -ENOMEM. */
int usdt_markers_take(struct index *taken, const struct module *module);

#define USDT_NAME_BYTES	FUNCTION_ID_BYTES	/* with "fn/" and "%return" */
/* Of a function's texts. */
#define USDT_TEXTS_BYTES (USDT_NAME_BYTES + USDT_TEXT_BYTES)


/* A function to which an exit may jump. */
struct usdt_target_named {
	uint64_t address;
	const char *symbol;
	const char *name;		/* in the source; NULL: not made yet */
};

/* Those of a module, by address; empty: not read. */
struct usdt_target_names {
	struct usdt_target_named *list;
	uint32_t count;
	uint32_t room;
};

/* The names by which rules want the functions of a module. */
struct usdt_naming {
	struct module *module;
	const struct usdt_asking *asking;
	const struct usdt_file *file;
	const struct usdt_file *more;	/* with more symbols; or NULL */
	struct usdt_wanted *names;	/* sorted by site, then as rules prefer
					 * them */
	uint32_t count;
	uint32_t room;
	bool calls;			/* whole calls of some function are */
	struct usdt_target_names targets;	/* of the module's functions */
};

/* Sets the names of a module, if that was not done. Returns false for the
 * modules of the agent, which have no sites. */
bool usdt_module_name(struct module *module);

/* Reads the names that rules mean, each with the places of the function that
 * they want by it. Returns 0; -ENOEXEC, or -ENOMEM. */
int usdt_names_read(struct usdt_naming *naming, const struct usdt_file *file);

/* Makes a list with each function once, under the first name, and the places
 * that rules want by any. It lasts until usdt_names_forget(). Returns how many
 * functions there are. */
uint32_t usdt_names_choose(const struct usdt_naming *naming,
			   struct usdt_wanted **wanted);

void usdt_names_forget(struct usdt_naming *naming);

/* Reads the names of all functions of a module, once; usdt_names_forget() frees
 * them. Without memory there are none. */
void usdt_targets_read(struct usdt_naming *naming);

/* Returns the name of the function at an address of the module's file, as the
 * source has it, or of the import whose stub is there; else
 * "MODULE+0xADDRESS". Never freed; without memory "?". */
const char *usdt_target_name(const struct usdt_naming *naming,
			     uint64_t address);

/*
 * Maps a table of symbols that a module's file lacks: a file of debug
 * information of the same build, by build id below /usr/lib/debug or by
 * .gnu_debuglink, else .gnu_debugdata. Returns false if there is none, or none
 * is needed. The caller unmaps it by usdt_module_unmap(); conditions as above.
 */
bool usdt_more_map(struct usdt_file *more, const struct usdt_file *file,
		   const struct module *module);

/* Returns how rules want the entry or exits of a function by a name; 0: not at
 * all, or they mean one of the `better` names before it. */
int usdt_name_wanted(const struct usdt_naming *naming,
		     const struct usdt_wanted *wanted, uint32_t better,
		     int exit, struct rule_types *types);

/* Writes NAME, FILE:NAME, or these with %return. */
const char *usdt_name_make(char name[USDT_NAME_BYTES],
			   const struct usdt_wanted *wanted, int exit);

/* The head of a description (struct usdt_line). */
struct usdt_head {
	struct usdt_target target;
	uint8_t build_id[USDT_BUILD_ID_MAX];
	uint64_t kind;
	char name[USDT_NAME_BYTES];
	const char *text;		/* up to the end of the line */
	const char *fields;
};

/* Reads the head. Returns false if the place is in a file of another build, or
 * the text makes no sense. */
bool usdt_head_read(struct usdt_head *head, const char *p,
		    const struct usdt_file *file);

/* Reads a byte as two digits. Returns it, or -1. */
int usdt_hex_byte(const char **p);

/* Returns the text behind the end of a line. */
const char *usdt_line_after(const char *p);

/* Reads a field, "TYPE OPERAND". Returns false if it makes no sense. */
bool usdt_field_read(struct usdt_operand *operand, const char *p);

/* Returns the types of a function that begins at an address of the file, as a
 * command has described them (struct usdt_line), or NULL. */
const char *usdt_lines_call(const struct usdt_naming *naming, uint64_t address);

#define USDT_CHANNEL	"fn"	/* of functions */

/* Makes the entry of a function, or an exit, without a way; `first`: as another
 * name of that entry, or NULL. It has texts only where a prototype says how
 * fields are shown; else the object has the name. Returns NULL without
 * memory. */
struct usdt_adopted *usdt_function_make(const struct usdt_naming *naming,
					const struct usdt_wanted *wanted,
					const struct usdt_exit *exit,
					const struct usdt_adopted *first);

#define USDT_FIELDS_BYTES	160	/* "arg1, arg2, ..., cfa" */

/* Returns a copy of operands and names that is never freed, or NULL. Most
 * functions have those of the function before, and share them. */
struct usdt_operand *usdt_fields_keep(const struct usdt_operand *operands,
				      uint32_t count, const char *names);

/* Returns the names of the fields of a place in a function. */
static inline const char *usdt_fields_names(const struct usdt_adopted *probe)
{
	return (const char *)(probe->operands + probe->count);
}

/* Begins the texts of a marker that shall stand behind the site. */
void usdt_texts_open(struct text *text, char texts[USDT_TEXTS_BYTES],
		     const char *name);

/* Adds the fourth text, or an empty one where there is no room for it and that
 * many bytes. */
void usdt_texts_file(struct text *texts, const char *file, size_t more);

/* Returns the texts of a probe that has some, without the first n. */
const char *usdt_texts_rest(const struct usdt_adopted *probe, uint32_t n);

/* Copies a probe, with texts if there are any. Returns NULL without memory, or
 * when the texts are too long. */
struct usdt_adopted *usdt_adopted_keep(const struct usdt_adopted *model,
				       const struct text *texts);

/* Returns where a function is, as the description of an event's marker says it:
 * "MODULE", or "MODULE/FILE" of a static function whose file is known. It lives
 * as long as the module. */
const char *usdt_function_file(const struct module *module,
			       const struct usdt_wanted *wanted);

/* Makes the marker of a probe, whose hits come to a stub; `file`: of a
 * function, else "". The name is copied, the file is not. Returns 0 or
 * -ENOMEM. */
int usdt_marker_make(struct module *module, struct usdt_adopted *probe,
		     const char *name, const char *file, uint8_t *stub);

/* Sets the frame of another name: 1 to 7 above that of the first, so the call
 * stands around it, and no other frame is between. The same for all places. */
void usdt_frame_set(struct usdt_operand *frame,
		    const struct usdt_adopted *first, const char *name);

/* Makes the marker of another name of a place or of calls, unless it is there.
 * `wanted`: an entry, with types of its own; or NULL. Returns 0 or -ENOMEM. */
int usdt_alias_make(const struct usdt_naming *naming,
		    struct usdt_adopted *first, const char *name,
		    const struct usdt_wanted *wanted);

/* Makes the markers of the other names of functions. Returns 0 or -ENOMEM. */
int usdt_aliases_make(const struct usdt_naming *naming);

#endif
