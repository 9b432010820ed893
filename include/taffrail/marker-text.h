/* SPDX-License-Identifier: MIT */
/*
 * Values that are recorded as text: UUIDs, addresses of networks and sockets,
 * integers of 128 bits. Everything here is private.
 *
 * A function writes the text of a value into a buffer, which has the number of
 * bytes that the macro TAFFRAIL_..._BYTES_ says, and returns the begin of it.
 * They make no call and change no errno, so a marker may stand in a signal
 * handler.
 */
#ifndef TAFFRAIL_MARKER_TEXT_H
#define TAFFRAIL_MARKER_TEXT_H

#include <taffrail/site.h>

#define TAFFRAIL_UUID_BYTES_	37
#define TAFFRAIL_IPV4_BYTES_	16
#define TAFFRAIL_IPV6_BYTES_	46
#define TAFFRAIL_SOCKADDR_BYTES_	112
#define TAFFRAIL_INT128_BYTES_	41

#define TAFFRAIL_WRITES_	TAFFRAIL_STATIC_ __inline__

#ifdef __cplusplus
extern "C" {
#endif

TAFFRAIL_WRITES_
char *taffrail_put_text_(char *to_, const char *text_)
{
	while (*text_)
		*to_++ = *text_++;
	*to_ = '\0';
	return to_;
}

/* Writes a number in base 10 or 16. Returns the end, where a NUL is. */
TAFFRAIL_WRITES_
char *taffrail_put_number_(char *to_, uint64_t value_, unsigned base_)
{
	char digits_[20];
	unsigned n_ = 0;

	do {
		digits_[n_++] = "0123456789abcdef"[value_ % base_];
		value_ /= base_;
	} while (value_);
	while (n_)
		*to_++ = digits_[--n_];
	*to_ = '\0';
	return to_;
}

TAFFRAIL_WRITES_
char *taffrail_uuid_text_(char *text_, const void *uuid_)
{
	const unsigned char *from_ = (const unsigned char *)uuid_;
	char *to_ = text_;
	int i_;

	if (!from_) {
		taffrail_put_text_(text_, "(null)");
		return text_;
	}
	for (i_ = 0; i_ < 16; i_++) {
		if (i_ == 4 || i_ == 6 || i_ == 8 || i_ == 10)
			*to_++ = '-';
		*to_++ = "0123456789abcdef"[from_[i_] >> 4];
		*to_++ = "0123456789abcdef"[from_[i_] & 15];
	}
	*to_ = '\0';
	return text_;
}

TAFFRAIL_WRITES_
char *taffrail_put_ipv4_(char *to_, const unsigned char *from_)
{
	int i_;

	for (i_ = 0; i_ < 4; i_++) {
		if (i_)
			*to_++ = '.';
		to_ = taffrail_put_number_(to_, from_[i_], 10);
	}
	return to_;
}

/* As inet_ntop() does: the first of the longest runs of zeros is "::", and an
 * IPv4 address behind 96 bits that say so has a special form. */
TAFFRAIL_WRITES_
char *taffrail_put_ipv6_(char *to_, const unsigned char *from_)
{
	unsigned groups_[8];
	int i_, run_ = 0, longest_ = 1, begin_ = -1, mapped_;

	for (i_ = 0; i_ < 8; i_++) {
		groups_[i_] = (unsigned)from_[2 * i_] << 8 | from_[2 * i_ + 1];
		run_ = groups_[i_] ? 0 : run_ + 1;
		if (run_ > longest_) {
			longest_ = run_;
			begin_ = i_ - run_ + 1;
		}
	}
	mapped_ = begin_ == 0 && (longest_ == 6 ||
				  (longest_ == 5 && groups_[5] == 0xffff));
	for (i_ = 0; i_ < (mapped_ ? 6 : 8); i_++) {
		if (i_ == begin_) {
			*to_++ = ':';
			*to_++ = ':';
			i_ += longest_ - 1;
			continue;
		}
		if (i_ && i_ != begin_ + (begin_ < 0 ? 9 : longest_))
			*to_++ = ':';
		to_ = taffrail_put_number_(to_, groups_[i_], 16);
	}
	if (mapped_) {
		if (longest_ == 5)
			*to_++ = ':';
		to_ = taffrail_put_ipv4_(to_, from_ + 12);
	}
	*to_ = '\0';
	return to_;
}

TAFFRAIL_WRITES_
char *taffrail_ipv4_text_(char *text_, const void *address_)
{
	if (address_)
		taffrail_put_ipv4_(text_, (const unsigned char *)address_);
	else
		taffrail_put_text_(text_, "(null)");
	return text_;
}

TAFFRAIL_WRITES_
char *taffrail_ipv6_text_(char *text_, const void *address_)
{
	if (address_)
		taffrail_put_ipv6_(text_, (const unsigned char *)address_);
	else
		taffrail_put_text_(text_, "(null)");
	return text_;
}

/* Writes a path, or @ and an abstract name up to the last byte that is no NUL:
 * a NUL within is an @, too. */
TAFFRAIL_WRITES_
void taffrail_put_path_(char *to_, const unsigned char *path_, uint64_t bytes_)
{
	uint64_t n_ = 0;

	if (bytes_ > 108)
		bytes_ = 108;
	if (bytes_ && path_[0])
		while (n_ < bytes_ && path_[n_])
			n_++;
	else
		for (n_ = bytes_; n_ && !path_[n_ - 1]; n_--)
			;
	for (bytes_ = n_; n_; n_--, path_++)
		*to_++ = *path_ ? (char)*path_ : '@';
	*to_ = '\0';
}

/*
 * An address of Linux: the family in the host's order, then of
 *	AF_INET (2)	a port at 2, the address at 4
 *	AF_INET6 (10)	a port at 2, the address at 8, a scope at 24
 *	AF_UNIX (1)	a path at 2
 */
TAFFRAIL_WRITES_
char *taffrail_sockaddr_text_(char *text_, const void *address_,
			      uint64_t bytes_)
{
	const unsigned char *from_ = (const unsigned char *)address_;
	char *to_ = text_;
	uint16_t family_ = 0;
	uint32_t scope_ = 0;

	if (from_ && bytes_ >= sizeof(family_))
		__builtin_memcpy(&family_, from_, sizeof(family_));
	if (!from_) {
		taffrail_put_text_(text_, "(null)");
	} else if (family_ == 2 && bytes_ >= 8) {
		to_ = taffrail_put_ipv4_(to_, from_ + 4);
	} else if (family_ == 10 && bytes_ >= 24) {
		*to_++ = '[';
		to_ = taffrail_put_ipv6_(to_, from_ + 8);
		if (bytes_ >= 28)
			__builtin_memcpy(&scope_, from_ + 24, sizeof(scope_));
		if (scope_) {
			*to_++ = '%';
			to_ = taffrail_put_number_(to_, scope_, 10);
		}
		*to_++ = ']';
	} else if (family_ == 1) {
		taffrail_put_path_(text_, from_ + 2, bytes_ - 2);
	} else {
		to_ = taffrail_put_text_(text_, "family ");
		taffrail_put_number_(to_, family_, 10);
		to_ = text_;
	}
	if (to_ != text_) {
		*to_++ = ':';
		taffrail_put_number_(to_, (uint64_t)from_[2] << 8 | from_[3],
				     10);
	}
	return text_;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 taffrail_u128_;

/* In base 10. */
TAFFRAIL_WRITES_
char *taffrail_int128_text_(char *text_, taffrail_u128_ value_, int signed_)
{
	char *to_ = text_ + TAFFRAIL_INT128_BYTES_ - 1;
	uint64_t high_, low_, part_;
	int negative_ = signed_ && value_ >> 127;

	if (negative_)
		value_ = -value_;
	high_ = (uint64_t)(value_ >> 64);
	low_ = (uint64_t)value_;
	*to_ = '\0';
	/* by 32 bits: a division of 128 bits would be a call */
	do {
		part_ = high_ % 10 << 32 | low_ >> 32;
		high_ /= 10;
		low_ = part_ / 10 << 32 |
		       ((part_ % 10 << 32 | (low_ & 0xffffffff)) / 10);
		part_ = (uint64_t)(value_ - ((taffrail_u128_)high_ << 64 |
					     low_) * 10);
		value_ = (taffrail_u128_)high_ << 64 | low_;
		*--to_ = (char)('0' + part_);
	} while (value_);
	if (negative_)
		*--to_ = '-';
	return to_;
}
#endif

/* The length of a string, which ends after `most` characters or at the NUL. */
TAFFRAIL_WRITES_
uint64_t taffrail_length_(const void **string_, uint64_t most_)
{
	const char *p_ = (const char *)*string_;
	uint64_t n_ = 0;

	if (!p_) {
		*string_ = "(null)";
		return 6;
	}
	while (n_ < most_ && p_[n_])
		n_++;
	return n_;
}

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
/* The buffer lives as long as the block of the marker's hit. */
#define TAFFRAIL_WRITTEN_(p, bytes, function, ...)			\
	((TAFFRAIL_AT_POINTER_(p, struct taffrail_str_)){		\
		function((char [bytes]){ 0 }, __VA_ARGS__) })
#define TAFFRAIL_MAKE_UUID_(p)						\
	TAFFRAIL_WRITTEN_(p, TAFFRAIL_UUID_BYTES_,			\
			  taffrail_uuid_text_, TAFFRAIL_ADDRESS_(p))
#define TAFFRAIL_MAKE_IPV4_(p)						\
	TAFFRAIL_WRITTEN_(p, TAFFRAIL_IPV4_BYTES_,			\
			  taffrail_ipv4_text_, TAFFRAIL_ADDRESS_(p))
#define TAFFRAIL_MAKE_IPV6_(p)						\
	TAFFRAIL_WRITTEN_(p, TAFFRAIL_IPV6_BYTES_,			\
			  taffrail_ipv6_text_, TAFFRAIL_ADDRESS_(p))
#define TAFFRAIL_MAKE_SOCKADDR_(p, n)					\
	TAFFRAIL_WRITTEN_(p, TAFFRAIL_SOCKADDR_BYTES_,			\
			  taffrail_sockaddr_text_, TAFFRAIL_ADDRESS_(p), \
			  (uint64_t)(n))
#define TAFFRAIL_MAKE_INT128_(e)					\
	((struct taffrail_str_){ taffrail_int128_text_(			\
		(char [TAFFRAIL_INT128_BYTES_]){ 0 }, (taffrail_u128_)(e), \
		(__typeof__((e) + 0))-1 < (__typeof__((e) + 0))1) })
#endif

#endif
