/* SPDX-License-Identifier: MIT */
/*
 * Channels and names are words, in C: the compiler says so at the line of a
 * marker where one is not. A word has letters, digits, _, $ and letters of
 * UTF-8. Everything here is private.
 *
 * TAFFRAIL_WORDS_(channel, name) is a declaration, TAFFRAIL_WORD_(text), for
 * the name of a field, an expression. Where no sentence can stand, the name of
 * a type or of a member is the sentence.
 */
#ifndef TAFFRAIL_MARKER_WORDS_C_H
#define TAFFRAIL_MARKER_WORDS_C_H

/* Before C11 glibc's headers make a macro of it, whose error has no words. So
 * no parenthesis follows the word where macros are looked for. */
#define TAFFRAIL_ASSERT_	_Static_assert TAFFRAIL_NOTHING_()

/* In a constant, clang looks for one character, gcc for each of several. */
#ifdef __clang__
#define TAFFRAIL_HAS_(text, c)	__builtin_strchr(text, c)
#define TAFFRAIL_NO_WORD_(text)						\
	(!*(text) || TAFFRAIL_HAS_(text, ' ') ||			\
	 TAFFRAIL_HAS_(text, '-') || TAFFRAIL_HAS_(text, '.') ||	\
	 TAFFRAIL_HAS_(text, ':') || TAFFRAIL_HAS_(text, '/') ||	\
	 TAFFRAIL_HAS_(text, '(') || TAFFRAIL_HAS_(text, '[') ||	\
	 TAFFRAIL_HAS_(text, '{') || TAFFRAIL_HAS_(text, '"') ||	\
	 TAFFRAIL_HAS_(text, '\'') || TAFFRAIL_HAS_(text, '*') ||	\
	 TAFFRAIL_HAS_(text, '+') || TAFFRAIL_HAS_(text, '<') ||	\
	 TAFFRAIL_HAS_(text, '>') || TAFFRAIL_HAS_(text, '=') ||	\
	 TAFFRAIL_HAS_(text, '!') || TAFFRAIL_HAS_(text, '?') ||	\
	 TAFFRAIL_HAS_(text, '&') || TAFFRAIL_HAS_(text, '|') ||	\
	 TAFFRAIL_HAS_(text, '^') || TAFFRAIL_HAS_(text, '~') ||	\
	 TAFFRAIL_HAS_(text, '%') || TAFFRAIL_HAS_(text, '@') ||	\
	 TAFFRAIL_HAS_(text, '#') || TAFFRAIL_HAS_(text, ';') ||	\
	 TAFFRAIL_HAS_(text, '\\') || TAFFRAIL_HAS_(text, '`'))
static __inline__ int taffrail_word_(const char *text_)
	__attribute__((__diagnose_if__(TAFFRAIL_NO_WORD_(text_),
				       TAFFRAIL_WORDS_TEXT_, "error")));
static __inline__ int taffrail_word_(const char *text_)
{
	return !text_;
}
#define TAFFRAIL_WORD_(text)	(void)sizeof(taffrail_word_(text))
#define TAFFRAIL_WORDS_(channel, name)					\
	TAFFRAIL_ASSERT_(sizeof(taffrail_word_(channel)) +		\
		       sizeof(taffrail_word_(name)) != 0, "");
#else
#define TAFFRAIL_IS_WORD_(text)						\
	(sizeof(text) > 1 && __builtin_strcspn(text,			\
		" -.:/([{\"'*+<>=!?&|^~%@#;\\`") == sizeof(text) - 1)
#define TAFFRAIL_WORD_(text)						\
	(void)__extension__ sizeof(struct {				\
		int taffrail_a_fields_name_is_one_word_ :		\
			TAFFRAIL_IS_WORD_(text) ? 1 : -1; })
#define TAFFRAIL_WORDS_(channel, name)					\
	TAFFRAIL_ASSERT_(sizeof(channel) > 1 && sizeof(name) > 1 &&	\
		TAFFRAIL_IS_WORD_(channel name), TAFFRAIL_WORDS_TEXT_);
#endif

#endif
