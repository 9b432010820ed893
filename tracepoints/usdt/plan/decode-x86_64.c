/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes instructions of x86-64 as far as is needed to move them; see plan.h.
 *
 * What must stay true: an instruction is USDT_STAYS unless it is known to do
 * the same in another place.
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

/* Sets the members of a branch whose operand is relative to the next
 * instruction. Loop, jrcxz and xbegin stay. */
static void branch_set(struct usdt_decoded *to,
		       const ZydisDecodedInstruction *from)
{
	to->leads = 1;
	to->code = from->opcode & 15;
	if (from->meta.category == ZYDIS_CATEGORY_CALL)
		to->move = USDT_CALL;
	else if (from->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		to->move = USDT_BRANCH;
	else if (from->meta.category == ZYDIS_CATEGORY_COND_BR &&
		 ((from->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		   (from->opcode & 0xf0) == 0x70) ||
		  (from->opcode_map == ZYDIS_OPCODE_MAP_0F &&
		   (from->opcode & 0xf0) == 0x80)))
		to->move = USDT_CONDITION;
	/* processors disagree about some prefixes */
	if (from->raw.prefix_count)
		to->move = USDT_STAYS;
}

/* Returns 1 for an instruction that depends on its address, or that shows its
 * address to other code or to the kernel. */
static int stays(const ZydisDecodedInstruction *from)
{
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_COND_BR:
		return 1;
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
		return 1;
	default:
		return from->address_width != 64;
	}
}

int usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		uint64_t n, uint64_t address, struct usdt_decoded *to)
{
	decode_fn *decode = (decode_fn *)decoder->decode;
	ZydisDecodedInstruction from;
	uint64_t next;

	if (ZYAN_FAILED(decode((const ZydisDecoder *)decoder->state, NULL,
			       bytes, n < 15 ? n : 15, &from)))
		return 0;
	__builtin_memset(to, 0, sizeof(*to));
	to->length = from.length;
	next = address + from.length;
	to->move = stays(&from) ? USDT_STAYS : USDT_COPY;
	if (from.raw.imm[0].is_relative) {
		to->target = next + (uint64_t)from.raw.imm[0].value.s;
		branch_set(to, &from);
	} else if (from.attributes & ZYDIS_ATTRIB_IS_RELATIVE) {
		to->target = next + (uint64_t)from.raw.disp.value;
		to->field = from.raw.disp.offset;
		to->leads = from.mnemonic == ZYDIS_MNEMONIC_LEA;
		if (to->move == USDT_COPY)
			to->move = from.raw.disp.size == 32 ? USDT_DATA :
							      USDT_STAYS;
	}
	to->ends = from.meta.category == ZYDIS_CATEGORY_RET ||
		   from.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		   from.meta.category == ZYDIS_CATEGORY_CALL;
	to->through = from.meta.category == ZYDIS_CATEGORY_UNCOND_BR &&
		      !to->leads;
	to->padding = from.mnemonic == ZYDIS_MNEMONIC_NOP ||
		      from.mnemonic == ZYDIS_MNEMONIC_INT3;
	return 1;
}

#else

const char *usdt_decoder_file(void)
{
	return "";
}

int usdt_decoder_open(struct usdt_decoder *decoder)
{
	(void)decoder;
	return -ENOSYS;
}

int usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		uint64_t n, uint64_t address, struct usdt_decoded *to)
{
	(void)decoder;
	(void)bytes;
	(void)n;
	(void)address;
	(void)to;
	return 0;
}

#endif
