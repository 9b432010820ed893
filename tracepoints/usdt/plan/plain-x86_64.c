/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes the instructions that most code is made of, without a decoder. Of
 * instructions that do not move, only length and target are needed.
 *
 * Invariant: every answer here is the decoder's, too (a test compares them); an
 * instruction that is not known here gets no answer. Encodings are those of
 * Intel's manual, volume 2, appendix A.
 */
#include "tracepoints/usdt/plan/plan.h"

#define LONGEST		15	/* bytes of an instruction */

/* The parts that follow an opcode. */
#define KNOWN		0x01
#define MODRM		0x02
#define BYTE		0x04	/* an immediate of one byte */
#define WORD		0x08	/* of four; of two after 66 */
#define WIDE		0x10	/* the same, but eight after REX.W */
#define NEAR		0x20	/* a branch's operand of one byte */
#define FAR		0x40	/* of four */
#define ENDS		0x80	/* jump, call, return */

struct prefixes {
	uint8_t segment;	/* fs, gs */
	uint8_t mandatory;	/* 66, f2, f3 */
	uint8_t rex;
};

/* Returns the shape of an opcode whose meaning depends on the reg field of the
 * next byte. */
static uint32_t group_shape(uint8_t opcode, uint8_t reg)
{
	switch (opcode) {
	case 0x80:
	case 0x83:
		return MODRM | BYTE;
	case 0x81:
		return MODRM | WORD;
	case 0xc0 ... 0xc1:
		return reg == 6 ? 0 : MODRM | BYTE;
	case 0xd0 ... 0xd3:
		return reg == 6 ? 0 : MODRM;
	case 0xc6:
		return reg ? 0 : MODRM | BYTE;
	case 0xc7:
		return reg ? 0 : MODRM | WORD;
	case 0xf6:
		return reg == 1 ? 0 : MODRM | (reg ? 0 : BYTE);
	case 0xf7:
		return reg == 1 ? 0 : MODRM | (reg ? 0 : WORD);
	case 0xfe:
		return reg > 1 ? 0 : MODRM;
	default:		/* ff */
		return reg > 1 && reg != 6 ? 0 : MODRM;
	}
}

/* Returns the shape of an opcode; `next` is the byte after it. */
static uint32_t shape_of_one(uint8_t opcode, uint8_t next)
{
	static const uint8_t arithmetic[8] = { MODRM, MODRM, MODRM, MODRM, BYTE,
					       WORD, 0, 0 };

	switch (opcode) {
	case 0x00 ... 0x3f:
		return arithmetic[opcode & 7];
	case 0x50 ... 0x5f:
	case 0x90:
	case 0x98 ... 0x99:
	case 0xc9:
		return KNOWN;
	case 0x63:
	case 0x84 ... 0x8b:
		return MODRM;
	case 0x8d:
		return next < 0xc0 ? MODRM : 0;
	case 0x68:
	case 0xa9:
		return WORD;
	case 0x69:
		return MODRM | WORD;
	case 0x6a:
	case 0xa8:
	case 0xb0 ... 0xb7:
		return BYTE;
	case 0x6b:
		return MODRM | BYTE;
	case 0x70 ... 0x7f:
		return NEAR;
	case 0x80 ... 0x81:
	case 0x83:
	case 0xc0 ... 0xc1:
	case 0xc6 ... 0xc7:
	case 0xd0 ... 0xd3:
	case 0xf6 ... 0xf7:
	case 0xfe ... 0xff:
		return group_shape(opcode, next >> 3 & 7);
	case 0xb8 ... 0xbf:
		return WIDE;
	case 0xc3:
		return KNOWN | ENDS;
	case 0xe8 ... 0xe9:
		return FAR | ENDS;
	case 0xeb:
		return NEAR | ENDS;
	default:
		return 0;
	}
}

/* Returns the shape of an opcode after 0f, with no prefix except 66. */
static uint32_t shape_of_two(uint8_t opcode, uint8_t next)
{
	switch (opcode) {
	case 0x10 ... 0x11:
	case 0x14:
	case 0x1f:
	case 0x28 ... 0x29:
	case 0x2e ... 0x2f:
	case 0x40 ... 0x4f:
	case 0x51:
	case 0x54 ... 0x5f:
	case 0x60 ... 0x62:
	case 0x6e ... 0x6f:
	case 0x7e ... 0x7f:
	case 0x90 ... 0x9f:
	case 0xa3:
	case 0xaf:
	case 0xb6 ... 0xb7:
	case 0xbe ... 0xbf:
	case 0xd4:
	case 0xdb:
	case 0xeb:
	case 0xef:
		return MODRM;
	case 0x80 ... 0x8f:
		return FAR;
	case 0xba:
		return (next & 0x20) ? MODRM | BYTE : 0;
	default:
		return 0;
	}
}

/* Returns the shape of an opcode after f2 or f3, and 0f: floating point. */
static uint32_t shape_of_scalar(uint8_t opcode)
{
	switch (opcode) {
	case 0x10 ... 0x11:
	case 0x2a:
	case 0x2c ... 0x2d:
	case 0x51:
	case 0x58 ... 0x5a:
	case 0x5c ... 0x5f:
		return MODRM;
	default:
		return 0;
	}
}

/* Returns the bytes of ModRM, SIB and displacement. */
static uint32_t operand_bytes(const uint8_t *p)
{
	uint32_t mode = *p >> 6;
	uint32_t n = 1;

	if (mode == 3)
		return n;
	if ((*p & 7) == 4) {
		n++;
		if (!mode && (p[1] & 7) == 5)
			n += 4;
	}
	if (mode == 1)
		return n + 1;
	return n + (mode == 2 || (*p & 0xc7) == 5 ? 4 : 0);
}

/* Returns the bytes of the immediate or of the branch's operand. */
static uint32_t immediate_bytes(uint32_t shape, const struct prefixes *prefixes)
{
	uint32_t wide = prefixes->rex & 8;

	if (shape & (BYTE | NEAR))
		return 1;
	if (shape & WIDE && wide)
		return 8;
	if (shape & (WORD | WIDE))
		return prefixes->mandatory && !wide ? 2 : 4;
	return shape & FAR ? 4 : 0;
}

bool usdt_decode_plain(const uint8_t *bytes, uint64_t n, uint64_t address,
		       struct usdt_decoded *to)
{
	struct prefixes prefixes = { 0 };
	const uint8_t *opcode;
	const uint8_t *p = bytes;
	int32_t operand;
	uint32_t shape;
	int scalar;

	if (n < LONGEST)
		return false;
	/* in this order; another order makes the opcode unknown */
	if (*p == 0x64 || *p == 0x65)
		prefixes.segment = *p++;
	if (*p == 0x66 || *p == 0xf2 || *p == 0xf3)
		prefixes.mandatory = *p++;
	if ((*p & 0xf0) == 0x40)
		prefixes.rex = *p++;
	opcode = p;
	scalar = prefixes.mandatory > 0x66;
	if (*p != 0x0f) {
		p += 1;
		shape = scalar ? 0 : shape_of_one(opcode[0], opcode[1]);
	} else {
		p += 2;
		shape = scalar ? shape_of_scalar(opcode[1]) :
				 shape_of_two(opcode[1], opcode[2]);
	}
	/* a branch with a prefix */
	if (shape & (NEAR | FAR | ENDS) &&
	    (prefixes.segment || prefixes.mandatory || prefixes.rex))
		return false;
	if (!shape)
		return false;
	*to = (struct usdt_decoded){ .leads = !!(shape & (NEAR | FAR)),
				     .ends = !!(shape & ENDS) };
	if (*opcode == 0x8d && (*p & 0xc7) == 5) {
		to->leads = 1;
		to->field = (uint8_t)(p + 1 - bytes);
	}
	if (shape & MODRM)
		p += operand_bytes(p);
	p += immediate_bytes(shape, &prefixes);
	to->length = (uint8_t)(p - bytes);
	if (!to->leads)
		return true;
	/* the operand ends where the instruction ends */
	if (shape & NEAR)
		operand = (int8_t)p[-1];
	else
		__builtin_memcpy(&operand, p - sizeof(operand),
				 sizeof(operand));
	to->target = address + to->length + (uint64_t)(int64_t)operand;
	return true;
}
