/* SPDX-License-Identifier: MIT */
/*
 * Structures in C: TAFFRAIL_STRUCT. Everything here is private.
 *
 * The argument is a list as those of marker-shown-c.h, but says no "how":
 *
 *	(, "taffrail:" "e", e, , , (x, y), )
 *
 * It is one argument, and a field for each member. The kind of the field is
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

/* The value: the structure itself, so the arrays in it live as long. */
#define TAFFRAIL_PLAINHOW_(e, how, names, ...)	(e)
#define TAFFRAIL_MEMBER_TYPE_(e, x)					\
	TAFFRAIL_TYPE_OF_((((void)0, (e)).x))

/*
 * The kind, if the members can be fields and nothing is behind it. The
 * description of a member stands in structures, each computed once: the type as
 * a value (t); the kind of that (q); the exact type, if it is an array but not
 * of characters, which is recorded whole, or else char[1] (a); the kind of the
 * elements (r). As a value an array is a pointer; a bit-field is none, and has
 * no __typeof__.
 */
#define TAFFRAIL_KINDED1_(i, x, ...)	TAFFRAIL_KIND_(i, x)
#define TAFFRAIL_KINDED_(i, e, how, names, ...)				\
	struct taffrail_t##i##_ {					\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_T_, e, TAFFRAIL_LIST_ names) \
	} taffrail_t##i##_;						\
	struct taffrail_q##i##_ {					\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_Q_, i, TAFFRAIL_LIST_ names) \
	} taffrail_q##i##_;						\
	struct taffrail_a##i##_ {					\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_A_, (i, e),		\
			     TAFFRAIL_LIST_ names)			\
	} taffrail_a##i##_;						\
	struct taffrail_r##i##_ {					\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_R_, i, TAFFRAIL_LIST_ names) \
	} taffrail_r##i##_;						\
	char taffrail_k##i##_[1 + TAFFRAIL_GROUP_KIND_ *		\
		(1 __VA_OPT__(- 1) TAFFRAIL_OF_(TAFFRAIL_MEMBER_CHECK_, i, \
						TAFFRAIL_LIST_ names))];
#define TAFFRAIL_MEMBER_T_(k, e, x)	TAFFRAIL_MEMBER_TYPE_(e, x) t##k##_;
#define TAFFRAIL_MEMBER_Q_(k, i, x)					\
	char q##k##_[1 + TAFFRAIL_KIND_OF_(__typeof__(TAFFRAIL_MT_(i, k)))];
#define TAFFRAIL_MEMBER_A_(k, a, x)					\
	TAFFRAIL_MEMBER_CALL_(TAFFRAIL_MEMBER_A_AT_, k,			\
			      TAFFRAIL_LIST_ a, x)
#define TAFFRAIL_MEMBER_CALL_(m, ...)	m(__VA_ARGS__)
#define TAFFRAIL_MEMBER_A_AT_(k, i, e, x)				\
	__typeof__(TAFFRAIL_ARRAY_IN_(TAFFRAIL_MQ_(i, k),		\
				      ((void)0, (e)).x)) a##k##_;
#define TAFFRAIL_ARRAY_IN_(kind, m)					\
	TAFFRAIL_ARRAY_AT_(__builtin_choose_expr(			\
		(kind) == TAFFRAIL_T_PTR, m, (void *)0))
#define TAFFRAIL_ARRAY_AT_(p)						\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		__typeof__(p), __typeof__(((void)0, p))),		\
		*(char (*)[1])0, p)
#define TAFFRAIL_MEMBER_R_(k, i, x)					\
	char r##k##_[1 + TAFFRAIL_KIND_OF_(				\
		TAFFRAIL_ARRAY_TYPE_(TAFFRAIL_MA_(i, k)[0]))];
#define TAFFRAIL_MT_(i, k)	(((struct taffrail_t##i##_ *)0)->t##k##_)
#define TAFFRAIL_MQ_(i, k)						\
	((int)sizeof(((struct taffrail_q##i##_ *)0)->q##k##_) - 1)
#define TAFFRAIL_MA_(i, k)	(((struct taffrail_a##i##_ *)0)->a##k##_)
#define TAFFRAIL_MR_(i, k)						\
	((int)sizeof(((struct taffrail_r##i##_ *)0)->r##k##_) - 1)
#define TAFFRAIL_SINGLE_(i, k)						\
	__builtin_types_compatible_p(__typeof__(TAFFRAIL_MA_(i, k)), char[1])
#define TAFFRAIL_MEMBER_CHECK_(k, i, x)					\
	&& (TAFFRAIL_SINGLE_(i, k) ?					\
	    TAFFRAIL_MQ_(i, k) - 1u < TAFFRAIL_T_STRING :		\
	    TAFFRAIL_MR_(i, k) > TAFFRAIL_T_SEQUENCE &&			\
	    sizeof(TAFFRAIL_MA_(i, k)) <= TAFFRAIL_ARRAY_BYTES_MAX)

/* The kinds of the fields, and their number. A string is a text: an array need
 * not have a NUL. */
#define TAFFRAIL_ITEMED1_(i, x, ...)	TAFFRAIL_K_(i),
#define TAFFRAIL_ITEMED_(i, e, how, names, ...)				\
	TAFFRAIL_OF_(TAFFRAIL_MEMBER_ITEM_, i, TAFFRAIL_LIST_ names)
#define TAFFRAIL_MEMBER_ITEM_(k, i, x)					\
	TAFFRAIL_SINGLE_(i, k) ?					\
	_Generic(*(__typeof__(TAFFRAIL_MT_(i, k)) *)0,			\
		const char *: TAFFRAIL_T_TEXT,				\
		default: TAFFRAIL_MQ_(i, k)) : TAFFRAIL_MR_(i, k) + 0x40,
#define TAFFRAIL_COUNTS1_(i, x, ...)	char taffrail_i##i##_[1];
#define TAFFRAIL_COUNTS_(i, e, how, names, ...)				\
	char taffrail_i##i##_[TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ names)];

/* How many are of variable length, and the bytes of the others. */
#define TAFFRAIL_VARIES1_(i, x, ...)					\
	char taffrail_n##i##_[TAFFRAIL_IS_VAR_(TAFFRAIL_K_(i))];
#define TAFFRAIL_VARIES_(i, e, how, names, ...)				\
	char taffrail_n##i##_[0 TAFFRAIL_OF_(TAFFRAIL_MEMBER_VARIES_, i, \
					     TAFFRAIL_LIST_ names)];
#define TAFFRAIL_MEMBER_VARIES_(k, i, x)				\
	+ (TAFFRAIL_IS_VAR_(TAFFRAIL_MQ_(i, k)) || !TAFFRAIL_SINGLE_(i, k))
#define TAFFRAIL_LAYS1_(i, x, ...)					\
	char taffrail_o##i##_[TAFFRAIL_IS_VAR_(TAFFRAIL_K_(i)) ? 0 :	\
		sizeof(taffrail_s##i##_)];
#define TAFFRAIL_LAYS_(i, e, how, names, ...)				\
	char taffrail_o##i##_[0 * sizeof(taffrail_s##i##_)		\
		TAFFRAIL_OF_(TAFFRAIL_MEMBER_BYTES_, i,			\
			     TAFFRAIL_LIST_ names)];
#define TAFFRAIL_MEMBER_BYTES_(k, i, x)					\
	+ TAFFRAIL_SINGLE_(i, k) *					\
	  _Generic(*(__typeof__(TAFFRAIL_MT_(i, k)) *)0, const char *: 0, \
		   default: sizeof(TAFFRAIL_MT_(i, k)))

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
	TAFFRAIL_NODEBUG_ __typeof__(TAFFRAIL_MT_(i, k))		\
		taffrail_y_ = (taffrail_v##i##_).x;			\
	if (TAFFRAIL_MQ_(i, k) == 16) {					\
		const void *taffrail_p_ =				\
			TAFFRAIL_ADDRESS_((taffrail_v##i##_).x);	\
		taffrail_next_->p_ = taffrail_p_ ? taffrail_p_ : "(null)"; \
		taffrail_next_++->n_ = taffrail_p_ ?			\
			__builtin_object_size(TAFFRAIL_ADDRESS_(	\
				(taffrail_v##i##_).x), 1) :		\
			TAFFRAIL_VAR_NULL;				\
	} else if (!TAFFRAIL_SINGLE_(i, k)) {				\
		taffrail_next_->p_ =					\
			TAFFRAIL_ADDRESS_((taffrail_v##i##_).x);	\
		taffrail_next_++->n_ =					\
			TAFFRAIL_COUNT_IN_(TAFFRAIL_MA_(i, k));		\
	} else {							\
		TAFFRAIL_PACK_AT_(taffrail_at_, taffrail_y_)		\
		taffrail_at_ += sizeof(taffrail_y_);			\
	} }
#define TAFFRAIL_COUNT_IN_(a)		(sizeof(a) / sizeof((a)[0]))

/* The number of elements of each array; for the others, of no field. */
#define TAFFRAIL_SAIDHOW_(i, names)					\
	struct __attribute__((__packed__)) {				\
		struct taffrail_shown head_;				\
		int64_t count_;						\
		char names_[1];						\
	} taffrail_h##i##_[TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ names)];
#define TAFFRAIL_SAYINGHOW_(i, e, how, names)				\
	.taffrail_h##i##_ = { TAFFRAIL_OF_(TAFFRAIL_MEMBER_SAYING_,	\
		(i, TAFFRAIL_NUMBER_OF_(i) +				\
		    TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ names)),		\
		TAFFRAIL_LIST_ names) },
#define TAFFRAIL_MEMBER_SAYING_(k, a, x)				\
	TAFFRAIL_MEMBER_CALL_(TAFFRAIL_MEMBER_SAYING_AT_, k, TAFFRAIL_LIST_ a)
#define TAFFRAIL_MEMBER_SAYING_AT_(k, i, end)				\
	{ { TAFFRAIL_SINGLE_(i, k) ? 255 : (end) - k,			\
	    TAFFRAIL_HOW_COUNT, 1, 9 },					\
	  TAFFRAIL_COUNT_IN_(TAFFRAIL_MA_(i, k)), "" },

/*
 * An array: as a sequence, whose kind has another bit for the agent. For a type
 * that is no array, the element type differs from the type that it points to.
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
