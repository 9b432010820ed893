/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of libdw, and of the files that read variables with them: the
 * symboliser's child.
 */
#ifndef COMMAND_SYMBOLISER_DWARF_PRIVATE_H
#define COMMAND_SYMBOLISER_DWARF_PRIVATE_H

#include <elfutils/libdw.h>

#include "command/symboliser/serve-private.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

#define EACH_FUNCTION(F) \
	F(addrdie) F(aggregate_size) F(attr) F(attr_integrate) F(begin_elf) \
	F(bytesize) F(cfi_addrframe) F(cfi_end) F(child) F(cu_info) \
	F(decl_line) F(diename) F(end) F(entrypc) F(filesrc) F(formaddr) \
	F(formref_die) F(formsdata) F(formstring) F(formudata) F(frame_cfa) \
	F(get_units) F(getcfi_elf) F(getelf) F(getlocation_addr) \
	F(getlocations) F(getlocation_attr) F(getlocation_implicit_value) \
	F(getscopes_die) F(getsrc_die) F(getsrcfiles) F(getsrclines) \
	F(hasattr) F(haspc) F(lineaddr) F(linebeginstatement) \
	F(lineendsequence) F(lineno) F(linesrc) F(onesrcline) F(peel_type) \
	F(ranges) F(setalt) F(siblingof) F(tag)
#define DECLARE(name)	__typeof__(dwarf_##name) *name;

struct symboliser_dw {
	EACH_FUNCTION(DECLARE)
};
extern struct symboliser_dw dw;

/* The DWARF of a file, which may lie in several. */
struct symboliser_dwarf {
	Elf *own, *debug, *alternate;	/* or NULL */
	Dwarf *dwarf;			/* of `own` or `debug` */
	Dwarf *shared;			/* of `alternate`, or NULL */
	Dwarf_CFI *cfi;			/* of `own`, or NULL */
	/* sections of the same file as `dwarf`, or NULL */
	Elf_Data *lines, *line_texts, *texts;
};

/* Opens it; returns false if there is none, and nothing needs to be closed.
 * Between the two steps, which are the same, only names can be asked for. After
 * the first one symboliser_dwarf_close() is needed, if the second one did not
 * return false. */
bool symboliser_dwarf_open(struct symboliser_dwarf *d,
			   const struct symboliser_images *images);
bool symboliser_dwarf_map(struct symboliser_dwarf *d,
			  const struct symboliser_images *images);
bool symboliser_dwarf_begin(struct symboliser_dwarf *d);

/* Tells whether it may have a source of this name, without folders: of debug
 * information that lies elsewhere, three sections tell, where the second step
 * decompresses all. */
bool symboliser_source_may(const struct symboliser_dwarf *d, const char *name);

void symboliser_dwarf_close(struct symboliser_dwarf *d);

/* Tells whether a unit's line table names a source for which `is_wanted` tells
 * so: its name may have folders. Also true for a table that makes no sense
 * here, which is libdw's to judge. */
typedef bool symboliser_source(const char *name, const void *priv);
bool symboliser_unit_has(const struct symboliser_dwarf *d, Dwarf_Die *unit,
			 symboliser_source *is_wanted, const void *priv);

/* Gives the address of a symbol of the file that is open. Returns false if
 * there is none. */
bool symboliser_symbol(uint64_t *address, const char *name);
/* Tells whether several units of it may have one of that name. */
bool symboliser_symbol_shared(const char *name);

/* Where a variable is that units, or files, share. */
struct symboliser_global {
	uint64_t address;		/* of a thread's variable, how far it is
					 * behind the begin of the file's */
	bool thread;
	bool bound;			/* the dynamic linker writes that at
					 * `address`; of a thread's, how far it
					 * is behind the thread pointer */
	uint64_t behind;		/* bytes of the variable, if bound */
	bool weak;			/* no file may define it */
};
#define SYMBOLISER_UNDEFINED	"is not defined in that file"
#define SYMBOLISER_THREAD	"is a library's variable of each thread"
#define SYMBOLISER_UNBOUND	\
	"may be another file's: nothing tells how the name is bound"

/* Finds one that a unit of that file defines for others, or another file, by
 * the linker's name. Returns NULL, or why there is none. */
const char *symboliser_global(struct symboliser_global *g, const char *name);
/* Finds the one of which that file has a copy at an address: another file's, if
 * the process takes that. `name`: the variable's, of which it must be known; or
 * NULL. Returns NULL, or why it is not known. */
const char *symboliser_bound(struct symboliser_global *g, uint64_t address,
			     const char *name);
/* Gives the file that is loaded, and the one of debug information, or NULL. */
void symboliser_files(Elf **own, Elf **debug);

/* Returns the symbol of that file at an address, or NULL: valid until the next
 * one is asked for. */
const char *symboliser_symbol_at(uint64_t address);

/* Tells whether something of the file that is open is at an address: the linker
 * lets the debug information of variables that it drops be at 0, or near to it.
 */
bool symboliser_placed(uint64_t address);

/* Gives where the variables of a thread begin, behind the thread pointer, if
 * the open file is a program: a program's are the first (TLS ABI, variant
 * II). */
bool symboliser_thread(int64_t *offset);

/* Gives the next unit of that file, from a NULL *cu on, but split ones: all
 * their files would be needed. Returns false if there is no more. */
bool symboliser_unit_next(Dwarf_CU **cu, Dwarf_Die *unit);

/* Tells whether a symbol of that file may have a name in its own: false of most
 * words that are no variables. */
bool symboliser_symbol_may(const char *name);

/* Gives the scopes around a scope, or around the declaration of a function, the
 * innermost first and the unit last. Returns their number. */
int symboliser_around(Dwarf_Die *die, Dwarf_Die *around, int room);

/* Makes the definition of a type that is only declared, in any unit of the file
 * that is open. Returns false if there is none, or several that differ. */
bool symboliser_type_define(Dwarf_Die *type);

/* Makes the unit of a split file of one that is a skeleton. Returns false if
 * there is no such file. */
bool symboliser_unit_whole(Dwarf_Die *unit);

/* Finds the unit of an address without a table of addresses, which some
 * compilers do not write (.debug_aranges). */
bool symboliser_unit_find(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit);

/* Finds a function's first instruction: where it has several ranges, the first
 * one begins with it (DWARF 5, 2.17 and 2.18). Returns whether it has code. */
bool symboliser_entry(Dwarf_Die *function, Dwarf_Addr *entry);

/* Gives the scopes of an address in a unit, the innermost first, also where
 * the function is one of a namespace or a class, which dwarf_getscopes() does
 * not find. `scopes` is for free(). Returns their number; 0: the address is in
 * no function. Walks a unit once; symboliser_scopes_forget() comes before the
 * file is closed. */
int symboliser_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes);
void symboliser_scopes_forget(void);

/* Lines that a question is about: those of a source, or of a function in it. */
struct symboliser_target {
	const char *file;		/* the end of the path */
	char *shown;			/* the function with the parameters, or
					 * NULL; for free() */
	int begin, end;			/* of a function, the line, and that of
					 * the next one behind it; or 0 */
	bool ours;			/* the source of the line before, in the
					 * table that is read, is the file */
};
#define SYMBOLISER_TARGETS_MAX	32

/* Finds the functions with a name, in the DWARF that is open: all of one name,
 * but those with a symbol of it come alone. Returns how many there are. */
uint32_t symboliser_targets_find(
	struct symboliser_target targets[SYMBOLISER_TARGETS_MAX],
	const char *name, const struct symboliser_dwarf *d);

/* Tells whether a function has a name, "add", or "shop::Cart::add" or the end
 * of that, which may have the parameters. The arguments of templates may be
 * left out. */
bool symboliser_is_named(Dwarf_Die *function, const char *name);

/* Whether `dw` is complete. */
extern bool symboliser_lines_loaded;

/* Plans of places in a file. */
struct symboliser_plans {
	struct usdt_file file;
	struct usdt_bounds bounds;
	struct usdt_image image;
	bool low;			/* as in a plan */
	bool handles;			/* no instruction that may fault is
					 * moved */
	struct usdt_plan *plans;	/* sorted */
	uint32_t n;
};

#define VALUE_CODE_BYTES 120

/* Where a variable, or a part of one, is. `code` is a program for the agent
 * (tracepoints/conditions/ax.h), without the end. */
struct value {
	enum {
		VALUE_NONE,		/* nowhere: `why` */
		VALUE_REGISTER,		/* in register `base` */
		VALUE_MEMORY,		/* at the address that the code gives */
		VALUE_NUMBER,		/* the number that the code gives */
		VALUE_PIECES,		/* in several places, as `ops` say; it
					 * begins `offset` bytes behind their
					 * first */
	} kind;
	const char *why;
	int base;			/* of memory: its address is this
					 * register and `offset`, and there is
					 * no code; or -1 */
	int64_t offset;
	bool follows;			/* pointers, which may lead nowhere */
	bool guarded;			/* so it does unless a test is 1 */
	uint32_t n;
	uint8_t code[VALUE_CODE_BYTES];
	bool cut;
	/* of a bit-field; else 0 */
	uint32_t bits, shift;
	Dwarf_Die type;			/* peeled */
	bool has_type;
	uint32_t rows;			/* dimensions of an array that have an
					 * index */
	bool points;			/* by a cast, to the type */
	uint8_t number;			/* of VALUE_NUMBER: the type, if it has
					 * no other (enum taffrail_type) */
	/* of a class with a length: the code for that, without the end; the
	 * value is the first element, or is text */
	uint32_t nlength;
	uint8_t length[VALUE_CODE_BYTES];
	bool text;
	/* of VALUE_PIECES; they live as long as the file is open */
	Dwarf_Attribute attr;
	const Dwarf_Op *ops;
	size_t nops;
	const struct value_scope *scope;
};

/* A place in code, by which values are found. */
struct value_scope {
	Dwarf_Die *scopes;		/* the innermost first */
	int n;
	Dwarf_CFI *cfi;			/* or NULL */
	uint64_t address;
	int line;			/* of the source */
	const char *source;
	Dwarf_Die skeleton;		/* the unit with the line table */
	Dwarf_Die owner;		/* the function in which the line is */
	bool elsewhere;			/* no scope is of that */
	bool entry;			/* a function begins here */
	bool passed;			/* other lines begin at the address,
					 * behind this one */
};

/* Some of a value's `why`. */
#define VALUE_OUT	"has been optimised out"
#define VALUE_LATER	"is declared later"
extern const char VALUE_UNKNOWN[], VALUE_NO_MEMBER[];

/* Notes a name that is no member of a type, or no variable of a scope; and
 * writes the names there, "a, b or c", that are nearest to the last such
 * one. */
void value_miss(const char *name, const Dwarf_Die *type,
		const struct value_scope *scope);
void value_nearest(char *text, size_t room);

/* Numbers of registers: general ones from 0 on, and xmm0, of which code has the
 * low half. */
#define VALUE_GENERAL	16
#define VALUE_XMM	17

/* Adds the code of another value. */
void code_append(struct value *v, const struct value *from);

/* Add to the code of a value. An address is made of a register and an offset,
 * if it is one. Return false for a register, or a size, that has no code. */
void code_put(struct value *v, uint64_t number, uint32_t bytes);
void code_op(struct value *v, enum ax_opcode op);
void code_const(struct value *v, int64_t number);
void code_add(struct value *v, int64_t number);
bool code_register(struct value *v, uint64_t number);
bool code_load(struct value *v, uint64_t bytes);
void code_address(struct value *v);

/* Sets the place that a location description says. Returns false if it is not
 * understood: place_fact() says why. Some tell only where a debugger could find
 * the value in the caller. */
bool place_take(struct value *v, Dwarf_Attribute *attr, const Dwarf_Op *ops,
		size_t n, const struct value_scope *scope);
/* Sets the place so many bytes above the frame's address (CFA). Returns false
 * if nothing says where that is. */
bool place_frame(struct value *v, int64_t offset,
		 const struct value_scope *scope);
/* Makes bytes of a value that is in a register, a number or pieces of it.
 * Returns false if they are not all in one place. */
bool place_part(struct value *v, uint64_t offset, uint64_t bytes);
/* Makes the virtual base class of an object in memory, whose table says where
 * that is. Returns false if it is none. */
bool place_base(struct value *v, Dwarf_Die *base);
const char *place_fact(const Dwarf_Op *ops, size_t n);
/* Tells whether the value is said to be an address of the stack. clang says so
 * of variables on the stack, where it has left out that they are loaded. */
bool place_is_slip(const Dwarf_Op *ops, size_t n);

/* Adds the code for the address of a variable that files share. Returns false
 * for one of a library's threads. */
bool code_global(struct value *v, const struct symboliser_global *global);

/* Sets the type of a DIE that has one. */
void value_type(struct value *v, Dwarf_Die *die);

/* Finds the type of a unit that has a name, and the tag unless that is 0: a
 * number, a structure, an enumeration, or that of a typedef. `type` gets it
 * peeled. Returns false if there is none. */
bool value_type_find(Dwarf_Die *type, Dwarf_Die *unit, const char *name,
		     int tag);

/* Return facts of a type, or 0: the encoding, the size, and the number of an
 * array's elements in all dimensions behind so many. *dimensions, unless NULL,
 * gets the number of all. */
Dwarf_Word value_encoding(Dwarf_Die *type);
Dwarf_Word value_bytes(Dwarf_Die *type);
Dwarf_Word value_count(Dwarf_Die *type, uint32_t before, uint32_t *dimensions);

/* Returns the bytes between two elements, of which the value is one; or 0. */
Dwarf_Word value_stride(const struct value *v);

/* Read a constant, whose sign the form tells, and a number of a DIE. Return
 * false if there is none. */
bool value_constant(Dwarf_Attribute *attr, Dwarf_Sword *number);
bool value_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *number);

/* Tells whether a location is the same in all of the scope, and so says nothing
 * of when it is written. */
bool value_is_fixed(Dwarf_Attribute *attr);

/* Tells whether a variable is always in memory of its function's frame, as it
 * is without optimisation, from behind the function's first instructions on. */
bool entry_is_framed(Dwarf_Die *variable, uint64_t address);

/* Finds such a parameter where its function begins: by the calling convention,
 * as it is not yet written where it will be. */
void entry_find(struct value *v, Dwarf_Die *variable,
		const struct value_scope *scope);
/* Finds a parameter so, of a function that gets all that are described. */
void entry_argument(struct value *v, Dwarf_Die *variable,
		    const struct value_scope *scope);
/* Tells whether a parameter is, where its function begins, only where the
 * calling convention has put it. Then it has not changed, whichever lines begin
 * there. */
bool entry_keeps(Dwarf_Die *variable, Dwarf_Attribute *attr,
		 const struct value_scope *scope);

/* Returns the path of the source that declares a DIE, or NULL. `skeleton` is
 * the unit that has its line table, if it is split; or zeros. */
const char *symboliser_declared(Dwarf_Die *die, const Dwarf_Die *skeleton);

/* Takes the scopes off that are of functions inlined in the one of the line:
 * the code is said to be theirs. Without one of that function, sets
 * `elsewhere`: then no variable of a function has a value but static ones. */
void value_scope_own(struct value_scope *scope, Dwarf_Die *unit,
		     const Dwarf_Die *skeleton);

/* Tells whether a scope is a function, or one that was inlined. */
bool value_is_function(Dwarf_Die *scope);

/* Takes the variable that a name means there, "x", "a::x" or "::x", or a member
 * of `this`. */
void value_variable_take(struct value *v, const char *name,
			 const struct value_scope *scope);

/* Finds the type that a name means there, as value_type_find(): one of the
 * function's blocks, of its class or namespaces, or of the unit. */
bool value_type_known(Dwarf_Die *type, const char *name, int tag,
		      const struct value_scope *scope);

/* Tells whether a variable is the same one in all of the program's code: of no
 * function, or static. */
bool value_is_static(Dwarf_Die *variable, uint64_t address);

/* Gives the value of a variable's DIE at a place. */
void value_find(struct value *value, Dwarf_Die *variable,
		const struct value_scope *scope);

/* Tells whether a variable that is declared at a line is not there yet: nothing
 * has been written to its place. */
bool value_is_later(Dwarf_Die *variable, const struct value_scope *scope);

/* Makes it none. */
void value_refuse(struct value *v, const char *why);

bool value_is_pointer(const struct value *v);
bool value_is_class(const struct value *v);

/* Adds the code for eight bytes of a value. Returns false if it has none. */
bool value_word(struct value *v);

/* Makes a pointer's target of it. */
void value_follow(struct value *v);

/* Makes the variable of it that a reference refers to. */
void reference_follow(struct value *v);

/* Makes the member of that name, behind a pointer if there is one. `arrow`:
 * there must be. */
void value_member_take(struct value *v, const char *name, bool arrow);

/* Makes a member that lies so many bytes behind the value's begin. */
void value_part(struct value *v, Dwarf_Die *member, Dwarf_Word offset);

/* Takes members one after the other, with a blank between the names. Returns
 * false, and leaves the value as it is, if there is one that is not there. */
bool value_path(struct value *v, const char *path);

/* Extends a number to 64 bits, as a type of scalars does. */
void code_extend(struct value *v, uint8_t type);

/* Returns the number type of a scalar (enum taffrail_type); 0: `why`. */
uint8_t value_number_type(Dwarf_Die *type, const char **why);

/* Makes a number or an address that the code leaves on the stack, extended by
 * `number`, the type. Returns false if it is none. */
bool value_load(struct value *v);

/* Makes an element of an array, or behind a pointer. */
void value_element(struct value *v, int64_t number);

/* Gives the value of an expression; `value->why` says why there is none. */
void value_parse(struct value *value, const char *expression,
		 const struct value_scope *scope);

/* Calls `take` for each member of a structure, with the name, in the order in
 * which they are. */
typedef void value_member(const struct value *member, const char *name,
			  void *priv);
void value_members(const struct value *value, value_member *take, void *priv);

/* Calls `take` for each variable or parameter in scope, the innermost first. */
typedef void value_variable(Dwarf_Die *variable, bool parameter, void *priv);
void value_each(const struct value_scope *scope, value_variable *take,
		void *priv);

/* Makes the field of a class of a library: characters, elements, the number of
 * elements, a pointer, or the value of an optional one. */
void value_class_take(struct value *v);

/* Makes the pointer of a std::unique_ptr, a std::shared_ptr or an iterator. Of
 * a std::optional, makes the value in it and returns true: it cannot be read
 * where there is none. */
bool value_smart(struct value *v);

/* A variant of an enumeration of Rust that has data (DWARF 5, 5.7.10). */
#define VARIANTS_MAX	24
struct class_variant {
	const char *name;
	Dwarf_Die member;		/* the data */
	Dwarf_Word number;		/* that tells it */
	Dwarf_Word shown;		/* the number in a field */
};

/* Gives the variants of a type, and the member that tells which one there is.
 * Variant *other, if there is one, has all numbers that no other one has.
 * Returns how many there are; 0: the type has none, or too many. */
uint32_t class_variants(struct class_variant all[VARIANTS_MAX], uint32_t *other,
			Dwarf_Die *told, Dwarf_Die *type);

/* Makes the data of a variant, which cannot be read where there is another one.
 * Returns false, and leaves the value as it is, if there is no such variant. */
bool class_variant(struct value *v, const char *name);

/* Makes an element, also of a std::vector, and of the other classes. */
void class_element(struct value *v, int64_t number);

/* A field that records a value. */
struct value_field {
	uint8_t type;			/* enum taffrail_type; 0: `why` */
	bool guarded;			/* an optional, which may be empty */
	const char *why;
	char operand[4 * VALUE_CODE_BYTES + 32];	/* as in usdt_line */
};

void value_field(struct value_field *field, const struct value *value);

/* Makes a field of the elements from the first one on: a string of characters,
 * or a sequence. 0: the field of a length says how many. */
void value_array(struct value_field *field, const struct value *first,
		 uint16_t count);

/* Writes how a field by number is shown, in hexadecimal digits: the names of an
 * enumeration's values, as far as there is room. Returns false if the value has
 * none. */
#define VALUE_NAMES_BYTES 960
bool value_names(char hex[VALUE_NAMES_BYTES], const struct value *value,
		 uint32_t field);

#endif
