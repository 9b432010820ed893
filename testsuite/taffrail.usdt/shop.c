/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A common kind of program, with the probes of <sys/sdt.h>. C and C++; prints
 * "right", and how often it made a list for a probe.
 */
#ifdef SHOP_SEMAPHORES
#define _SDT_HAS_SEMAPHORES	1
#endif
#define SDT_USE_VARIADIC	1
#include <stdio.h>
#include <sys/sdt.h>

#define PROVIDER	shop		/* expanded, as names may be */

#ifdef SHOP_SEMAPHORES
#ifdef __cplusplus
extern "C" {
#endif
#define SEMAPHORE(name)							\
	extern unsigned short name;					\
	unsigned short name __attribute__((section(".probes")))
SEMAPHORE(shop_open_semaphore);
SEMAPHORE(shop_sold_semaphore);
SEMAPHORE(shop_listed_semaphore);
SEMAPHORE(shop_three_semaphore);
SEMAPHORE(shop_wide_semaphore);
SEMAPHORE(shop_many_semaphore);
#ifdef __cplusplus
}
#endif
#define WANTED	__builtin_expect(*(volatile unsigned short *)		\
				 &shop_listed_semaphore, 0)
#else
#define WANTED	1
#endif

enum colour { RED, BLUE = 7 };
struct item {
	int price;
};

static int lists;

static int list_make(int n)
{
	lists++;
	return n * 100;
}

static void sell(int n, struct item *item)
{
	static char buffer[8] = "abc";
	const char *name = "lamp";
	signed char small = -5;
	double weight = 2.5;
	float part = 0.5f;

	DTRACE_PROBE(shop, open);
	STAP_PROBE4(PROVIDER, sold, n, item->price, BLUE, small);
	if (WANTED)
		DTRACE_PROBE1(shop, listed, list_make(n));
	STAP_PROBEV(shop, three, (unsigned char)200, (short)-3, 1ull << 40);
	DTRACE_PROBE2(shop, wide, weight, part);
	DTRACE_PROBE12(shop, many, name, buffer, item, n, n + 1, n + 2, n + 3,
		       (long)n + 4, n + 5, n + 6, n + 7, (unsigned)n + 8);
}

int main(void)
{
	struct item item = { 30 };
	int n;

	for (n = 0; n < 10; n++)
		sell(n, &item);
	printf("right\nlists %d\n", lists);
	return 0;
}
