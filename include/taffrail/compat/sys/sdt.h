/* SPDX-License-Identifier: MIT */
/*
 * For programs that include <sys/sdt.h> and are compiled with
 * -I$(includedir)/taffrail/compat: their probes become markers
 * (taffrail/sdt.h). Assembler files get systemtap's.
 */
#ifdef __ASSEMBLER__
#include_next <sys/sdt.h>
#else
#include <taffrail/sdt.h>
#endif
