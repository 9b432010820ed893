/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes of files: arguments of every width in registers, in memory and
 * as constants, a semaphore, a probe twice; and, with DAMAGED, notes that no
 * assembler would make.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <stdint.h>
#include <sys/sdt.h>

__extension__ unsigned short shop_sold_semaphore
	__attribute__((section(".probes")));
__extension__ unsigned short shop_twice_semaphore
	__attribute__((section(".probes")));
static double price = 2.5;
static volatile int16_t stock = -3;

#ifdef DAMAGED
__asm__(".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 8, 24, 3\n"		/* no strings */
	".asciz \"stapsdt\"\n"
	".8byte 1, 2, 3\n"
	".4byte 8, 30, 3\n"		/* one that does not end */
	".asciz \"stapsdt\"\n"
	".8byte 1, 2, 3\n"
	".ascii \"unends\"\n"
	".balign 4\n"
	".popsection\n");
#endif

int main(int argc, char **argv)
{
	char first = argv[0][0];
	long many = argc;

	STAP_PROBE5(shop, sold, argc, many, first, argv[0], 7);
	STAP_PROBE2(shop, twice, &price, stock);
	STAP_PROBE2(shop, twice, argv, stock);
	return 0;
}
