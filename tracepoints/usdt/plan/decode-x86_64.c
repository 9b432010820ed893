/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes instructions of x86-64 as far as is needed to move them; see plan.h.
 *
 * Invariant: an instruction is USDT_STAYS unless it is known to do the same in
 * another place.
 */
#include "tracepoints/usdt/plan/plan.h"

#include <errno.h>

#include "base/text.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

typedef ZyanStatus init_fn(ZydisDecoder *decoder, ZydisMachineMode mode,
			   ZydisStackWidth width);
typedef ZyanStatus decode_fn(const ZydisDecoder *decoder,
			     ZydisDecoderContext *context, const void *buffer,
			     ZyanUSize length, ZydisDecodedInstruction *to);

_Static_assert(sizeof(ZydisDecoder) <=
	       sizeof(((struct usdt_decoder *)0)->state), "state");

const char *usdt_decoder_file(void)
{
	static char name[32];
	struct text text;

	text_open(&text, name, sizeof(name));
	text_add(&text, "libZydis.so.");
	text_add_unsigned(&text, ZYDIS_VERSION_MAJOR(ZYDIS_VERSION));
	text_add_char(&text, '.');
	text_add_unsigned(&text, ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	return name;
}

int usdt_decoder_open(struct usdt_decoder *decoder)
{
	ZydisDecoder *state = (ZydisDecoder *)decoder->state;
	init_fn *init = (init_fn *)decoder->init;

	if (!init || !decoder->decode ||
	    ZYAN_FAILED(init(state, ZYDIS_MACHINE_MODE_LONG_64,
			     ZYDIS_STACK_WIDTH_64)))
		return -ENOSYS;
	return 0;
}

/* Returns true for an instruction that depends on the address, or that shows
 * the address to other code or to the kernel. */
static bool insn_stays(const ZydisDecodedInstruction *from)
{
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_COND_BR:
		return true;
	case ZYDIS_CATEGORY_RET:
		return from->mnemonic != ZYDIS_MNEMONIC_RET;
	default:
		break;
	}
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_ENDBR64:	/* indirect branches may lead to it */
	case ZYDIS_MNEMONIC_ENDBR32:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_XBEGIN:
		return true;
	default:
		return from->address_width != 64;
	}
}

/* Returns how an instruction extends a register's number, by the bit of the REX
 * prefix or by the inverted one of VEX; -1: by a prefix that is not known
 * here. */
static int number_extends(const ZydisDecodedInstruction *from, uint8_t rex,
			  uint8_t vex)
{
	switch (from->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		return rex;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		return !vex;
	default:
		return -1;
	}
}

#define RM_SIB		4	/* a byte with base and index follows */
#define RM_RBP		5
#define SIB_RSP		4	/* as a base */
#define SIB_NO_INDEX	4
#define SIB_NO_BASE	5	/* with mod 0 */

/* Tells of an operand in memory. Variables of the program, of the thread (fs)
 * and on the stack are mapped. */
static enum usdt_risk operand_faults(const ZydisDecodedInstruction *from)
{
	uint32_t mod = from->raw.modrm.mod;
	uint32_t rm = from->raw.modrm.rm;
	int base = number_extends(from, from->raw.rex.B, from->raw.vex.B);
	int index = number_extends(from, from->raw.rex.X, from->raw.vex.X);

	if (rm == RM_RBP && !mod)
		return USDT_SAFE;	/* relative to the next instruction */
	if (rm == RM_SIB && !index &&
	    from->raw.sib.index == SIB_NO_INDEX &&
	    from->raw.sib.base == SIB_NO_BASE && !mod)
		return from->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS ?
			       USDT_SAFE : USDT_UNSAFE;
	if (base || from->attributes & ZYDIS_ATTRIB_HAS_SEGMENT)
		return USDT_UNSAFE;
	if (rm == RM_RBP)
		return USDT_SAFE_IN_FRAME;
	return rm == RM_SIB && !index &&
			       from->raw.sib.index == SIB_NO_INDEX &&
			       from->raw.sib.base == SIB_RSP ?
		       USDT_SAFE : USDT_UNSAFE;
}

/* Pushes, pops and calls use the stack, and `leave` a frame that is on it. */
static enum usdt_risk insn_faults(const ZydisDecodedInstruction *from)
{
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_STRINGOP:
	case ZYDIS_CATEGORY_IOSTRINGOP:
		return USDT_UNSAFE;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
		return USDT_SAFE;
	default:
		break;
	}
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		return USDT_SAFE;
	case ZYDIS_MNEMONIC_XLAT:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		return USDT_UNSAFE;
	default:
		break;
	}
	/* an address of 64 bits in the instruction itself */
	if (from->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    from->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    (from->opcode & 0xfc) == 0xa0)
		return from->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS ?
			       USDT_SAFE : USDT_UNSAFE;
	return from->attributes & ZYDIS_ATTRIB_HAS_MODRM &&
			       from->raw.modrm.mod != 3 ?
		       operand_faults(from) : USDT_SAFE;
}

#define CALL_THROUGH	0xff	/* with CALL_NUMBER in the modrm byte */
#define CALL_NUMBER	2

/* Tells whether a call through a register or memory does the same once the
 * return address is on the stack: the operand does not have %rsp. */
static bool call_moves(const ZydisDecodedInstruction *from)
{
	uint32_t rm = from->raw.modrm.rm;
	int rex = !!(from->attributes & ZYDIS_ATTRIB_HAS_REX);

	return from->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	       from->opcode == CALL_THROUGH &&
	       from->raw.modrm.reg == CALL_NUMBER &&
	       from->address_width == 64 && from->raw.prefix_count == rex &&
	       (rm != RM_SIB || from->raw.rex.B ||
		(from->raw.modrm.mod != 3 && from->raw.sib.base != SIB_RSP));
}

bool usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		 uint64_t n, uint64_t address, struct usdt_decoded *to)
{
	decode_fn *decode = (decode_fn *)decoder->decode;
	ZydisDecodedInstruction from;
	uint64_t next;

	if (ZYAN_FAILED(decode((const ZydisDecoder *)decoder->state, NULL,
			       bytes, n < 15 ? n : 15, &from)))
		return false;
	__builtin_memset(to, 0, sizeof(*to));
	to->length = from.length;
	next = address + from.length;
	to->move = insn_stays(&from) ? USDT_STAYS : USDT_COPY;
	if (from.raw.imm[0].is_relative) {
		to->target = next + (uint64_t)from.raw.imm[0].value.s;
		to->leads = 1;
		to->code = from.opcode & 15;
		/* loop, jrcxz and xbegin stay */
		if (from.meta.category == ZYDIS_CATEGORY_CALL)
			to->move = USDT_CALL;
		else if (from.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			to->move = USDT_BRANCH;
		else if (from.meta.category == ZYDIS_CATEGORY_COND_BR &&
			 ((from.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
			   (from.opcode & 0xf0) == 0x70) ||
			  (from.opcode_map == ZYDIS_OPCODE_MAP_0F &&
			   (from.opcode & 0xf0) == 0x80)))
			to->move = USDT_CONDITION;
		/* processors disagree about some prefixes */
		if (from.raw.prefix_count)
			to->move = USDT_STAYS;
	} else if (from.attributes & ZYDIS_ATTRIB_IS_RELATIVE) {
		to->target = next + (uint64_t)from.raw.disp.value;
		to->field = from.raw.disp.offset;
		to->leads = from.mnemonic == ZYDIS_MNEMONIC_LEA;
		if (to->move == USDT_COPY)
			to->move = from.raw.disp.size == 32 ? USDT_DATA :
							      USDT_STAYS;
	}
	if (from.meta.category == ZYDIS_CATEGORY_CALL && !to->leads &&
	    call_moves(&from)) {
		to->move = USDT_CALL_THROUGH;
		to->code = from.raw.modrm.offset;
	}
	to->ends = from.meta.category == ZYDIS_CATEGORY_RET ||
		   from.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		   from.meta.category == ZYDIS_CATEGORY_CALL;
	to->through = from.meta.category == ZYDIS_CATEGORY_UNCOND_BR &&
		      !to->leads;
	to->faults = (uint8_t)insn_faults(&from);
	to->padding = from.mnemonic == ZYDIS_MNEMONIC_NOP ||
		      from.mnemonic == ZYDIS_MNEMONIC_INT3;
	return true;
}

#else

const char *usdt_decoder_file(void)
{
	return "";
}

int usdt_decoder_open(struct usdt_decoder *decoder)
{
	return -ENOSYS;
}

bool usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		 uint64_t n, uint64_t address, struct usdt_decoded *to)
{
	return false;
}

#endif
