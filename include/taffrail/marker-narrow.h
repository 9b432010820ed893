/* SPDX-License-Identifier: MIT */
/*
 * A long double is recorded as a double. Everything here is private.
 *
 * Invariant: the marker raises no floating-point exception, and sets
 * no flag, which the machine's own conversion does. So the double is made from
 * the bits, rounded to nearest, where a long double has the format of x87.
 *
 * Facts: IEEE 754 binary64; Intel SDM volume 1, 4.2.2: 64 bits of mantissa with
 * the leading one, 15 of exponent, the sign.
 */
#ifndef TAFFRAIL_MARKER_NARROW_H
#define TAFFRAIL_MARKER_NARROW_H

#include <taffrail/site.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bits of the nearest double, without the sign. */
TAFFRAIL_STATIC_ __inline__
uint64_t taffrail_narrow_bits_(uint64_t mantissa_, unsigned exponent_)
{
	const uint64_t infinity_ = (uint64_t)0x7ff << 52;
	int biased_ = (int)exponent_ - 16383 + 1023;
	int drop_ = biased_ > 0 ? 11 : 12 - biased_;
	uint64_t kept_, rest_, half_;

	if (exponent_ == 0x7fff)
		return infinity_ | (mantissa_ << 1 ? (uint64_t)1 << 51 |
			(mantissa_ << 1 >> 12) : 0);
	if (biased_ >= 0x7ff)
		return infinity_;
	if (drop_ > 64)
		return 0;
	kept_ = drop_ > 63 ? 0 : mantissa_ >> drop_;
	rest_ = drop_ > 63 ? mantissa_ :
		mantissa_ & (((uint64_t)1 << drop_) - 1);
	half_ = (uint64_t)1 << (drop_ - 1);
	/* the highest bit of a normal number adds 1 to the exponent */
	if (biased_ > 0)
		kept_ += (uint64_t)(biased_ - 1) << 52;
	return kept_ + (rest_ > half_ || (rest_ == half_ && (kept_ & 1)));
}

TAFFRAIL_STATIC_ __inline__
double taffrail_narrow_(long double number_)
{
#if __LDBL_MANT_DIG__ == 64
	uint64_t mantissa_;
	uint16_t top_;
	uint64_t bits_;
	double narrow_;

	__builtin_memcpy(&mantissa_, &number_, 8);
	__builtin_memcpy(&top_, (const char *)&number_ + 8, 2);
	bits_ = taffrail_narrow_bits_(mantissa_, top_ & 0x7fffu) |
		(uint64_t)(top_ >> 15) << 63;
	__builtin_memcpy(&narrow_, &bits_, 8);
	return narrow_;
#else
	return (double)number_;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
