/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libZydis as an ordinary linked library, for tools.
 */
#include "tracepoints/usdt/plan/plan.h"

#include <stddef.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

const struct usdt_decoder *usdt_zydis(void)
{
	static _Thread_local struct usdt_decoder decoder;

	decoder.init = ZydisDecoderInit;
	decoder.decode = ZydisDecoderDecodeInstruction;
	return usdt_decoder_open(&decoder) ? NULL : &decoder;
}

#else

const struct usdt_decoder *usdt_zydis(void)
{
	return NULL;
}

#endif
