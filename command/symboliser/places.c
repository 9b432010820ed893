/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles DWARF's places of variables to programs for the agent: the
 * symboliser's child. Facts: DWARF 5, 2.5 and 2.6, "DWARF Expressions" and
 * "Location Descriptions"; System V ABI, AMD64, figure 3.36.
 *
 * Invariant: no value rather than a wrong one. An operation that is not known
 * here gives none.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/conditions/ax.h"

#define BASE		63		/* USDT_LINE_BASE */
#define THREAD		62		/* USDT_LINE_THREAD */
#define VECTOR		40		/* USDT_LINE_VECTOR */

/* gdb's numbers of registers, by DWARF's. */
static const uint8_t gdb_numbers[VALUE_GENERAL] = {
	0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
};

void code_put(struct value *v, uint64_t number, uint32_t bytes)
{
	if (v->n + bytes > sizeof(v->code)) {
		v->cut = true;
		return;
	}
	while (bytes--)
		v->code[v->n++] = (uint8_t)(number >> 8 * bytes);
}

void code_op(struct value *v, enum ax_opcode op)
{
	code_put(v, op, 1);
}

void code_const(struct value *v, int64_t number)
{
	uint32_t bytes = number >= INT8_MIN && number <= INT8_MAX   ? 1 :
			 number >= INT16_MIN && number <= INT16_MAX ? 2 :
			 number >= INT32_MIN && number <= INT32_MAX ? 4 : 8;

	code_put(v, bytes == 1 ? AX_CONST8 : bytes == 2 ? AX_CONST16 :
		    bytes == 4 ? AX_CONST32 : AX_CONST64, 1);
	code_put(v, (uint64_t)number, bytes);
	if (number < 0 && bytes < 8) {
		code_op(v, AX_EXT);
		code_put(v, bytes * 8, 1);
	}
}

void code_add(struct value *v, int64_t number)
{
	if (!number)
		return;
	code_const(v, number);
	code_op(v, AX_ADD);
}

/* Returns the bytes of an opcode's operand. */
static uint32_t operand_bytes(uint8_t opcode)
{
	switch (opcode) {
	case AX_CONST8:
	case AX_EXT:
	case AX_ZERO_EXT:
	case AX_PICK:
		return 1;
	case AX_CONST16:
	case AX_REG:
	case AX_GOTO:
	case AX_IF_GOTO:
		return 2;
	case AX_CONST32:
		return 4;
	default:
		return opcode == AX_CONST64 ? 8 : 0;
	}
}

void code_append(struct value *v, const struct value *from)
{
	uint32_t begin = v->n, bytes;

	for (uint32_t i = 0; i < from->n; i += bytes) {
		const uint8_t *code = from->code + i;

		bytes = 1 + operand_bytes(*code);
		/* targets are counted from the begin of all code */
		if (*code == AX_GOTO || *code == AX_IF_GOTO) {
			code_put(v, *code, 1);
			code_put(v, begin + (code[1] << 8 | code[2]), 2);
			continue;
		}
		for (uint32_t k = 0; k < bytes; k++)
			code_put(v, code[k], 1);
	}
	v->cut |= from->cut;
	v->follows |= from->follows;
}

bool code_register(struct value *v, uint64_t number)
{
	if (number == VALUE_GENERAL || number >= VALUE_XMM + 16)
		return false;
	code_op(v, AX_REG);
	code_put(v, number < VALUE_GENERAL ? gdb_numbers[number] :
					     VECTOR + number - VALUE_XMM, 2);
	return true;
}

bool code_load(struct value *v, uint64_t bytes)
{
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return false;
	code_op(v, bytes == 1 ? AX_REF8 : bytes == 2 ? AX_REF16 :
		   bytes == 4 ? AX_REF32 : AX_REF64);
	return true;
}

void code_address(struct value *v)
{
	if (v->base < 0)
		return;
	code_register(v, (uint64_t)v->base);
	code_add(v, v->offset);
	v->base = -1;
	v->offset = 0;
}

/* Adds the code for an address of the file. */
static void code_static(struct value *v, uint64_t address)
{
	code_const(v, (int64_t)address);
	code_op(v, AX_REG);
	code_put(v, BASE, 2);
	code_op(v, AX_ADD);
}

static bool code_expression(struct value *v, Dwarf_Attribute *attr,
			    const Dwarf_Op *ops, size_t n,
			    const struct value_scope *scope);

/* Adds the code for the frame's address (CFA). */
static bool code_frame(struct value *v, const struct value_scope *scope)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	bool done;
	size_t n;

	if (!scope->cfi ||
	    dw.cfi_addrframe(scope->cfi, scope->address, &frame))
		return false;
	done = !dw.frame_cfa(frame, &ops, &n) && n &&
	       code_expression(v, NULL, ops, n, NULL);
	free(frame);
	return done;
}

/* Adds the code for the base of the function's frame. */
static bool code_fbase(struct value *v, const struct value_scope *scope)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	for (int i = 0; scope && i < scope->n; i++) {
		if (dw.tag(&scope->scopes[i]) != DW_TAG_subprogram)
			continue;
		if (!dw.attr(&scope->scopes[i], DW_AT_frame_base, &attr) ||
		    dw.getlocation_addr(&attr, scope->address, &ops, &n, 1) !=
			    1 || !n)
			return false;
		/* the register's value is the address */
		if (n == 1 && ops[0].atom >= DW_OP_reg0 &&
		    ops[0].atom <= DW_OP_reg31)
			return code_register(v, ops[0].atom - DW_OP_reg0);
		return code_expression(v, &attr, ops, n, scope);
	}
	return false;
}

/* Operations of which the code is one of the agent's. */
static int plain_op(uint8_t atom)
{
	static const struct {
		uint8_t atom, op;
	} rows[] = {
		{ DW_OP_dup, AX_DUP }, { DW_OP_drop, AX_POP },
		{ DW_OP_swap, AX_SWAP }, { DW_OP_rot, AX_ROT },
		{ DW_OP_plus, AX_ADD }, { DW_OP_minus, AX_SUB },
		{ DW_OP_mul, AX_MUL }, { DW_OP_and, AX_BIT_AND },
		{ DW_OP_or, AX_BIT_OR }, { DW_OP_xor, AX_BIT_XOR },
		{ DW_OP_not, AX_BIT_NOT }, { DW_OP_shl, AX_LSH },
		{ DW_OP_shr, AX_RSH_UNSIGNED }, { DW_OP_shra, AX_RSH_SIGNED },
		{ DW_OP_div, AX_DIV_SIGNED }, { DW_OP_mod, AX_REM_UNSIGNED },
		{ DW_OP_eq, AX_EQUAL }, { DW_OP_lt, AX_LESS_SIGNED },
		{ DW_OP_deref, AX_REF64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].atom == atom)
			return rows[i].op;
	return -1;
}

/* Adds the code for a comparison that the agent has no operation for. */
static void code_comparison(struct value *v, uint8_t atom)
{
	if (atom == DW_OP_gt || atom == DW_OP_le)
		code_op(v, AX_SWAP);
	code_op(v, atom == DW_OP_ne ? AX_EQUAL : AX_LESS_SIGNED);
	if (atom != DW_OP_gt)
		code_op(v, AX_LOG_NOT);
}

/* Adds the code that makes the address of a thread's variable of its offset.
 * Typed operations stay unknown: of random programs, half of the values that
 * clang -O1 says by DW_OP_convert were wrong. */
static bool code_thread(struct value *v)
{
	int64_t behind;

	if (!symboliser_thread(&behind))
		return false;
	code_add(v, behind);
	code_op(v, AX_REG);
	code_put(v, THREAD, 2);
	code_op(v, AX_ADD);
	return true;
}

bool code_global(struct value *v, const struct symboliser_global *global)
{
	if (global->thread && !global->bound) {
		code_const(v, (int64_t)global->address);
		return code_thread(v);
	}
	code_static(v, global->address);
	if (global->bound) {
		code_op(v, AX_REF64);
		code_add(v, (int64_t)global->behind);
		v->follows |= global->weak;
	}
	if (global->thread) {
		code_op(v, AX_REG);
		code_put(v, THREAD, 2);
		code_op(v, AX_ADD);
	}
	return true;
}

/* Adds the code for one operation. Returns false for one that is not known. */
static bool code_operation(struct value *v, Dwarf_Attribute *attr,
			   const Dwarf_Op *op, const struct value_scope *scope)
{
	struct symboliser_global global;
	Dwarf_Attribute address;
	Dwarf_Addr number;
	uint8_t atom = op->atom;
	int plain = plain_op(atom);

	if (plain >= 0) {
		code_op(v, (enum ax_opcode)plain);
		return true;
	}
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		code_const(v, atom - DW_OP_lit0);
		return true;
	}
	/* all forms of constants are in the row of numbers */
	if (atom >= DW_OP_const1u && atom <= DW_OP_consts) {
		code_const(v, (int64_t)op->number);
		return true;
	}
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		if (!code_register(v, atom - DW_OP_breg0))
			return false;
		code_add(v, (int64_t)op->number);
		return true;
	}
	switch (atom) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		number = op->number;
		if (atom != DW_OP_addr &&
		    (!attr || dw.getlocation_attr(attr, op, &address) ||
		     dw.formaddr(&address, &number)))
			return false;
		symboliser_bound(&global, number, NULL);
		return symboliser_placed(number) && code_global(v, &global);
	case DW_OP_bregx:
		if (!code_register(v, op->number))
			return false;
		code_add(v, (int64_t)op->number2);
		return true;
	case DW_OP_fbreg:
		if (!code_fbase(v, scope))
			return false;
		code_add(v, (int64_t)op->number);
		return true;
	case DW_OP_call_frame_cfa:
		return scope && code_frame(v, scope);
	case DW_OP_deref_size:
		return code_load(v, op->number);
	case DW_OP_plus_uconst:
		code_add(v, (int64_t)op->number);
		return true;
	case DW_OP_neg:
		code_const(v, 0);
		code_op(v, AX_SWAP);
		code_op(v, AX_SUB);
		return true;
	case DW_OP_over:
	case DW_OP_pick:
		code_op(v, AX_PICK);
		code_put(v, atom == DW_OP_over ? 1 : op->number, 1);
		return true;
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_ge:
	case DW_OP_ne:
		code_comparison(v, atom);
		return true;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return code_thread(v);
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static bool code_expression(struct value *v, Dwarf_Attribute *attr,
			    const Dwarf_Op *ops, size_t n,
			    const struct value_scope *scope)
{
	for (size_t i = 0; i < n; i++)
		if (!code_operation(v, attr, &ops[i], scope))
			return false;
	return true;
}

bool place_base(struct value *v, Dwarf_Die *base)
{
	const struct value_scope none = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (v->kind != VALUE_MEMORY || !dw.hasattr(base, DW_AT_virtuality) ||
	    !dw.attr(base, DW_AT_data_member_location, &attr) ||
	    dw.getlocation_addr(&attr, 0, &ops, &n, 1) != 1 || n < 2 ||
	    ops[0].atom != DW_OP_dup)
		return false;
	code_address(v);
	v->follows = true;
	value_type(v, base);
	return v->has_type && code_expression(v, &attr, ops, n, &none);
}

/* Makes a register and an offset of code that adds to a register: an operand
 * says such an address, without a program. */
static void address_fold(struct value *v)
{
	const uint8_t *p = v->code, *end = p + v->n;
	uint32_t bytes, base = 0;
	int64_t sum = 0, number;

	if (v->cut || v->n < 3 || *p != AX_REG || p[2] >= VALUE_GENERAL)
		return;
	while (gdb_numbers[base] != p[2])
		base++;
	for (p += 3; p < end && *p >= AX_CONST8 && *p <= AX_CONST64; p++) {
		bytes = 1u << (*p++ - AX_CONST8);
		number = 0;
		for (uint32_t i = 0; i < bytes; i++)
			number = (int64_t)((uint64_t)number << 8 | *p++);
		/* the sign of a number that was written in fewer bytes */
		if (p < end && *p == AX_EXT) {
			number = (int64_t)((uint64_t)number << (64 - p[1])) >>
				 (64 - p[1]);
			p += 2;
		}
		sum += number;
		if (p == end || *p != AX_ADD)
			return;
	}
	if (p != end)
		return;
	v->base = (int)base;
	v->offset = sum;
	v->n = 0;
}

bool place_frame(struct value *v, int64_t offset,
		 const struct value_scope *scope)
{
	v->kind = VALUE_MEMORY;
	v->base = -1;
	if (!code_frame(v, scope))
		return false;
	code_add(v, offset);
	address_fold(v);
	return true;
}

bool place_part(struct value *v, uint64_t offset, uint64_t bytes)
{
	const struct value whole = *v;
	size_t begin = 0, i = 0;
	uint64_t at = 0;

	if (v->kind == VALUE_PIECES) {
		for (; i < v->nops; i++) {
			if (v->ops[i].atom != DW_OP_piece)
				continue;
			if (offset >= at &&
			    offset + bytes <= at + v->ops[i].number)
				break;
			at += v->ops[i].number;
			begin = i + 1;
		}
		/* one without a place has been optimised out */
		if (i == v->nops || i == begin)
			return false;
		v->offset = 0;
		if (!place_take(v, &v->attr, whole.ops + begin, i - begin,
				whole.scope))
			return false;
		offset -= at;
	}
	if (v->kind == VALUE_MEMORY) {
		if (v->base >= 0)
			v->offset += (int64_t)offset;
		else
			code_add(v, (int64_t)offset);
		return true;
	}
	if (!offset)
		return bytes <= 8;
	if (offset + bytes > 8 ||
	    (v->kind == VALUE_REGISTER &&
	     !code_register(v, (uint64_t)v->base)))
		return false;
	v->kind = VALUE_NUMBER;
	v->base = -1;
	code_const(v, (int64_t)offset * 8);
	code_op(v, AX_RSH_UNSIGNED);
	return true;
}

bool place_take(struct value *v, Dwarf_Attribute *attr,
		       const Dwarf_Op *ops, size_t n,
		       const struct value_scope *scope)
{
	Dwarf_Block block;
	uint64_t number = 0;

	v->base = -1;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom != DW_OP_piece)
			continue;
		v->kind = VALUE_PIECES;
		v->attr = *attr;
		v->ops = ops;
		v->nops = n;
		v->scope = scope;
		return true;
	}
	if (n == 1 && ((ops[0].atom >= DW_OP_reg0 &&
			ops[0].atom <= DW_OP_reg31) ||
		       ops[0].atom == DW_OP_regx)) {
		v->kind = VALUE_REGISTER;
		v->base = ops[0].atom == DW_OP_regx ?
				  (int)ops[0].number : ops[0].atom - DW_OP_reg0;
		return v->base >= 0 && v->base < VALUE_XMM + 16 &&
		       v->base != VALUE_GENERAL;
	}
	if (n == 1 && ops[0].atom == DW_OP_implicit_value) {
		v->kind = VALUE_NUMBER;
		if (dw.getlocation_implicit_value(attr, &ops[0], &block) ||
		    block.length > sizeof(number))
			return false;
		memcpy(&number, block.data, block.length);
		code_const(v, (int64_t)number);
		return true;
	}
	v->kind = VALUE_MEMORY;
	if (n && ops[n - 1].atom == DW_OP_stack_value) {
		v->kind = VALUE_NUMBER;
		n--;
	}
	if (!n || !code_expression(v, attr, ops, n, scope))
		return false;
	if (v->kind == VALUE_MEMORY)
		address_fold(v);
	return true;
}

bool place_is_slip(const Dwarf_Op *ops, size_t n)
{
	uint8_t first = n ? ops[0].atom : 0;

	if ((first != DW_OP_breg7 && first != DW_OP_fbreg &&
	     first != DW_OP_call_frame_cfa) ||
	    ops[n - 1].atom != DW_OP_stack_value)
		return false;
	for (size_t i = 1; i < n; i++)
		if (ops[i].atom == DW_OP_deref ||
		    ops[i].atom == DW_OP_deref_size)
			return false;
	return true;
}

const char *place_fact(const Dwarf_Op *ops, size_t n)
{
	if (n && (ops[n - 1].atom == DW_OP_form_tls_address ||
		  ops[n - 1].atom == DW_OP_GNU_push_tls_address))
		return SYMBOLISER_THREAD;
	for (size_t i = 0; i < n; i++)
		if ((ops[i].atom == DW_OP_addr &&
		     !symboliser_placed(ops[i].number)) ||
		    ops[i].atom == DW_OP_entry_value ||
		    ops[i].atom == DW_OP_GNU_entry_value ||
		    ops[i].atom == DW_OP_GNU_parameter_ref ||
		    ops[i].atom == DW_OP_implicit_pointer ||
		    ops[i].atom == DW_OP_GNU_implicit_pointer)
			return VALUE_OUT;
	return "is in a place that is not understood";
}
