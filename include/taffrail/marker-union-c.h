/* SPDX-License-Identifier: MIT */
/*
 * Unions by tag in C: TAFFRAIL_UNION. Everything here is private.
 *
 * The argument is a list as those of marker-shown-c.h:
 *
 *	(, "taffrail:" "e", e, 2, which, ((A, x), (B, y)), )
 *
 * It is one argument and two fields, "e.tag" and "e.value": the number of the
 * option, and the bytes. The value is a copy of the union, beside the tag's
 * value; the kind is TAFFRAIL_UNION_KIND_, which no agent sees. Behind the
 * texts, struct taffrail_shown says the names and types of the options; the
 * last one, "none", is there for a tag that has another value.
 */
#ifndef TAFFRAIL_MARKER_UNION_C_H
#define TAFFRAIL_MARKER_UNION_C_H

#include <taffrail/marker-group-c.h>
#include <taffrail/marker-narrow.h>
#include <taffrail/marker-text.h>

#define TAFFRAIL_UNION_KIND_	14

/* The parts of an option; a compiler names the second where it is none. */
#define TAFFRAIL_OPTION_LABEL_(label, ...)	label
#define TAFFRAIL_OPTIONS_ARE_PAIRS_IN_PARENTHESES_(label, member)	member
#define TAFFRAIL_OPTIONS_(m, a, options)				\
	TAFFRAIL_OF_(m, a, TAFFRAIL_LIST_ options)
#define TAFFRAIL_OPTION_COUNT_(options)					\
	(TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ options))

/* The value. */
#define TAFFRAIL_PLAINHOW2_(e, which, options, ...)			\
	__extension__ ({						\
		TAFFRAIL_NODEBUG_ __auto_type taffrail_g_ = ((void)0, (e)); \
		TAFFRAIL_NODEBUG_ struct {				\
			__typeof__(taffrail_g_) union_;			\
			int64_t tag_;					\
		} taffrail_m_ = { taffrail_g_, (int64_t)(which) };	\
		taffrail_m_; })

/* The type of an option; 0: no array but of characters can be one. */
#define TAFFRAIL_OPTION_KIND_(e, x)					\
	TAFFRAIL_OPTION_KIND_AT_(((void)0, (e)),			\
		TAFFRAIL_OPTIONS_ARE_PAIRS_IN_PARENTHESES_ x)
#define TAFFRAIL_OPTION_KIND_AT_(e, ...)				\
	TAFFRAIL_OPTION_KIND_OF_(TAFFRAIL_TYPE_OF_((e.__VA_ARGS__)),	\
				 e.__VA_ARGS__)
#define TAFFRAIL_OPTION_KIND_OF_(T, m)					\
	(TAFFRAIL_KIND_OF_(T) * (TAFFRAIL_KIND_OF_(T) == 16 ||		\
	 __builtin_types_compatible_p(__typeof__(m),			\
				      __typeof__(((void)0, m)))))
#define TAFFRAIL_KINDED2_(i, e, which, options, ...)			\
	char taffrail_k##i##_[1 + TAFFRAIL_UNION_KIND_ *		\
		(1 __VA_OPT__(- 1) TAFFRAIL_OPTIONS_(			\
			TAFFRAIL_OPTION_CHECK_, e, options))];
#define TAFFRAIL_OPTION_CHECK_(k, e, x)					\
	&& (TAFFRAIL_OPTION_KIND_(e, x)) - 1u < TAFFRAIL_T_STRING

#define TAFFRAIL_ITEMED2_(i, e, which, options, ...)			\
	TAFFRAIL_T_U32, TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8,
#define TAFFRAIL_COUNTS2_(i, e, which, options, ...) char taffrail_i##i##_[2];
#define TAFFRAIL_VARIES2_(i, e, which, options, ...) char taffrail_n##i##_[1];
#define TAFFRAIL_LAYS2_(i, e, which, options, ...)			\
	char taffrail_o##i##_[sizeof(taffrail_s##i##_) * 0 + 4];
#define TAFFRAIL_NAMING2_(i, e, which, options, ...)			\
	"\1" #i ":tag, value\2"

/* The record of the two fields. */
#define TAFFRAIL_SAIDHOW2_(i, options)					\
	struct __attribute__((__packed__)) {				\
		struct taffrail_shown head_;				\
		int64_t values_[TAFFRAIL_OPTION_COUNT_(options) + 1];	\
		char names_[sizeof(TAFFRAIL_OPTION_NAMES_(options))];	\
	} taffrail_h##i##_[2];
#define TAFFRAIL_SAYINGHOW2_(i, e, which, options)			\
	.taffrail_h##i##_ = {						\
		{ { TAFFRAIL_NUMBER_OF_(i), TAFFRAIL_HOW_ENUM,		\
		    TAFFRAIL_OPTION_COUNT_(options) + 1,		\
		    TAFFRAIL_OPTION_BYTES_(options) },			\
		  { TAFFRAIL_OPTIONS_(TAFFRAIL_OPTION_INDEX_,		\
				TAFFRAIL_OPTION_COUNT_(options), options) \
		    TAFFRAIL_OPTION_COUNT_(options) },			\
		  TAFFRAIL_OPTION_NAMES_(options) },			\
		{ { TAFFRAIL_NUMBER_OF_(i) + 1, TAFFRAIL_HOW_VARIANT,	\
		    TAFFRAIL_OPTION_COUNT_(options) + 1,		\
		    TAFFRAIL_OPTION_BYTES_(options) },			\
		  { TAFFRAIL_OPTIONS_(TAFFRAIL_OPTION_TYPE_, e, options) 0 }, \
		  TAFFRAIL_OPTION_NAMES_(options) } },
#define TAFFRAIL_OPTION_NAMES_(options)					\
	TAFFRAIL_OPTIONS_(TAFFRAIL_OPTION_NAME_, 0, options) "none"
#define TAFFRAIL_OPTION_NAME_(k, a, x)					\
	TAFFRAIL_TEXT_OF_(TAFFRAIL_OPTION_LABEL_ x) ", "
#define TAFFRAIL_OPTION_BYTES_(options)					\
	(8 * TAFFRAIL_OPTION_COUNT_(options) + 8 +			\
	 sizeof(TAFFRAIL_OPTION_NAMES_(options)))
#define TAFFRAIL_OPTION_INDEX_(k, n, x)		(n) - k,
#define TAFFRAIL_OPTION_TYPE_(k, e, x)		TAFFRAIL_OPTION_KIND_(e, x),

/* Where it is on. */
#define TAFFRAIL_PACKS2_(i, e, which, options, ...) {			\
	TAFFRAIL_NODEBUG_ uint32_t taffrail_y_ =			\
		TAFFRAIL_OPTION_COUNT_(options);			\
	TAFFRAIL_NODEBUG_ const void *taffrail_p_ = "";			\
	TAFFRAIL_NODEBUG_ uint64_t taffrail_z_ = 0;			\
	TAFFRAIL_OPTIONS_(TAFFRAIL_OPTION_PACK_, i, options)		\
	{ }								\
	TAFFRAIL_PACK_AT_(TAFFRAIL_O_(i), taffrail_y_)			\
	taffrail_next_->p_ = taffrail_p_;				\
	taffrail_next_++->n_ = taffrail_z_; }
#define TAFFRAIL_OPTION_PACK_(k, i, x)					\
	if (taffrail_v##i##_.tag_ ==					\
	    (int64_t)(TAFFRAIL_OPTION_LABEL_ x)) {			\
		taffrail_y_ -= k;					\
		TAFFRAIL_OPTION_PACK_AT_(taffrail_v##i##_.union_,	\
			TAFFRAIL_OPTIONS_ARE_PAIRS_IN_PARENTHESES_ x)	\
	} else
#define TAFFRAIL_OPTION_PACK_AT_(u, ...)				\
	TAFFRAIL_OPTION_PACK_OF_(u.__VA_ARGS__)
#define TAFFRAIL_OPTION_PACK_OF_(m)					\
	if (TAFFRAIL_KIND_OF_(TAFFRAIL_TYPE_OF_(m)) == 16) {		\
		taffrail_p_ = TAFFRAIL_ADDRESS_(m);			\
		taffrail_z_ = taffrail_length_(&taffrail_p_,		\
			__builtin_object_size(TAFFRAIL_ADDRESS_(m), 1)); \
	} else {							\
		taffrail_p_ = &m;					\
		taffrail_z_ = sizeof(m);				\
	}

#endif
