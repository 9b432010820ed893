/* SPDX-License-Identifier: MIT */
/*
 * How a field is shown, in C++: by type. Outside of all namespaces,
 *
 *	TAFFRAIL_ENUM_NAMES(type, A, B, ...);
 *
 * names the values of an enumeration for all markers that come after it; write
 * the values of an enum class as they are written there, type::A. From C++14
 * on, an enum class needs no list: the compiler spells the names of the values
 * from -1 to 126. TAFFRAIL_HEX and similar macros give a number a distinct
 * type. The rest is private.
 */
/* First of all, so this header may also be the first. */
#include <taffrail/marker.h>

#ifndef TAFFRAIL_MARKER_SHOWN_CXX_H
#define TAFFRAIL_MARKER_SHOWN_CXX_H

#include <taffrail/marker-field-cxx.h>

#define TAFFRAIL_ENUM_NAMES(type, ...)					\
	TAFFRAIL_ENUM_NAMES_(type, __VA_ARGS__)

/* Private from here on. */

/* The list may be a macro. */
#define TAFFRAIL_ENUM_NAMES_(type, ...)					\
	template <> struct taffrail_names_of<type> {			\
		static constexpr					\
		decltype(::taffrail_::said_as_<sizeof(#__VA_ARGS__)>(	\
			0, { #__VA_ARGS__ }, __VA_ARGS__))		\
		of_(unsigned field_)					\
		{							\
			return ::taffrail_::said_as_<sizeof(#__VA_ARGS__)>( \
				field_, { #__VA_ARGS__ }, __VA_ARGS__);	\
		}							\
	}

#define TAFFRAIL_TRUTH_(e)	static_cast<bool>(e)
#define TAFFRAIL_ELEMENTS_OF_(tag, e)					\
	((void)tag, ::taffrail_::make_elements_(e))
/* In C++ the type says the names. */
#define TAFFRAIL_SHOWN_(tag, e, how, ...)				\
	((void)tag, ::taffrail_::show_as_<how>(e))

/* A program may include the header inside extern "C". */
extern "C++" {

/* The names of an enumeration's values. */
template <class T_> struct taffrail_names_of;

namespace taffrail_ {

template <int How_, class T_> struct show_ {
	static constexpr bool is_ = true;
	static TAFFRAIL_ALWAYS_INLINE_ formatted_<T_, How_> as_(T_ v_)
	{
		return formatted_<T_, How_>{ v_ };
	}
};
/* Whether the values of a type have names. */
template <class T_> char names_known_(T_ *, ...);
template <class T_, class N_ = decltype(taffrail_names_of<T_>::of_(0))>
long names_known_(T_ *, int);
template <class T_> struct show_<TAFFRAIL_HOW_ENUM, T_> {
	static_assert(sizeof(names_known_((T_ *)nullptr, 0)) > 1,
		      "taffrail: in C++, TAFFRAIL_ENUM_NAMES must name the "
		      "values of this type first");
	static TAFFRAIL_ALWAYS_INLINE_ T_ as_(T_ v_) { return v_; }
};
template <int How_, class T_> TAFFRAIL_ALWAYS_INLINE_
auto show_as_(T_ v_) -> decltype(show_<How_, T_>::as_(v_))
{
	return show_<How_, T_>::as_(v_);
}

template <class T_, int How_> struct as_<formatted_<T_, How_>, false> {
	typedef typename as_<T_>::type_ type_;
	static TAFFRAIL_ALWAYS_INLINE_
	type_ of_(const formatted_<T_, How_> &v_)
	{
		return as_<T_>::of_(v_.value_);
	}
};

/* The part behind the texts of an object. */
struct __attribute__((__packed__)) said_ {
	taffrail_shown head_;
};
template <size_t N_, size_t Bytes_>
struct __attribute__((__packed__)) said_names_ {
	taffrail_shown head_;
	int64_t values_[N_];
	chars_<Bytes_> text_;
};

template <size_t Bytes_, class... E_>
constexpr said_names_<sizeof...(E_), Bytes_>
said_as_(unsigned field_, chars_<Bytes_> text_, E_... values_)
{
	return { { (uint8_t)field_, TAFFRAIL_HOW_ENUM,
		   (uint16_t)sizeof...(E_),
		   (uint32_t)(8 * sizeof...(E_) + Bytes_) },
		 { (int64_t)values_... }, text_ };
}

/* gcc spells names from version 9 on. */
#if __cplusplus >= 201402L && (defined(__clang__) || __GNUC__ >= 9)
/*
 * The names of an enum class, out of the text in which the compiler spells a
 * list of its values as arguments of a template:
 *
 *	gcc	...; E_ ...V_ = {(type)-1, type::A, type::B, (type)2, ...}]
 *	clang	..., V_ = <(type)-1, type::A, type::B, (type)2, ...>]
 *
 * One function has all values, so a type costs one instantiation. Only an enum
 * class: each number of the list is a value of it, as its underlying type is
 * fixed. Where the compiler spells numbers alone (clang, of a type within a
 * template), there is no name.
 */
enum : int { spelled_ = 128 };		/* values, from -1 on */

template <int... I_> struct numbers_ {};
template <class A_, class B_> struct numbers_both_;
template <int... A_, int... B_>
struct numbers_both_<numbers_<A_...>, numbers_<B_...> > {
	typedef numbers_<A_..., ((int)sizeof...(A_) + B_)...> type_;
};
template <int N_> struct numbers_below_
	: numbers_both_<typename numbers_below_<N_ / 2>::type_,
			typename numbers_below_<N_ - N_ / 2>::type_> {};
template <> struct numbers_below_<0> { typedef numbers_<> type_; };
template <> struct numbers_below_<1> { typedef numbers_<0> type_; };

/* The function's signature has no name of a type, which gcc would explain
 * behind the list. */
struct spelling_ {
	const char *p_;
	unsigned long bytes_;
};
template <class E_, E_... V_> constexpr spelling_ spell_()
{
	return { __PRETTY_FUNCTION__, sizeof(__PRETTY_FUNCTION__) - 1 };
}

constexpr int depth_of_(char c_)
{
	return c_ == ')' || c_ == '>' || c_ == '}' || c_ == ']' ? 1 :
	       c_ == '(' || c_ == '<' || c_ == '{' || c_ == '[' ? -1 : 0;
}

/* Where the names stand in a text; the value's number is the index less 1. */
struct spelled_names_ {
	unsigned long at_[spelled_];
	unsigned long bytes_[spelled_];	/* 0: it has no name */
	unsigned long names_;
	unsigned long text_;		/* bytes of all, with ", " or NUL */
};

/* Goes through a list from its end, as what stands before it may be anything. A
 * word is the name of a value if no digit begins it. There is no `if`, which
 * is a program's macro in Linux, one that a constant expression may not
 * contain. */
constexpr spelled_names_ find_names_(spelling_ text_, const bool *valid_)
{
	spelled_names_ found_ = {};
	unsigned long at_ = text_.bytes_ < 2 ? 0 : text_.bytes_ - 2;

	for (int i_ = spelled_ - 1; i_ >= 0; i_--) {
		unsigned long end_ = at_, first_ = at_;
		int depth_ = 0;

		while (first_ && is_letter_(text_.p_[first_ - 1]))
			first_--;
		at_ = first_;
		while (at_ && (depth_ || (text_.p_[at_ - 1] != ',' &&
					  depth_of_(text_.p_[at_ - 1]) >= 0)))
			depth_ += depth_of_(text_.p_[--at_]);
		at_ -= at_ ? 1 : 0;
		found_.at_[i_] = first_;
		found_.bytes_[i_] = valid_[i_] && (text_.p_[first_] < '0' ||
						   text_.p_[first_] > '9') ?
				    end_ - first_ : 0;
		found_.names_ += found_.bytes_[i_] ? 1 : 0;
		found_.text_ += found_.bytes_[i_] ? found_.bytes_[i_] + 2 : 0;
	}
	return found_;
}

template <class E_, class I_> struct spelled_by_;
template <class E_, int... I_> struct spelled_by_<E_, numbers_<I_...> > {
	static constexpr int64_t value_(int i_)
	{
		return int64_t(E_(i_));
	}
	static constexpr spelling_ text_()
	{
		return spell_<E_, E_(I_ - 1)...>();
	}
	/* In a narrow type, -1 is the greatest number, and a number too large
	 * is another value again. */
	static constexpr spelled_names_ find_()
	{
		const bool valid_[] = {
			(value_(I_ - 1) == I_ - 1 ||
			 (!I_ && value_(-1) > spelled_ - 2))...
		};

		return find_names_(text_(), valid_);
	}
	static constexpr unsigned long names_ = find_().names_;
	static constexpr unsigned long bytes_ = find_().text_;

	static constexpr said_names_<names_ ? names_ : 1, bytes_ + 1>
	of_(unsigned field_)
	{
		const spelled_names_ found_ = find_();
		const spelling_ from_ = text_();
		said_names_<names_ ? names_ : 1, bytes_ + 1> to_ = {};
		unsigned long name_ = 0, at_ = 0;

		to_.head_ = { (uint8_t)field_, TAFFRAIL_HOW_ENUM,
			      (uint16_t)names_,
			      (uint32_t)(8 * names_ + bytes_ + 1) };
		for (int i_ = 0; i_ < spelled_; i_++) {
			const unsigned long n_ = found_.bytes_[i_];

			for (unsigned long k_ = 0; k_ < n_; k_++)
				to_.text_.c_[at_++] =
					from_.p_[found_.at_[i_] + k_];
			for (int k_ = 0; n_ && k_ < 2; k_++)
				to_.text_.c_[at_++] = ", "[k_];
			for (int k_ = 0; n_ && k_ < 1; k_++)
				to_.values_[name_++] = value_(i_ - 1);
		}
		return to_;
	}
};

/* Whether a type is an enum class, which converts to no number. */
char number_taken_(long long);
long number_taken_(...);
template <class E_, bool Enum_ = __is_enum(E_)> struct enum_class_ {
	static constexpr bool is_ = false;
};
template <class E_> struct enum_class_<E_, true> {
	static constexpr bool is_ = sizeof(number_taken_(any_<E_>())) > 1;
};
template <class E_, bool Class_ = enum_class_<E_>::is_>
struct spelled_enum_ {
	static constexpr unsigned long names_ = 0;
};
template <class E_> struct spelled_enum_<E_, true>
	: spelled_by_<E_, numbers_below_<spelled_>::type_> {};

template <class T_, bool Names_> struct when_named_ {};
template <class T_> struct when_named_<T_, true> {
	typedef decltype(spelled_enum_<T_>::of_(0)) type_;
};
template <class T_, class N_ = typename when_named_<
	T_, spelled_enum_<T_>::names_ != 0>::type_>
constexpr N_ said_of_(unsigned field_, T_ *, long)
{
	return spelled_enum_<T_>::of_(field_);
}
#endif

/* The record of a field: of_() of a number from 1 on. */
template <class T_>
constexpr nothing_ said_of_(unsigned, T_ *, ...) { return nothing_(); }
template <class T_, class N_ = decltype(taffrail_names_of<T_>::of_(0))>
constexpr N_ said_of_(unsigned field_, T_ *, int)
{
	return taffrail_names_of<T_>::of_(field_);
}
template <class T_, int How_>
constexpr said_ said_of_(unsigned field_, formatted_<T_, How_> *, int)
{
	return said_{ { (uint8_t)field_, How_, 0, 0 } };
}

/* Of an array, the number of elements. */
template <class T_, size_t N_>
constexpr said_names_<1, 1> said_of_(unsigned field_, elements_<T_, N_> *, int)
{
	return { { (uint8_t)field_, TAFFRAIL_HOW_COUNT, 1, 9 },
		 { (int64_t)N_ }, { "" } };
}

/* An object is shown as the type that it is recorded as. */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct said_type_ {
	typedef T_ type_;
};
template <class T_> struct said_type_<T_, true>
	: said_type_<typename as_<T_>::object_> {};

/* The record of one argument, whose first field has the number I. */
template <unsigned I_, class T_> struct said_at_ {
	typedef decltype(said_of_(I_, (T_ *)nullptr, 0)) type_;
	static constexpr type_ of_()
	{
		return said_of_(I_, (T_ *)nullptr, 0);
	}
};
template <unsigned I_, class... A_> struct said_all_;
template <unsigned I_, class Owner_, class... M_>
struct said_at_<I_, group_<Owner_, M_...> > : said_all_<I_, M_...> {};

template <unsigned I_, class... A_> struct said_all_ {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <unsigned I_, class H_, class... T_>
struct said_all_<I_, H_, T_...> {
	typedef said_all_<I_ + fields_<H_>::n_, T_...> rest_;
	typedef said_at_<I_, typename said_type_<H_>::type_> head_;
	typedef decltype(said_join_(any_<typename head_::type_>(),
				    any_<typename rest_::type_>())) type_;
	static constexpr type_ of_()
	{
		return said_join_(head_::of_(), rest_::of_());
	}
};
template <class... A_>
struct said_by_<signature_<A_...> > : said_all_<1, A_...> {};

}
}

#endif
