/* SPDX-License-Identifier: MIT */
/*
 * Channels and names are words, in C++: the compiler says so at the line of a
 * marker where one is not. A word has letters, digits, _, $ and letters of
 * UTF-8. Everything here is private.
 *
 * TAFFRAIL_WORDS_(channel, name) is a declaration, TAFFRAIL_WORD_(text), for
 * the name of a field, an expression. Where no sentence can stand, the name of
 * a type or of a member is the sentence.
 */
#ifndef TAFFRAIL_MARKER_WORDS_CXX_H
#define TAFFRAIL_MARKER_WORDS_CXX_H

#define TAFFRAIL_WORDS_(channel, name)					\
	static_assert(::taffrail_::is_word_(channel) &&			\
		      ::taffrail_::is_word_(name), TAFFRAIL_WORDS_TEXT_);
#define TAFFRAIL_WORD_(text)						\
	(void)sizeof(::taffrail_::a_fields_name_is_one_word_<		\
		::taffrail_::is_word_(text)>)

extern "C++" {
namespace taffrail_ {

constexpr bool is_letter_(char c_)
{
	return (c_ >= 'a' && c_ <= 'z') || (c_ >= 'A' && c_ <= 'Z') ||
	       (c_ >= '0' && c_ <= '9') || c_ == '_' || c_ == '$' ||
	       (c_ & 0x80);
}
constexpr bool is_word_(const char *text_)
{
	return is_letter_(*text_) && (!text_[1] || is_word_(text_ + 1));
}
template <bool Word_> struct a_fields_name_is_one_word_;
template <> struct a_fields_name_is_one_word_<true> {};

}
}

#endif
