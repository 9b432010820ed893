/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data in the format .xz (xz file format 1.1.0, LZMA2), as files have small
 * tables of symbols in it.
 *
 * Pure functions without libc, for bytes of unknown origin. Checksums are not
 * looked at: damaged data gives other bytes, never an access elsewhere.
 */
#ifndef TRACEPOINTS_XZ_XZ_H
#define TRACEPOINTS_XZ_XZ_H

#include <stdint.h>

/* Working memory of xz_decode(), 32 KB; need not be initialised. */
struct xz {
	const uint8_t *in, *in_end;
	uint8_t *out;
	uint64_t used, room;
	uint64_t start;			/* of the dictionary in `out` */
	uint32_t range, code;
	uint32_t lc, pb_mask, lp_mask;
	uint32_t state;
	uint32_t reps[4];		/* distances less 1 */
	uint32_t failed;
	uint16_t match[12][16], rep[12], rep_0[12], rep_1[12], rep_2[12];
	uint16_t rep_0_long[12][16];
	uint16_t slots[4][64], special[128], align[16];
	uint16_t lengths[2][2 + 16 * 8 + 16 * 8 + 256];
	uint16_t literals[16 * 0x300];
};

/* Returns how many bytes a stream holds; 0: it is damaged. */
uint64_t xz_bytes(const uint8_t *p, uint64_t n);

/* Decodes a stream into xz_bytes() of memory. Returns 0, or -EBADMSG: it is
 * damaged, or has a filter other than LZMA2. */
int xz_decode(struct xz *xz, const uint8_t *p, uint64_t n, uint8_t *out,
	      uint64_t room);

#endif
