/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: GDB's agent expressions, and the same machine for the events
 * of markers.
 *
 * The bytecode is described in "Debugging with GDB", appendix "The GDB Agent
 * Expression Mechanism"; the numbers are those of gdb/gdbsupport/ax.def, the
 * same in GDB 7.2 to 18.1. The machine has a stack of 64-bit values. Operands
 * follow their opcode, highest byte first; a jump's operand is an offset from
 * the start of the program.
 *
 * GDB numbers the opcodes from 0x01 up; 0x35 to 0xff were free in 18.1. The
 * agent's own opcodes begin at 0xc0. Those for fields need the layout of an
 * event, and those for contexts need functions of the machine. Programs from a
 * debugger get neither, so ax_verify() refuses these opcodes in them.
 *
 * ax_verify() checks a program and rewrites it for ax_run(). It checks opcodes,
 * operands, jumps, the height of the stack, fields, and that the machine has
 * every function that the program needs; ax_run() does not check these again.
 * ax_run() checks memory, division by zero and the number of steps.
 */
#ifndef TRACEPOINTS_CONDITIONS_AX_H
#define TRACEPOINTS_CONDITIONS_AX_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "buffers/writers/write.h"

/* Operand and effect on the stack (top last) in the comment. */
enum ax_opcode {
	AX_FLOAT	 = 0x01, /* prefix, reserved: refused */
	AX_ADD		 = 0x02, /* a b - a+b */
	AX_SUB		 = 0x03, /* a b - a-b */
	AX_MUL		 = 0x04, /* a b - a*b */
	AX_DIV_SIGNED	 = 0x05, /* a b - a/b */
	AX_DIV_UNSIGNED	 = 0x06,
	AX_REM_SIGNED	 = 0x07, /* a b - a%b */
	AX_REM_UNSIGNED	 = 0x08,
	AX_LSH		 = 0x09, /* a b - a<<b; b > 63 shifts all out */
	AX_RSH_SIGNED	 = 0x0a,
	AX_RSH_UNSIGNED	 = 0x0b,
	AX_TRACE	 = 0x0c, /* address bytes -; collects them */
	AX_TRACE_QUICK	 = 0x0d, /* u8 bytes: address - address */
	AX_LOG_NOT	 = 0x0e, /* a - !a */
	AX_BIT_AND	 = 0x0f, /* a b - a&b */
	AX_BIT_OR	 = 0x10,
	AX_BIT_XOR	 = 0x11,
	AX_BIT_NOT	 = 0x12, /* a - ~a */
	AX_EQUAL	 = 0x13, /* a b - a==b */
	AX_LESS_SIGNED	 = 0x14, /* a b - a<b */
	AX_LESS_UNSIGNED = 0x15,
	AX_EXT		 = 0x16, /* u8 n: a - a, sign extended from n bits */
	AX_REF8		 = 0x17, /* address - value, zero extended */
	AX_REF16	 = 0x18,
	AX_REF32	 = 0x19,
	AX_REF64	 = 0x1a,
	AX_REF_FLOAT	 = 0x1b, /* to 0x1f: no GDB emits them: refused */
	AX_REF_DOUBLE	 = 0x1c,
	AX_REF_LONG_DOUBLE = 0x1d,
	AX_L_TO_D	 = 0x1e,
	AX_D_TO_L	 = 0x1f,
	AX_IF_GOTO	 = 0x20, /* u16 to: a - */
	AX_GOTO		 = 0x21, /* u16 to: - */
	AX_CONST8	 = 0x22, /* u8: - value, zero extended */
	AX_CONST16	 = 0x23,
	AX_CONST32	 = 0x24,
	AX_CONST64	 = 0x25,
	AX_REG		 = 0x26, /* u16 number: - value */
	AX_END		 = 0x27, /* the result is on top, if there is one */
	AX_DUP		 = 0x28, /* a - a a */
	AX_POP		 = 0x29, /* a - */
	AX_ZERO_EXT	 = 0x2a, /* u8 n: a - a, its low n bits */
	AX_SWAP		 = 0x2b, /* a b - b a */
	AX_GETV		 = 0x2c, /* u16 variable: - value */
	AX_SETV		 = 0x2d, /* u16 variable: a - a */
	AX_TRACEV	 = 0x2e, /* u16 variable: -; collects it. ax.def says
				  * that it pushes; by gdbserver and the code
				  * that GDB makes it does not */
	AX_TRACENZ	 = 0x2f, /* address bytes -; collects a string */
	AX_TRACE16	 = 0x30, /* u16 bytes: address - address */
	AX_INVALID2	 = 0x31, /* refused */
	AX_PICK		 = 0x32, /* u8 n: .. - .. a; a copy of the n-th, the
				  * top being number 0 */
	AX_ROT		 = 0x33, /* a b c - c a b */
	AX_PRINTF	 = 0x34, /* calls a function it names: refused */

	/*
	 * The agent's own. A "text" is a u16 length that counts the NUL, then
	 * the bytes. A double is on the stack as 64 bits; the result of a test
	 * is 0 or 1.
	 */
	AX_FIELD	 = 0xc0, /* u8 field: - integer, extended by its type */
	AX_FIELD_DOUBLE	 = 0xc1, /* u8 field: - double, of F32 and F64 */
	AX_FIELD_EQUAL	 = 0xc2, /* u8 field, text: - test, of a string */
	AX_FIELD_GLOB	 = 0xc3, /* u8 field, text: - test */
	AX_VTID		 = 0xc4, /* - thread */
	AX_CPU		 = 0xc5, /* - cpu */
	AX_PROCNAME_EQUAL = 0xc6, /* text: - test, of the thread's name */
	AX_PROCNAME_GLOB = 0xc7, /* text: - test */
	AX_EQUAL_MIXED	 = 0xc8, /* a b - test; one signed, one unsigned */
	AX_LESS_SIGNED_UNSIGNED = 0xc9, /* a b - test; a signed, b unsigned */
	AX_LESS_UNSIGNED_SIGNED = 0xca,
	AX_DOUBLE_SIGNED = 0xcb, /* a - double of the signed a */
	AX_DOUBLE_UNSIGNED = 0xcc,
	AX_DOUBLE_ADD	 = 0xcd, /* a b - a+b, and so on */
	AX_DOUBLE_SUB	 = 0xce,
	AX_DOUBLE_MUL	 = 0xcf,
	AX_DOUBLE_DIV	 = 0xd0,
	AX_DOUBLE_NEGATE = 0xd1, /* a - -a */
	AX_DOUBLE_EQUAL	 = 0xd2, /* a b - test */
	AX_DOUBLE_LESS	 = 0xd3,
	AX_DOUBLE_LESS_EQUAL = 0xd4,
	/*
	 * A "part" is a u8 field, which is an array, a u8 type of a scalar and
	 * a u16 number: an element of that type. A part that is not there,
	 * behind the end, is 0. With AX_PART_BIG_ENDIAN in the type, its first
	 * byte is the highest.
	 */
	AX_PART		 = 0xd5, /* part: - integer, or a double's bits */
	AX_HAS_PART	 = 0xd6, /* part: - test, whether it is there */
	AX_VPID		 = 0xd7, /* - process */
	AX_PTHREAD	 = 0xd8, /* - thread, as pthread_self() names it */
	AX_IP		 = 0xd9, /* - address of the hit, as the context ip */
	AX_DOUBLE_FLOAT	 = 0xda, /* a - double of the float a */
	AX_FLOAT_DOUBLE	 = 0xdb, /* a - float nearest to the double a */
	AX_INTEGER_DOUBLE = 0xdc, /* a - the double a without its fraction, as
				   * an integer; outside of 64 bits, 1 << 63 */
};

#define AX_PART_BIG_ENDIAN 0x80	/* | type of an integer */

#define AX_CODE_MAX	4096	/* bytes of a program */
#define AX_STACK_MAX	64	/* values; the interpreter has room for them */
#define AX_STEPS_MAX	10000	/* backward jumps may repeat so many in a run */
#define AX_NAME_BYTES	16	/* of a thread's name, with its NUL */

/* How a run ended; AX_DONE is 0. */
enum ax_verdict {
	AX_DONE,
	AX_BAD_ADDRESS,		/* memory that cannot be read */
	AX_DIVIDED_BY_ZERO,
	AX_TOO_LONG,		/* more than AX_STEPS_MAX */
	AX_UNAVAILABLE,		/* a register or variable that is not there */
	AX_NO_ROOM,		/* a collection ends here */
};

/*
 * The functions that a program can use. A verdict other than AX_DONE ends the
 * run. All must be SIGSAFE. The verifier refuses a program that needs a
 * function that is NULL. `hit` comes from the caller of ax_run().
 */
struct ax_machine {
	/* bytes is 1, 2, 4 or 8, in host order */
	enum ax_verdict (*read)(void *hit, uint64_t address, void *to,
				uint32_t bytes);
	/* number is less than nregisters */
	enum ax_verdict (*reg)(void *hit, uint32_t number, uint64_t *value);
	enum ax_verdict (*variable_get)(void *hit, uint32_t number,
					uint64_t *value);
	enum ax_verdict (*variable_set)(void *hit, uint32_t number,
					uint64_t value);
	enum ax_verdict (*variable_collect)(void *hit, uint32_t number);
	/* any address, any length: the machine must bound it */
	enum ax_verdict (*collect)(void *hit, uint64_t address, uint64_t bytes);
	/* up to and including the NUL, at most so many bytes */
	enum ax_verdict (*collect_string)(void *hit, uint64_t address,
					  uint64_t bytes);
	uint32_t (*vtid)(void *hit);
	uint32_t (*cpu)(void *hit);
	uint32_t (*vpid)(void *hit);
	uint64_t (*pthread)(void *hit);
	uint64_t (*ip)(void *hit);
	/* writes AX_NAME_BYTES; the text may take all of them */
	void (*procname)(void *hit, char *name);
	uint32_t nregisters;
};

/* Has the contexts of the calling thread and the address of the hit, a word
 * that `hit` points to; and nothing else. */
extern const struct ax_machine ax_host;

/* Does not have that address, and ignores `hit`. */
extern const struct ax_machine ax_bare;

/* Copies n bytes of the program's memory. Returns how many could be read, from
 * the first on. For the text of which an event has a part (WRITE_CUT); set
 * before the first of these. SIGSAFE. */
extern uint64_t (*ax_text_read)(void *to, uint64_t address, uint64_t n);

/* An event, for the verifier: the shape, and TAFFRAIL_FIELDS_MAX types of the
 * fields as they are recorded (shape_make(), shape_types()). */
struct ax_layout {
	const struct write_shape *shape;
	const uint8_t *types;
};

/* An event of that shape, as the site passes it to a writer. */
struct ax_event {
	uint64_t fixed;		/* value of the fixed part if it has 8 bytes or
				 * less; else its address */
	const struct write_var *var;
};

/* A program for ax_verify(). */
struct ax_source {
	const uint8_t *code;
	uint32_t bytes;
	uint32_t want_result;		/* refuse an end on an empty stack */
	const struct ax_layout *layout;	/* NULL: no opcode with a field */
	const struct ax_machine *machine; /* NULL: has no function */
};

/* Why ax_verify() refuses a program, and where in the code. */
struct ax_refusal {
	uint32_t offset;
	const char *fact;
};

struct ax_insn {
	uint16_t step;
	uint16_t var;
	uint32_t at;
	uint64_t value;
};

/*
 * A verified program: one piece of memory, which may be copied.
 *
 * Most conditions only compare a field with a constant. The first members do
 * the same: the condition holds when the fixed value, or eight bytes of a fixed
 * part in memory, shifted left until the field is on top, lies no more than
 * `span` above `low`, modulo 2^64. Bits below the field do not matter: low has
 * zeros there, span has ones.
 */
enum ax_quick {
	AX_SLOW, AX_QUICK_VALUE, AX_QUICK_BLOCK,
};

struct ax_program {
	uint8_t quick;			/* enum ax_quick: the next four are
					 * valid */
	uint16_t offset;		/* of the eight bytes */
	uint32_t shift;
	uint64_t low;
	uint64_t span;
	uint32_t bytes;			/* of the program, with its texts */
	uint32_t ninsns;
	const struct ax_machine *machine;
	struct ax_insn insns[];		/* then the texts */
};

/* Bytes that ax_verify() needs for n bytes of code; the program is smaller: see
 * `bytes`. */
#define AX_PROGRAM_BYTES(n)	(sizeof(struct ax_program) + 24 * (size_t)(n) \
				 + 16)

/*
 * Verifies a program of any origin and writes it, ready to run, to `buffer`,
 * which is aligned to 8. Returns 0; -EINVAL and the reason; -ENOSPC when `size`
 * is less than AX_PROGRAM_BYTES(source->bytes). Of the things that the source
 * points to, only the machine is needed afterwards. Any thread; SIGSAFE.
 */
int ax_verify(void *buffer, size_t size, const struct ax_source *source,
	      struct ax_refusal *refusal);

/*
 * Runs a verified program. On AX_DONE, *result is the top of the stack, or 0
 * when the stack was empty. `event` has the program's layout; it is NULL if the
 * program has none. Takes less than 1 KB of stack, without the machine's
 * functions; no floating-point flag of the thread changes. SIGSAFE, any thread.
 */
enum ax_verdict ax_run(const struct ax_program *program,
		       const struct ax_event *event, void *hit,
		       uint64_t *result);

/* Returns true when a condition holds. A condition whose run fails does not
 * hold. SIGSAFE. */
static inline bool ax_holds(const struct ax_program *program,
			    const struct ax_event *event, void *hit)
{
	uint64_t result = event->fixed;

	if (program->quick == AX_QUICK_BLOCK)
		__builtin_memcpy(&result,
				 (const char *)result + program->offset,
				 sizeof(result));
	if (likely(program->quick))
		return (result << program->shift) - program->low <=
		       program->span;
	return ax_run(program, event, hit, &result) == AX_DONE && result;
}

#endif
