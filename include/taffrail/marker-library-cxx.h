/* SPDX-License-Identifier: MIT */
/*
 * Objects of classes as fields of a marker in C++: those of the C++ library,
 * known by their members, and a program's own.
 *
 * A program makes one of its types a field by one specialisation, outside of
 * all namespaces:
 *
 *	template <> struct taffrail_as_field<point> {
 *		static double value_(const point &p) { return p.x; }
 *	};
 *
 * value_ may return whatever a field can be, by value or by reference; but a
 * value that is returned may not own memory, as a std::string does.
 *
 * Invariant: no header of the C++ library is needed, so a file that
 * does not use them pays nothing.
 */
/* First of all, so this header may also be the first. */
#include <taffrail/marker.h>

#ifndef TAFFRAIL_MARKER_LIBRARY_CXX_H
#define TAFFRAIL_MARKER_LIBRARY_CXX_H

#include <taffrail/marker-text-cxx.h>

/* The library's names, in a program that has macros of such names. */
#pragma push_macro("c_str")
#pragma push_macro("clock")
#pragma push_macro("count")
#pragma push_macro("data")
#pragma push_macro("den")
#pragma push_macro("element_type")
#pragma push_macro("get")
#pragma push_macro("has_value")
#pragma push_macro("length")
#pragma push_macro("load")
#pragma push_macro("num")
#pragma push_macro("period")
#pragma push_macro("size")
#pragma push_macro("time_since_epoch")
#pragma push_macro("to_time_t")
#pragma push_macro("what")
#undef c_str
#undef clock
#undef count
#undef data
#undef den
#undef element_type
#undef get
#undef has_value
#undef length
#undef load
#undef num
#undef period
#undef size
#undef time_since_epoch
#undef to_time_t
#undef what

/* A program may include the header inside extern "C". */
extern "C++" {

template <class T_> struct taffrail_as_field;

namespace taffrail_ {

/* Numbers, pointers and the values that this header makes. */
template <class T_> struct as_<T_, false> {
	typedef decltype(recorded_(any_<T_>())) type_;
	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const T_ &v_)
	{
		return recorded_(v_);
	}
};

template <class T_> struct object_of_ : plain_<T_> {};
template <class T_> struct object_of_<T_ &> : plain_<T_> {};
template <class T_> struct object_of_<T_ &&> : plain_<T_> {};

TAFFRAIL_ALWAYS_INLINE_ str_ string_(const char *s_) { return str_(s_); }
#ifdef __cpp_char8_t
TAFFRAIL_ALWAYS_INLINE_ str_ string_(const char8_t *s_) { return str_(s_); }
TAFFRAIL_ALWAYS_INLINE_ text_ characters_(const char8_t *p_, uint64_t n_)
{
	return text_{ n_ ? (const void *)p_ : "", n_ };
}
#endif
TAFFRAIL_ALWAYS_INLINE_ text_ characters_(const char *p_, uint64_t n_)
{
	return text_{ n_ ? p_ : "", n_ };
}
TAFFRAIL_ALWAYS_INLINE_ const void *address_(const volatile void *p_)
{
	return (const void *)p_;
}
template <class T_, typename when_<!foreign_<T_>::is_>::type_ = 0>
TAFFRAIL_ALWAYS_INLINE_ T_ number_of_(T_ v_) { return v_; }

/* count * P in nanoseconds; P is a std::ratio of seconds. */
constexpr int64_t divisor_(int64_t a_, int64_t b_)
{
	return b_ ? divisor_(b_, a_ % b_) : a_;
}
template <class P_> struct ratio_ {
	static constexpr int64_t common_ = divisor_(1000000000, P_::den);
	static constexpr int64_t most_ = (int64_t)(~(uint64_t)0 >> 1);
	static constexpr int64_t times_ =
		P_::num > most_ / (1000000000 / common_) ? most_ :
		P_::num * (1000000000 / common_);
	static constexpr int64_t by_ = P_::den / common_;
};
/* A time that is too long for the result, as seconds::max(), becomes the
 * longest one. */
template <class P_, class R_,
	  typename when_<(arithmetic_<R_>::kind_ > 0) && !((R_)1 / (R_)2 > 0)>
		::type_ = 0>
TAFFRAIL_ALWAYS_INLINE_ int64_t nanoseconds_(R_ count_)
{
	typedef ratio_<P_> as_;
	int64_t c_ = (int64_t)count_, whole_, part_, n_;

	if (c_ < 0 && (R_)-1 > (R_)0)
		c_ = as_::most_;
	part_ = c_ % as_::by_;
	if (__builtin_mul_overflow(c_ / as_::by_, as_::times_, &whole_) ||
	    __builtin_mul_overflow(part_, as_::times_, &part_) ||
	    __builtin_add_overflow(whole_, part_ / as_::by_, &n_))
		return c_ < 0 ? -as_::most_ - 1 : as_::most_;
	return n_;
}
template <class P_, class R_,
	  typename when_<((R_)1 / (R_)2 > 0)>::type_ = 0>
TAFFRAIL_ALWAYS_INLINE_ int64_t nanoseconds_(R_ count_)
{
	typedef ratio_<P_> as_;
	R_ n_ = count_ * (R_)as_::times_ / (R_)as_::by_;

	return n_ >= (R_)as_::most_ ? as_::most_ :
	       n_ > -(R_)as_::most_ ? (int64_t)n_ : -as_::most_ - 1;
}

/* The field of an optional object, whose value is recorded as an F: a string
 * that may be NULL, an array that may be empty, or an array of one number. */
template <class F_, class Has_> struct option_ {
	typedef maybe_<F_> type_;
	template <class T_>
	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const T_ &v_)
	{
		return v_.has_value() ?
			type_{ as_<typename object_of_<decltype(*v_)>::type_>
				::of_(*v_), true } : type_{ F_(), false };
	}
};
template <class F_> struct option_pointer_ {
	typedef F_ type_;
	template <class T_>
	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const T_ &v_)
	{
		return v_.has_value() ?
			as_<typename object_of_<decltype(*v_)>::type_>
				::of_(*v_) : none_((F_ *)nullptr);
	}
private:
	static TAFFRAIL_ALWAYS_INLINE_ str_ none_(str_ *)
	{
		return str_(nullptr);
	}
	static TAFFRAIL_ALWAYS_INLINE_ text_ none_(text_ *)
	{
		return text_{ nullptr, 0 };
	}
	template <class T_>
	static TAFFRAIL_ALWAYS_INLINE_ seq_<T_> none_(seq_<T_> *)
	{
		return seq_<T_>(nullptr, 0);
	}
};
template <class Has_> struct option_<str_, Has_> : option_pointer_<str_> {};
template <class Has_> struct option_<text_, Has_> : option_pointer_<text_> {};
template <class T_, class Has_>
struct option_<seq_<T_>, Has_> : option_pointer_<seq_<T_> > {};
template <class Has_> struct option_<no_field_, Has_> {};
template <class T_, class Has_> struct option_<maybe_<T_>, Has_> {};

template <class T_>
TAFFRAIL_ALWAYS_INLINE_ no_field_ object_as_(const T_ &, rank_<0>)
{
	return no_field_();
}
/* std::atomic */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<1>) -> decltype(number_of_(v_.load()))
{
	return v_.load();
}
/* std::unique_ptr, std::shared_ptr */
template <class T_, class E_ = typename T_::element_type>
TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<2>) -> decltype(address_(v_.get()))
{
	return address_(v_.get());
}
/* std::optional: has_value() is asked for first, as a pointer to void must not
 * be read. */
template <class T_, class Has_ = decltype(any_<const T_ &>().has_value()),
	  class O_ = option_<typename as_<typename object_of_<
		decltype(*any_<const T_ &>())>::type_>::type_, Has_> >
TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<3>) -> typename O_::type_
{
	return O_::of_(v_);
}
/* std::chrono: a duration, a point in time. The clock that has to_time_t()
 * begins in 1970. */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<5>)
	-> formatted_<decltype(nanoseconds_<typename T_::period>(v_.count())),
		      TAFFRAIL_HOW_DURATION_NS>
{
	return { nanoseconds_<typename T_::period>(v_.count()) };
}
template <class T_> char since_1970_(T_ *, ...);
template <class T_, class C_ = decltype(
		T_::clock::to_time_t(any_<const T_ &>()))>
long since_1970_(T_ *, int);
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<4>)
	-> formatted_<decltype(object_as_(v_.time_since_epoch(),
					  rank_<5>()).value_),
		      sizeof(since_1970_((T_ *)nullptr, 0)) == 1 ?
			TAFFRAIL_HOW_DURATION_NS : TAFFRAIL_HOW_TIME_NS>
{
	return { object_as_(v_.time_since_epoch(), rank_<5>()).value_ };
}
/* std::vector, std::array, std::span */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype(make_array_(v_.data(), (uint64_t)v_.size()))
{
	return make_array_(v_.data(), (uint64_t)v_.size());
}
/* std::string_view */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<7>)
	-> decltype(characters_(v_.data(), v_.length()))
{
	return characters_(v_.data(), v_.length());
}
/* std::string, std::filesystem::path */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<8>) -> decltype(string_(v_.c_str()))
{
	return string_(v_.c_str());
}
/* std::exception */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<9>) -> decltype(string_(v_.what()))
{
	return string_(v_.what());
}
/* a program's own */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<10>)
	-> decltype(taffrail_as_field<T_>::value_(v_))
{
	return taffrail_as_field<T_>::value_(v_);
}

/* Returned by value, it must not own the memory that it points to. */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct owns_ {
	static constexpr bool memory_ = false;
};
template <class T_> struct owns_<T_, true> {
	static constexpr bool memory_ = !__has_trivial_destructor(T_);
};

template <class T_> struct as_<T_, true> {
	typedef decltype(object_as_(any_<const T_ &>(), first_rank_())) first_;
	typedef typename object_of_<first_>::type_ object_;
	typedef typename as_<object_>::type_ type_;
	static_assert(!owns_<first_>::memory_, "taffrail: value_ must not "
		      "return an object that owns memory");

	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const T_ &v_)
	{
		return as_<object_>::of_(object_as_(v_, first_rank_()));
	}
};

}
}

#pragma pop_macro("c_str")
#pragma pop_macro("clock")
#pragma pop_macro("count")
#pragma pop_macro("data")
#pragma pop_macro("den")
#pragma pop_macro("element_type")
#pragma pop_macro("get")
#pragma pop_macro("has_value")
#pragma pop_macro("length")
#pragma pop_macro("load")
#pragma pop_macro("num")
#pragma pop_macro("period")
#pragma pop_macro("size")
#pragma pop_macro("time_since_epoch")
#pragma pop_macro("to_time_t")
#pragma pop_macro("what")

#endif
