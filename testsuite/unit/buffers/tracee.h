/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child that runs this program's own code and is stopped at its
 * instructions: the list of those, breakpoints, single steps.
 *
 * The child says PTRACE_TRACEME and stops by SIGSTOP before what is looked at,
 * and again behind it.
 */
#ifndef TESTSUITE_TRACEE_H
#define TESTSUITE_TRACEE_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

#define INT3		0xcc

#define INSN_BEGINS	1
#define INSN_WRITES	2	/* memory, or the kernel may */

/* .text of this program. */
struct text_map {
	uint8_t *start;
	size_t bytes;
	uint8_t *begins;	/* 0, or INSN_ bits of the instruction that
				 * begins at this byte */
};

enum tracee_stop { TRACEE_STEP, TRACEE_TRAP, TRACEE_STOPPED, TRACEE_GONE };

/* Where the program lies, less what its file says. */
static inline uint64_t tracee_bias(const Elf64_Ehdr *file)
{
	return getauxval(AT_ENTRY) - file->e_entry;
}

static inline int text_find(struct text_map *text, const void *bytes)
{
	const Elf64_Ehdr *file = bytes;
	const Elf64_Shdr *sections = (const void *)((const char *)bytes +
						    file->e_shoff);
	const char *names = (const char *)bytes +
			    sections[file->e_shstrndx].sh_offset;
	int i;

	for (i = 0; i < file->e_shnum; i++) {
		if (strcmp(names + sections[i].sh_name, ".text"))
			continue;
		text->start = (uint8_t *)(uintptr_t)(sections[i].sh_addr +
						     tracee_bias(file));
		text->bytes = sections[i].sh_size;
		return 0;
	}
	return -ENOENT;
}

/* The compiler puts nothing but instructions there. */
static inline int text_decode(struct text_map *text)
{
#ifdef HAVE_ZYDIS
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT], *operand;
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;
	size_t at;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	for (at = 0; at < text->bytes; at += instruction.length) {
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(
			    &decoder, text->start + at, text->bytes - at,
			    &instruction, operands)))
			return -EILSEQ;
		text->begins[at] = INSN_BEGINS;
		if (instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
			text->begins[at] |= INSN_WRITES;
		for (int i = 0; i < instruction.operand_count; i++) {
			operand = &operands[i];
			if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
				text->begins[at] |= INSN_WRITES;
		}
	}
	return 0;
#else
	(void)text;
	return -ENOSYS;
#endif
}

/* Finds .text and its instructions. Returns 0 or a negative errno. */
static inline int text_open(struct text_map *text)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;
	int ret = -ENOENT;

	if (fd < 0 || fstat(fd, &st))
		return -ENOENT;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return -ENOMEM;
	if (!text_find(text, file)) {
		text->begins = calloc(1, text->bytes);
		ret = text->begins ? text_decode(text) : -ENOMEM;
	}
	munmap(file, (size_t)st.st_size);
	return ret;
}

/* Waits for the child's next stop; *at is where that is. */
static inline enum tracee_stop tracee_wait(pid_t pid, uint64_t *at)
{
	struct user_regs_struct registers;
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return TRACEE_GONE;
	if (ptrace(PTRACE_GETREGS, pid, NULL, &registers))
		return TRACEE_GONE;
	*at = registers.rip;
	if (WSTOPSIG(status) == SIGTRAP)
		return TRACEE_TRAP;
	return WSTOPSIG(status) == SIGSTOP ? TRACEE_STOPPED : TRACEE_GONE;
}

/* Stores into the child's text. */
static inline int tracee_poke(int memory, const uint8_t *at, const void *bytes,
			      size_t n)
{
	return pwrite(memory, bytes, n, (off_t)(uintptr_t)at) != (ssize_t)n;
}

static inline int tracee_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static inline void tracee_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
