/* SPDX-License-Identifier: MIT */
/*
 * Unions by tag as fields in C++, and std::variant. Outside of all namespaces,
 *
 *	TAFFRAIL_UNION_OPTIONS(type, (A, x), (B, y), ...);
 *
 * says which member of a union counts for which value of a tag. The rest is
 * private.
 *
 * Such a field is one argument and two fields, "e.tag" and "e.value": the
 * number of the option, and the bytes. Behind the texts, struct taffrail_shown
 * says the names and types of the options; the last one, "none", is there for a
 * tag that has another value, and for a variant without one.
 */
/* First of all, so this header may also be the first. */
#include <taffrail/marker.h>

#ifndef TAFFRAIL_MARKER_UNION_CXX_H
#define TAFFRAIL_MARKER_UNION_CXX_H

#include <taffrail/marker-group-cxx.h>
#include <taffrail/marker-text.h>

#define TAFFRAIL_UNION_OPTIONS(type, ...)				\
	TAFFRAIL_UNION_OPTIONS_(type, __VA_ARGS__)

/* Private from here on. */

/* The list may be a macro. */
#define TAFFRAIL_UNION_OPTIONS_(type, ...)				\
	template <> struct taffrail_options_of<type> {			\
		static TAFFRAIL_ALWAYS_INLINE_				\
		auto of_(const type &v_, int64_t tag_)			\
			-> decltype(::taffrail_::make_choice_<		\
				taffrail_options_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_OPTION_, 0,	\
						 __VA_ARGS__)))		\
		{							\
			return ::taffrail_::make_choice_<		\
				taffrail_options_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_OPTION_, 0,	\
						 __VA_ARGS__));		\
		}							\
		typedef ::taffrail_::chars_<sizeof(			\
			TAFFRAIL_OPTION_NAMES_(__VA_ARGS__))> text_;	\
		static constexpr text_ names_()				\
		{							\
			return { TAFFRAIL_OPTION_NAMES_(__VA_ARGS__) };	\
		}							\
	}
/* The parts of an option; a compiler names the second where it is none. */
#define TAFFRAIL_OPTION_LABEL_(label, ...)	label
#define TAFFRAIL_OPTIONS_ARE_PAIRS_IN_PARENTHESES_(label, member)	member
#define TAFFRAIL_OPTION_(i, x)						\
	, ::taffrail_::pick_(tag_ == (int64_t)(				\
			TAFFRAIL_OPTION_LABEL_ x),			\
		v_.TAFFRAIL_OPTIONS_ARE_PAIRS_IN_PARENTHESES_ x)
#define TAFFRAIL_OPTION_NAMES_(...)					\
	TAFFRAIL_EACH_(TAFFRAIL_OPTION_NAME_, 0, __VA_ARGS__) "none"
#define TAFFRAIL_OPTION_NAME_(i, x)					\
	TAFFRAIL_TEXT_OF_(TAFFRAIL_OPTION_LABEL_ x) ", "

/* In C++ the type says the options. */
#define TAFFRAIL_UNION_(tag, e, which, ...)				\
	((void)tag, ::taffrail_::united_(e, (int64_t)(which)))

/* The library's names, in a program that has macros of such names. */
#pragma push_macro("get_if")
#pragma push_macro("valueless_by_exception")
#undef get_if
#undef valueless_by_exception

/* A program may include the header inside extern "C". */
extern "C++" {

/* The options of a union. */
template <class T_> struct taffrail_options_of;

namespace taffrail_ {

/* One of the options M: a number's bytes are here, a string's are not. */
template <class Owner_, class... M_> struct choice_ {
	uint32_t tag_;
	const void *p_;
	uint64_t n_;
	unsigned char bytes_[8];

	choice_() : tag_(sizeof...(M_)), p_(nullptr), n_(0), bytes_() {}
	template <class T_> TAFFRAIL_ALWAYS_INLINE_ void take_(const T_ &v_)
	{
		n_ = sizeof(v_) < 8 ? sizeof(v_) : 8;
		__builtin_memcpy(bytes_, &v_,
				 sizeof(v_) < 8 ? sizeof(v_) : 8);
	}
	TAFFRAIL_ALWAYS_INLINE_ void take_(const str_ &v_)
	{
		p_ = v_.p_;
		n_ = taffrail_length_(&p_, TAFFRAIL_VAR_STRING);
	}
	TAFFRAIL_ALWAYS_INLINE_ void take_(const text_ &v_)
	{
		p_ = v_.p_;
		n_ = taffrail_length_(&p_, v_.n_);
	}
	TAFFRAIL_ALWAYS_INLINE_ void take_(const nothing_ &) {}
	TAFFRAIL_ALWAYS_INLINE_ void take_(const no_field_ &) {}
};

/* The type of an option: -1 for a type that cannot be one. */
template <class M_> struct may_be_ {
	static constexpr int kind_ = field_<M_>::kind_;
	static constexpr int type_ =
		kind_ > 0 && kind_ <= TAFFRAIL_T_BOOL ? kind_ :
		kind_ == TAFFRAIL_T_STRING || kind_ == TAFFRAIL_T_TEXT ?
			TAFFRAIL_T_STRING : -1;
};
template <> struct may_be_<nothing_> { static constexpr int type_ = 0; };
template <unsigned Bytes_> struct may_be_<written_<Bytes_> > {
	static constexpr int type_ = -1;
};
template <class... M_> struct may_all_be_ {
	static constexpr bool valid_ = true;
};
template <class H_, class... T_> struct may_all_be_<H_, T_...> {
	static constexpr bool valid_ =
		may_be_<H_>::type_ >= 0 && may_all_be_<T_...>::valid_;
};

template <class Owner_, class... M_>
struct fields_<choice_<Owner_, M_...>, false> {
	static constexpr unsigned n_ = 2;
	static constexpr unsigned nvar_ = 1;
	static constexpr int kind_(unsigned i_)
	{
		return i_ ? TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8 :
			TAFFRAIL_T_U32;
	}
};
template <class Owner_, class... M_>
struct field_<choice_<Owner_, M_...>, false> {
	static constexpr int kind_ =
		may_all_be_<M_...>::valid_ ? TAFFRAIL_MANY_FIELDS_ : 0;
	static constexpr unsigned bytes_ = sizeof(uint32_t);
};

/* A union: the first option whose value the tag has. */
template <class T_> struct picked_ {
	bool here_;
	const T_ &v_;
};
template <class T_> TAFFRAIL_ALWAYS_INLINE_
picked_<T_> pick_(bool here_, const T_ &v_)
{
	return picked_<T_>{ here_, v_ };
}
template <unsigned I_, class C_>
TAFFRAIL_ALWAYS_INLINE_ void choose_(C_ &) {}
template <unsigned I_, class C_, class H_, class... T_> TAFFRAIL_ALWAYS_INLINE_
void choose_(C_ &c_, const picked_<H_> &head_, const picked_<T_> &...tail_)
{
	if (head_.here_) {
		c_.tag_ = I_;
		c_.take_(member_<H_>::of_(head_.v_));
	} else {
		choose_<I_ + 1>(c_, tail_...);
	}
}
template <class Owner_, class... T_> TAFFRAIL_ALWAYS_INLINE_
choice_<Owner_, typename member_<T_>::recorded_...>
make_choice_(int, const picked_<T_> &...options_)
{
	choice_<Owner_, typename member_<T_>::recorded_...> c_;

	choose_<0>(c_, options_...);
	return c_;
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto united_(const T_ &v_, int64_t tag_)
	-> decltype(taffrail_options_of<T_>::of_(v_, tag_))
{
	return taffrail_options_of<T_>::of_(v_, tag_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ united_(...) { return no_field_(); }

/* The record of the two fields. */
template <unsigned I_, class Owner_, class... M_>
struct said_at_<I_, choice_<Owner_, M_...> > {
	static constexpr size_t bytes_ = sizeof(Owner_::names_());
	typedef said_names_<sizeof...(M_) + 1, bytes_> names_;
	typedef said_both_<names_, names_> type_;
	static constexpr type_ of_()
	{
		return of_(typename count_up_<sizeof...(M_) + 1>::type_());
	}
	template <unsigned... N_>
	static constexpr type_ of_(indices_<N_...>)
	{
		return { { { (uint8_t)I_, TAFFRAIL_HOW_ENUM,
			     (uint16_t)sizeof...(N_),
			     (uint32_t)(8 * sizeof...(N_) + bytes_) },
			   { (int64_t)N_... }, Owner_::names_() },
			 { { (uint8_t)(I_ + 1), TAFFRAIL_HOW_VARIANT,
			     (uint16_t)sizeof...(N_),
			     (uint32_t)(8 * sizeof...(N_) + bytes_) },
			   { (int64_t)may_be_<M_>::type_..., 0 },
			   Owner_::names_() } };
	}
};
template <unsigned I_, class Owner_, class... M_>
struct naming_by_<I_, choice_<Owner_, M_...>, false> {
	static constexpr unsigned bytes_ = sizeof("tag, value") - 1;
	typedef naming_<bytes_> type_;
	static constexpr type_ of_()
	{
		return naming_of_<bytes_>(I_,
			chars_<bytes_ + 1>{ "tag, value" },
			typename count_up_<bytes_>::type_());
	}
};

#if __cplusplus >= 201703L
/* The name of an option of a variant: the type's, and of a second one of that
 * type _2. All have the same size. */
constexpr const char *option_word_(int type_)
{
	constexpr const char *words_[] = {
		"empty", "int8", "uint8", "int16", "uint16", "int32", "uint32",
		"int64", "uint64", "float32", "float64", "pointer", "bool",
	};

	return type_ == TAFFRAIL_T_STRING ? "text" :
		type_ > TAFFRAIL_T_BOOL || type_ < 0 ? "" : words_[type_];
}
template <class... M_> struct variant_names_ {
	static constexpr unsigned n_ = sizeof...(M_);
	static constexpr unsigned each_ = 14;
	static constexpr chars_<each_ * n_ + 5> names_()
	{
		const int types_[] = { may_be_<M_>::type_... };
		chars_<each_ * n_ + 5> to_ = {};

		for (unsigned i_ = 0; i_ < n_; i_++) {
			unsigned at_ = each_ * i_, same_ = 1;

			for (unsigned k_ = 0; k_ < i_; k_++)
				same_ += types_[k_] == types_[i_];
			for (unsigned k_ = 0; k_ < each_; k_++)
				to_.c_[at_ + k_] = ' ';
			put_(to_.c_ + at_, option_word_(types_[i_]), same_);
		}
		for (unsigned k_ = 0; k_ < 4; k_++)
			to_.c_[each_ * n_ + k_] = "none"[k_];
		return to_;
	}

private:
	/* on the right; without `if`, which is a program's macro in Linux, one
	 * that a constant expression may not contain
	 */
	static constexpr void put_(char *to_, const char *word_, unsigned same_)
	{
		unsigned n_ = 0, digits_ = same_ > 1 ? same_ : 0;

		to_ += each_ - 1;
		*to_ = ',';
		for (; digits_; digits_ /= 10)
			*--to_ = (char)('0' + digits_ % 10);
		to_ -= same_ > 1;
		*to_ = same_ > 1 ? '_' : *to_;
		while (word_[n_])
			n_++;
		while (n_)
			*--to_ = word_[--n_];
	}
};

/* std::monostate has nothing. */
template <class T_, bool Empty_ = __is_class(T_) && __is_empty(T_)>
struct alternative_ : member_<T_> {};
template <class T_> struct alternative_<T_, true> {
	typedef nothing_ recorded_;
	static TAFFRAIL_ALWAYS_INLINE_ nothing_ of_(const T_ &)
	{
		return nothing_();
	}
};

/* Lets the library's function be found by argument. */
template <size_t I_> void get_if();

template <unsigned I_, class C_, class V_>
TAFFRAIL_ALWAYS_INLINE_ void take_from_(C_ &, const V_ &) {}
template <unsigned I_, class C_, class V_, class H_, class... T_>
TAFFRAIL_ALWAYS_INLINE_ void take_from_(C_ &c_, const V_ &v_)
{
	const H_ *p_ = get_if<I_>(&v_);

	if (p_) {
		c_.tag_ = I_;
		c_.take_(alternative_<H_>::of_(*p_));
	} else {
		take_from_<I_ + 1, C_, V_, T_...>(c_, v_);
	}
}
template <class V_> struct variant_ {};
template <template <class...> class V_, class... T_>
struct variant_<V_<T_...> > {
	typedef choice_<variant_names_<typename alternative_<T_>::recorded_...>,
			typename alternative_<T_>::recorded_...> type_;
	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const V_<T_...> &v_)
	{
		type_ c_;

		take_from_<0, type_, V_<T_...>, T_...>(c_, v_);
		return c_;
	}
};
template <class T_, class V_ = decltype(
		any_<const T_ &>().valueless_by_exception())>
TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<1>) -> typename variant_<T_>::type_
{
	return variant_<T_>::of_(v_);
}
#endif

}
}

#pragma pop_macro("get_if")
#pragma pop_macro("valueless_by_exception")

#endif
