/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes code through /proc/self/mem, which needs no writable text and splits
 * no mapping. If that is denied, makes the page writable for a moment. Text
 * stays executable all the time.
 */
#include "tracepoints/program/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/program/translated-x86_64.h"

int (*patch_refused)(const struct patcher *patcher, uint8_t *code,
		      const uint8_t *stub, int on);

void (*patch_flush)(const struct patcher *patcher);

int patch_setup(void)
{
	sys_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
	return (int)sys_membarrier(
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
}

int patch_sync(void)
{
	long p;

	if (!sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE))
		return 0;
	/* a kernel without that command, which came with Linux 4.16: unmaps a
	 * page. The kernel then interrupts each CPU that runs the process, and
	 * the return from an interrupt serialises. */
	p = sys_mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p < 0 && p > -4096)
		return (int)p;
	return (int)sys_munmap(p, 4096);
}

void patch_open(struct patcher *patcher)
{
	patcher->mem = PATCH_UNOPENED;
	patcher->opened = &patcher->mem;
}

int patch_memory(const struct patcher *patcher)
{
	long fd;

	if (patcher->mem == PATCH_UNOPENED) {
		fd = sys_open("/proc/self/mem", O_RDWR | O_CLOEXEC, 0);
		*patcher->opened = fd < 0 ? -1 : (int)fd;
	}
	return patcher->mem;
}

void patch_close(struct patcher *patcher)
{
	if (patch_flush)
		patch_flush(patcher);
	/* nothing was written */
	if (patcher->mem == PATCH_UNOPENED)
		return;
	if (patcher->mem >= 0)
		sys_close(patcher->mem);
	patch_sync();
}

/* Writes the bytes from the last to the first, so that a first byte which leads
 * to the others is last. Returns 0; or a negative errno, and nothing is
 * written. Pages that cannot be protected again stay writable. */
static int write_by_mprotect(uint8_t *code, const uint8_t *bytes, uint32_t n)
{
	uint64_t start = (uint64_t)code & ~4095ull;
	uint64_t length = align_up((uint64_t)code + n, 4096) - start;
	int ret = sys_mprotect(start, length,
			       PROT_READ | PROT_WRITE | PROT_EXEC);

	if (ret)
		return ret;
	for (uint32_t i = n; i-- > 0;)
		__atomic_store_n(&code[i], bytes[i], RELEASE(CODE_BYTES));
	sys_mprotect(start, length, PROT_READ | PROT_EXEC);
	return 0;
}

int patch_write(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n)
{
	int mem = patch_memory(patcher);
	int ret = 0;

	if (mem < 0 || sys_pwrite(mem, bytes, n, code) != (long)n)
		ret = write_by_mprotect(code, bytes, n);
	translated_anew(code, n);
	return ret;
}

int patch_word(uint64_t *word, uint64_t was, uint64_t value)
{
	uint64_t page = (uint64_t)word & ~4095ull;
	int ret = sys_mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);

	if (ret)
		return ret;
	ret = __atomic_compare_exchange_n(word, &was, value, 0,
					  RELEASE(CODE_BYTES),
					  __ATOMIC_RELAXED) ? 0 : -EBUSY;
	sys_mprotect(page, 4096, PROT_READ | PROT_EXEC);
	translated_anew((uint8_t *)word, sizeof(*word));
	return ret;
}

int patch_byte(const struct patcher *patcher, uint8_t *code, uint8_t value)
{
	return patch_write(patcher, code, &value, 1);
}

int patch_site(const struct patcher *patcher, uint8_t *code,
	       const uint8_t *stub, int on)
{
	uint8_t wanted = on ? SITE_ON : SITE_OFF;

	if (!patch_leads(code, stub - code)) {
		if (patch_refused && patch_refused(patcher, code, stub, on))
			return -EINPROGRESS;
		return -EBUSY;
	}
	if (code[1] == wanted)
		return 0;
	return patch_byte(patcher, code + 1, wanted);
}

/* The operand of a test may be anything. */
int patch_restore(const struct patcher *patcher, uint8_t *code,
		  const uint8_t *stub, int on)
{
	int32_t operand = (int32_t)(stub - (code + 6));
	int ret = patch_byte(patcher, code + 1, SITE_OFF);

	patch_sync();
	if (!ret)
		ret = patch_write(patcher, code + 2, (uint8_t *)&operand, 4);
	patch_sync();
	return ret || !on ? ret : patch_byte(patcher, code + 1, SITE_ON);
}

int patch_bytes(const struct patcher *patcher, uint8_t *code,
		const uint8_t *bytes, uint32_t n)
{
	int ret = patch_write(patcher, code + 1, bytes + 1, n - 1);

	if (ret)
		return ret;
	patch_sync();
	return patch_write(patcher, code, bytes, 1);
}

void patch_grace(void)
{
	sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
}
