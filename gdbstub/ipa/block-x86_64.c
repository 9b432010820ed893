/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdbserver's block of registers on x86-64, made of the area that XSAVE, XSAVEC
 * or FXSAVE has written. Read from gdb/features/i386/64bit-*.xml and
 * gdbserver/i387-fp.cc of GDB 13.1; 16.3 and 18.1 have the same order.
 *
 *	0	rax ... r15, rip	8 each
 *	136	eflags cs ss ds es fs gs
 *	164	st0 to st7		10 each
 *	244	fctrl fstat ftag fiseg fioff foseg fooff fop
 *	276	xmm0 to xmm15, mxcsr
 *	536	orig_rax fs_base gs_base
 *	560	ymm0h to ymm15h		with AVX
 *		bounds			13 with MPX
 *		xmm16 to xmm31, ymm16h to ymm31h, k0 to k7, zmm0h to zmm31h
 *		pkru
 *		pl3_ssp			17 and later, with shadow stacks
 *
 * Invariant: a component that XSAVEC has left out is in the initial state,
 * which gdb is told; all bits are 0, except in x87 and mxcsr.
 */
#include "gdbstub/ipa/ipa.h"

#include <sys/auxv.h>

#include "base/base.h"
#include "control/threads/vectors.h"
#include "gdbstub/ipa/abi.h"
#include "tracepoints/frames/builder.h"

#ifndef AT_HWCAP2
#define AT_HWCAP2		26
#endif
#define HWCAP2_FSGSBASE (1u << 1)

/* Components of the state, by their number. */
enum {
	X87, SSE, AVX, BOUNDS, BOUNDS_STATE, MASKS, ZMM_HIGH, ZMM_MORE,
	PKRU = 9,
};

/* In the area. */
#define AREA_X87		32u		/* 16 bytes each */
#define AREA_MXCSR		24u
#define AREA_XMM		160u
#define AREA_HEADER		512u

#define CONTROL_INITIAL		0x37fu
#define TAGS_INITIAL	0xffffu
#define MXCSR_INITIAL	0x1f80u

#define BOUNDS_BYTES		80u
#define MORE_BYTES		1600u		/* of AVX-512 */

static int reads_gs_base;

void ipa_block_setup(void)
{
	reads_gs_base = !!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE);
}

/* Release 13 numbers the descriptions. Release 16 has a bit for each feature,
 * so the smallest description is 24. Release 17 has one more bit below those,
 * for shadow stacks. Releases before 16 know MPX. */
static bool is_smallest(uint32_t description)
{
	return description == 1 || description == 24 || description == 48;
}

/* Returns true when the processor and the kernel keep one of the components. */
static bool state_has(uint32_t components)
{
	return !!(vectors_state & components);
}

/* Returns true when the block has the registers of MPX. */
static bool has_bounds(uint32_t description)
{
	return state_has(1u << BOUNDS | 1u << BOUNDS_STATE) && description <= 6;
}

uint32_t ipa_block_bytes(uint32_t description)
{
	uint32_t bytes = IPA_BLOCK_BASE_BYTES;

	if (is_smallest(description))
		return bytes;
	if (description > 48 && description & 1)
		bytes += 8;
	if (state_has(1u << AVX))
		bytes += 256;
	if (has_bounds(description))
		bytes += BOUNDS_BYTES;
	if (state_has(1u << MASKS | 1u << ZMM_HIGH | 1u << ZMM_MORE))
		bytes += MORE_BYTES;
	if (state_has(1u << PKRU))
		bytes += 4;
	return bytes;
}

/* The block, being filled. */
struct filling {
	uint8_t *to;
	uint8_t *end;
	const uint8_t *area;
	uint64_t present; /* components that the area has */
};

/* Adds bytes to the block; bytes that no longer fit are left out. */
static void block_put(struct filling *f, const void *bytes, uint32_t n)
{
	if ((uint64_t)(f->end - f->to) < n)
		return;
	builder_copy(f->to, bytes, n);
	f->to += n;
}

static void put_u32(struct filling *f, uint32_t value)
{
	block_put(f, &value, sizeof(value));
}

static void put_u64(struct filling *f, uint64_t value)
{
	block_put(f, &value, sizeof(value));
}

/* Leaves n bytes as they are: the block was zero at first. */
static void block_skip(struct filling *f, uint32_t n)
{
	f->to += min_u64(n, (uint64_t)(f->end - f->to));
}

static uint32_t area_u16(const struct filling *f, uint32_t at)
{
	uint16_t value;

	__builtin_memcpy(&value, f->area + at, sizeof(value));
	return value;
}

static uint32_t area_u32(const struct filling *f, uint32_t at)
{
	uint32_t value;

	__builtin_memcpy(&value, f->area + at, sizeof(value));
	return value;
}

/* Returns true when the area holds the component. */
static bool is_there(const struct filling *f, uint32_t component)
{
	return !!(f->present & 1ull << component);
}

/* Puts the segment registers of the thread that runs this. */
static void segments_put(struct filling *f)
{
	uint32_t cs, ss, ds, es, fs, gs;

	__asm__("movl %%cs, %0" : "=r"(cs));
	__asm__("movl %%ss, %0" : "=r"(ss));
	__asm__("movl %%ds, %0" : "=r"(ds));
	__asm__("movl %%es, %0" : "=r"(es));
	__asm__("movl %%fs, %0" : "=r"(fs));
	__asm__("movl %%gs, %0" : "=r"(gs));
	put_u32(f, cs);
	put_u32(f, ss);
	put_u32(f, ds);
	put_u32(f, es);
	put_u32(f, fs);
	put_u32(f, gs);
}

/* Before Linux 5.9 only a system call tells it, which the program may not be
 * allowed to make. */
static uint64_t gs_base(void)
{
	uint64_t base = 0;

	if (reads_gs_base)
		/* rdgsbase %rax, which old assemblers do not know */
		__asm__(".byte 0xf3, 0x48, 0x0f, 0xae, 0xc8" : "=a"(base));
	return base;
}

static uint32_t pkru_read(void)
{
	uint32_t value, high;

	__asm__(".byte 0x0f, 0x01, 0xee" : "=a"(value), "=d"(high) : "c"(0));
	return value;
}

/* Returns the tag of an x87 register: 0 a number, 1 zero, 2 special. */
static uint32_t register_tag(const uint8_t *st)
{
	uint64_t fraction;
	uint16_t exponent;

	__builtin_memcpy(&fraction, st, sizeof(fraction));
	__builtin_memcpy(&exponent, st + 8, sizeof(exponent));
	exponent &= 0x7fff;
	if (exponent == 0x7fff)
		return 2;
	if (!exponent)
		return fraction ? 2 : 1;
	return fraction >> 63 ? 0 : 2;
}

/* The area has a bit for each physical register, and the registers in the order
 * of the stack; gdb has two bits for each physical register. */
static uint32_t tags_make(const struct filling *f)
{
	uint32_t top = area_u16(f, 2) >> 11 & 7;
	uint32_t full = 0;

	for (uint32_t i = 0; i < 8; i++) {
		uint32_t tag = 3;

		if (f->area[4] & 1u << i)
			tag = register_tag(f->area + AREA_X87 +
					   (i + 8 - top) % 8 * 16);
		full |= tag << 2 * i;
	}
	return full;
}

/* Puts the registers of x87, or the initial ones. */
static void x87_put(struct filling *f)
{
	if (!is_there(f, X87)) {
		block_skip(f, 8 * 10);
		put_u32(f, CONTROL_INITIAL);
		put_u32(f, 0);
		put_u32(f, TAGS_INITIAL);
		block_skip(f, 5 * 4);
		return;
	}
	for (uint32_t i = 0; i < 8; i++)
		block_put(f, f->area + AREA_X87 + 16 * i, 10);
	put_u32(f, area_u16(f, 0));
	put_u32(f, area_u16(f, 2));
	put_u32(f, tags_make(f));
	put_u32(f, area_u16(f, 12)); /* fiseg, fioff */
	put_u32(f, area_u32(f, 8));
	put_u32(f, area_u16(f, 20)); /* foseg, fooff */
	put_u32(f, area_u32(f, 16));
	put_u32(f, area_u16(f, 6) & 0x7ff); /* fop */
}

/* Puts xmm0 to xmm15 and mxcsr, or the initial ones. */
static void sse_put(struct filling *f)
{
	if (!is_there(f, SSE)) {
		block_skip(f, 16 * 16);
		put_u32(f, MXCSR_INITIAL);
		return;
	}
	block_put(f, f->area + AREA_XMM, 16 * 16);
	put_u32(f, area_u32(f, AREA_MXCSR));
}

/* Adds `n` pieces of a component, `step` bytes apart. */
static void pieces_put(struct filling *f, uint32_t component, uint32_t start,
		       uint32_t step, uint32_t n, uint32_t bytes)
{
	uint32_t at = vectors_offsets[component] + start;

	if (!is_there(f, component) || !vectors_offsets[component]) {
		block_skip(f, n * bytes);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		block_put(f, f->area + at + i * step, bytes);
}

/* Puts the registers of AVX-512 in the order of the description. */
static void more_put(struct filling *f)
{
	pieces_put(f, ZMM_MORE, 0, 64, 16, 16);	 /* xmm16 to xmm31 */
	pieces_put(f, ZMM_MORE, 16, 64, 16, 16); /* ymm16h to ymm31h */
	pieces_put(f, MASKS, 0, 8, 8, 8);
	pieces_put(f, ZMM_HIGH, 0, 32, 16, 32); /* zmm0h to zmm15h */
	pieces_put(f, ZMM_MORE, 32, 64, 16, 32);
}

/* Returns the components that XSAVEC wrote. Without XSAVEC the area has all of
 * them. */
static uint64_t present_in(const uint8_t *area)
{
	uint64_t present;

	if (!vectors_mask || !vectors_compact)
		return ~0ull;
	__builtin_memcpy(&present, area + AREA_HEADER, sizeof(present));
	return present;
}

SIGSAFE void ipa_block_fill(uint8_t *block, uint32_t description,
			    const struct ipa_state *state)
{
	uint32_t bytes = ipa_block_bytes(description);
	struct filling f = { block, block + bytes, state->vectors,
			     present_in(state->vectors) };

	__builtin_memset(block, 0, bytes);
	block_put(&f, state->general, 16 * 8);
	put_u64(&f, state->address);
	put_u32(&f, (uint32_t)state->flags);
	segments_put(&f);
	x87_put(&f);
	sse_put(&f);
	put_u64(&f, ~0ull); /* orig_rax: in no call */
	put_u64(&f, (uint64_t)__builtin_thread_pointer());
	put_u64(&f, gs_base());
	if (is_smallest(description))
		return;
	if (state_has(1u << AVX))
		pieces_put(&f, AVX, 0, 16, 16, 16);
	if (has_bounds(description))
		block_skip(&f, BOUNDS_BYTES); /* calls have put them back */
	if (state_has(1u << MASKS | 1u << ZMM_HIGH | 1u << ZMM_MORE))
		more_put(&f);
	if (state_has(1u << PKRU))
		put_u32(&f, pkru_read());
}
