/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls 1,000 functions with long names, which begin with LETTER, until it is
 * killed. */
#include <unistd.h>

#define PASTE(a, b, n)	a##_has_a_long_name_##b##b##_##n
#define NAME(a, b, n)	PASTE(a, b, n)

#define TEN(m, n)	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) \
			m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n)	TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) \
			TEN(m, n##4) TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) \
			TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m)	HUNDRED(m, 0) HUNDRED(m, 1) HUNDRED(m, 2) \
			HUNDRED(m, 3) HUNDRED(m, 4) HUNDRED(m, 5) \
			HUNDRED(m, 6) HUNDRED(m, 7) HUNDRED(m, 8) HUNDRED(m, 9)

#define FUNCTION(n)	NAME(LETTER, _so_that_its_description_is_large, n)

/* Both ends have room for a jump. */
#define MAKE(n)								\
	static __attribute__((noinline)) long FUNCTION(n)(long i)	\
	{								\
		__asm__ volatile("mov $0x12345678, %%eax" ::: "rax");	\
		return i + 1##n##00;					\
	}
#define CALL(n)		i = FUNCTION(n)(i);

THOUSAND(MAKE)

int main(void)
{
	for (volatile long i = 0;; usleep(500000)) {
		THOUSAND(CALL)
	}
}
