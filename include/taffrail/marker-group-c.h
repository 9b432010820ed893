/* SPDX-License-Identifier: MIT */
/*
 * Structures in C: TAFFRAIL_STRUCT. Everything here is private.
 *
 * The argument is a list as those of marker-shown-c.h, but says no "how":
 *
 *	(, "taffrail:" "e", e, , , (x, y), )
 *
 * It is one argument, and a field for each member. Its kind is
 * TAFFRAIL_GROUP_KIND_, which no agent sees. In front of a marker's text stand
 * the members of each group: "\1" I ":x, y\2", I counted from the right.
 */
#ifndef TAFFRAIL_MARKER_GROUP_C_H
#define TAFFRAIL_MARKER_GROUP_C_H

#define TAFFRAIL_GROUP_KIND_	15

/* m(K, a, member) for each member. */
#define TAFFRAIL_OF_(m, a, ...)						\
	TAFFRAIL_OFN_(TAFFRAIL_COUNT_(0, __VA_ARGS__))(m, a, __VA_ARGS__, )
#define TAFFRAIL_OFN_(n)	TAFFRAIL_JOIN_(TAFFRAIL_OF, n)
#define TAFFRAIL_OF17_(m, a, ...)
#define TAFFRAIL_OF0_(m, a, ...)
#define TAFFRAIL_OF1_(m, a, x, ...)	m(1, a, x)
#define TAFFRAIL_OF2_(m, a, x, ...)					\
	m(2, a, x) TAFFRAIL_OF1_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF3_(m, a, x, ...)					\
	m(3, a, x) TAFFRAIL_OF2_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF4_(m, a, x, ...)					\
	m(4, a, x) TAFFRAIL_OF3_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF5_(m, a, x, ...)					\
	m(5, a, x) TAFFRAIL_OF4_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF6_(m, a, x, ...)					\
	m(6, a, x) TAFFRAIL_OF5_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF7_(m, a, x, ...)					\
	m(7, a, x) TAFFRAIL_OF6_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF8_(m, a, x, ...)					\
	m(8, a, x) TAFFRAIL_OF7_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF9_(m, a, x, ...)					\
	m(9, a, x) TAFFRAIL_OF8_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF10_(m, a, x, ...)				\
	m(10, a, x) TAFFRAIL_OF9_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF11_(m, a, x, ...)				\
	m(11, a, x) TAFFRAIL_OF10_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF12_(m, a, x, ...)				\
	m(12, a, x) TAFFRAIL_OF11_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF13_(m, a, x, ...)				\
	m(13, a, x) TAFFRAIL_OF12_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF14_(m, a, x, ...)				\
	m(14, a, x) TAFFRAIL_OF13_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF15_(m, a, x, ...)				\
	m(15, a, x) TAFFRAIL_OF14_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF16_(m, a, x, ...)				\
	m(16, a, x) TAFFRAIL_OF15_(m, a, __VA_ARGS__)

/* The value: the structure itself, so what its arrays hold lives as long. */
#define TAFFRAIL_PLAINHOW_(e, how, names, ...)	(e)
#define TAFFRAIL_MEMBER_TYPE_(e, x)					\
	TAFFRAIL_TYPE_OF_((((void)0, (e)).x))
#define TAFFRAIL_MEMBER_KIND_(e, x)					\
	TAFFRAIL_KIND_OF_(TAFFRAIL_MEMBER_TYPE_(e, x))

/* Its kind, if its members are numbers and strings and nothing is behind it. */
#define TAFFRAIL_KINDED1_(i, x, ...)	TAFFRAIL_KIND_(i, x)
#define TAFFRAIL_KINDED_(i, e, how, names, ...)				\
	char taffrail_k##i##_[1 + TAFFRAIL_GROUP_KIND_ *		\
		(1 __VA_OPT__(- 1) TAFFRAIL_OF_(TAFFRAIL_MEMBER_CHECK_, e, \
						TAFFRAIL_LIST_ names))];
#define TAFFRAIL_MEMBER_CHECK_(k, e, x)					\
	&& (TAFFRAIL_MEMBER_KIND_(e, x)) - 1u < TAFFRAIL_T_STRING

/* The kinds of the fields, and their number. A string is a text: an array need
 * not have a NUL. */
#define TAFFRAIL_ITEMED1_(i, x, ...)	TAFFRAIL_K_(i),
#define TAFFRAIL_ITEMED_(i, e, how, names, ...)				\
	TAFFRAIL_OF_(TAFFRAIL_MEMBER_ITEM_, e, TAFFRAIL_LIST_ names)
#define TAFFRAIL_MEMBER_ITEM_(k, e, x)					\
	_Generic(*(TAFFRAIL_MEMBER_TYPE_(e, x) *)0,			\
		const char *: TAFFRAIL_T_TEXT,				\
		default: TAFFRAIL_MEMBER_KIND_(e, x)),
#define TAFFRAIL_COUNTS1_(i, x, ...)	char taffrail_i##i##_[1];
#define TAFFRAIL_COUNTS_(i, e, how, names, ...)				\
	char taffrail_i##i##_[TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ names)];

/* How many are of variable length, and the bytes of the others. */
#define TAFFRAIL_VARIES1_(i, x, ...)					\
	char taffrail_n##i##_[TAFFRAIL_IS_VAR_(TAFFRAIL_K_(i))];
#define TAFFRAIL_VARIES_(i, e, how, names, ...)				\
	char taffrail_n##i##_[0 TAFFRAIL_OF_(TAFFRAIL_MEMBER_VARIES_, e, \
					     TAFFRAIL_LIST_ names)];
#define TAFFRAIL_MEMBER_VARIES_(k, e, x)				\
	+ TAFFRAIL_IS_VAR_(TAFFRAIL_MEMBER_KIND_(e, x))
#define TAFFRAIL_LAYS1_(i, x, ...)					\
	char taffrail_o##i##_[TAFFRAIL_IS_VAR_(TAFFRAIL_K_(i)) ? 0 :	\
		sizeof(taffrail_s##i##_)];
#define TAFFRAIL_LAYS_(i, e, how, names, ...)				\
	char taffrail_o##i##_[0 * sizeof(taffrail_s##i##_)		\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_BYTES_, e,			\
			     TAFFRAIL_LIST_ names)];
#define TAFFRAIL_MEMBER_BYTES_(k, e, x)					\
	+ _Generic(*(TAFFRAIL_MEMBER_TYPE_(e, x) *)0, const char *: 0,	\
		   default: sizeof(TAFFRAIL_MEMBER_TYPE_(e, x)))

#define TAFFRAIL_NAMING1_(i, x, ...)
#define TAFFRAIL_NAMING_(i, e, how, names, ...)				\
	"\1" #i ":" TAFFRAIL_TEXT_ names "\2"

/* Where it is on. The compiler knows the size of an array, and of no string. */
#define TAFFRAIL_PACKS1_(i, x, ...)	TAFFRAIL_PACK_(i, x)
#define TAFFRAIL_PACKS_(i, e, how, names, ...) {			\
	TAFFRAIL_NODEBUG_ size_t taffrail_at_ = TAFFRAIL_O_(i);		\
	TAFFRAIL_OF_(TAFFRAIL_MEMBER_PACK_, i, TAFFRAIL_LIST_ names)	\
	(void)taffrail_at_; }
#define TAFFRAIL_MEMBER_PACK_(k, i, x) {				\
	TAFFRAIL_NODEBUG_ TAFFRAIL_TYPE_OF_((taffrail_v##i##_).x)	\
		taffrail_y_ = (taffrail_v##i##_).x;			\
	if (TAFFRAIL_KIND_OF_(__typeof__(taffrail_y_)) == 16) {		\
		const void *taffrail_p_ =				\
			TAFFRAIL_ADDRESS_((taffrail_v##i##_).x);	\
		taffrail_next_->p_ = taffrail_p_ ? taffrail_p_ : "(null)"; \
		taffrail_next_++->n_ = taffrail_p_ ?			\
			__builtin_object_size(TAFFRAIL_ADDRESS_(	\
				(taffrail_v##i##_).x), 1) :		\
			TAFFRAIL_VAR_NULL;				\
	} else {							\
		TAFFRAIL_PACK_AT_(taffrail_at_, taffrail_y_)		\
		taffrail_at_ += sizeof(taffrail_y_);			\
	} }
/*
 * An array: as a sequence, whose kind has another bit for the agent. What is no
 * array has other elements than what it points to.
 */
#define TAFFRAIL_PLAINHOW3_(e, ...)					\
	((void)0, (TAFFRAIL_ARRAY_TYPE_((e)[0])){ (const void *)(e),	\
						  sizeof(e) / sizeof((e)[0]) })
#define TAFFRAIL_KINDED3_(i, e, how, names, ...)			\
	char taffrail_k##i##_[1 + TAFFRAIL_KIND_OF_(taffrail_s##i##_) *	\
		(1 __VA_OPT__(- 1) &&					\
		 sizeof(e) - 1 < TAFFRAIL_ARRAY_BYTES_MAX &&		\
		 !__builtin_types_compatible_p(__typeof__(e),		\
					       __typeof__(&(e)[0])))];
#define TAFFRAIL_ITEMED3_(i, e, ...)	TAFFRAIL_K_(i) + 0x40,
#define TAFFRAIL_COUNTS3_(i, e, ...)	char taffrail_i##i##_[1];
#define TAFFRAIL_VARIES3_(i, e, ...)	char taffrail_n##i##_[1];
#define TAFFRAIL_LAYS3_(i, e, ...)	char taffrail_o##i##_[0];
#define TAFFRAIL_NAMING3_(i, e, ...)
#define TAFFRAIL_PACKS3_(i, e, ...)	TAFFRAIL_PACK_(i, e)
#define TAFFRAIL_SAIDHOW3_(i, names)					\
	struct __attribute__((__packed__)) {				\
		struct taffrail_shown head_;				\
		int64_t count_;						\
		char names_[1];						\
	} taffrail_h##i##_;
#define TAFFRAIL_SAYINGHOW3_(i, e, ...)					\
	.taffrail_h##i##_ = {						\
		{ TAFFRAIL_NUMBER_OF_(i), TAFFRAIL_HOW_COUNT, 1, 9 },	\
		sizeof(e) / sizeof((e)[0]), "" },

#define TAFFRAIL_PACK_AT_(at, y)					\
	__builtin_memcpy(TAFFRAIL_TOTAL_ <= 8 ?				\
		(unsigned char *)&taffrail_fixed_ + ((at) & 7) :	\
		taffrail_bytes_ + (at), &(y), sizeof(y));

#endif
