/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * See harness.h. Writes one line for each event: its name, then its fields:
 * integers, %g of floating point, "text", [elements], pointers as `nil` or
 * `ptr`.
 *
 *	cases		run the cases, exit 1 when one fails
 *	cases --sites	print the link-time address, channel and name of every
 *			site that must be a USDT probe
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <taffrail/site.h>

#include "harness.h"

#define SITES_MAX 4096

struct found {
	unsigned char *code;
	struct taffrail_site *site;
	unsigned char *stub;
	uint32_t flags;
	uintptr_t base;
};

static struct found found[SITES_MAX];
static int nfound;
static int failures;
static char written[1 << 16];
static size_t nwritten;

static const char *text_of(const struct taffrail_site *site, int i)
{
	const char *text = (const char *)(site + 1);

	while (i--)
		text += strlen(text) + 1;
	return text;
}

static void put(const char *s)
{
	size_t n = strlen(s);

	if (nwritten + n < sizeof(written)) {
		memcpy(written + nwritten, s, n + 1);
		nwritten += n;
	}
}

static size_t scalar_bytes(int type)
{
	static const unsigned char bytes[] = {
		0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(void *), 1,
	};

	return type < (int)sizeof(bytes) ? bytes[type] : 0;
}

static void put_scalar(int type, const unsigned char *p)
{
	size_t bytes = scalar_bytes(type);
	uint64_t u = 0;
	char s[64];
	float f;
	double d;

	memcpy(&u, p, bytes);
	memcpy(&f, p, sizeof(f) < bytes ? sizeof(f) : bytes);
	memcpy(&d, &u, sizeof(d));
	if (type == TAFFRAIL_T_PTR)
		snprintf(s, sizeof(s), "%s", u ? "ptr" : "nil");
	else if (type == TAFFRAIL_T_F32)
		snprintf(s, sizeof(s), "%gf", (double)f);
	else if (type == TAFFRAIL_T_F64)
		snprintf(s, sizeof(s), "%g", d);
	else if (type == TAFFRAIL_T_BOOL)
		snprintf(s, sizeof(s), "%s", u ? "true" : "false");
	else if (type & 1)	/* signed types are odd */
		snprintf(s, sizeof(s), "%lld", (long long)(u << (64 - 8 *
			 bytes)) >> (64 - 8 * bytes));
	else
		snprintf(s, sizeof(s), "%lluu", (unsigned long long)u);
	put(s);
}

static void put_var(int type, const struct taffrail_var *var)
{
	const unsigned char *p = var->p_;
	uint64_t i;

	if (type == TAFFRAIL_T_STRING) {
		put("\"");
		put(var->n_ == TAFFRAIL_VAR_STRING ||
		    (var->n_ == TAFFRAIL_VAR_NULL &&
		     !strcmp(var->p_, "(null)")) ?
			    (const char *)var->p_ : "WRONG LENGTH");
		put("\"");
		return;
	}
	put("[");
	type &= TAFFRAIL_T_SCALAR_MASK;
	for (i = 0; i < var->n_ && i < 100; i++) {
		put(i ? "," : "");
		put_scalar(type, p + i * scalar_bytes(type));
	}
	put("]");
}

static void hit(struct taffrail_site *site, uint64_t fixed,
		const struct taffrail_var *var)
{
	const unsigned char *p = site->fixed_bytes_ > 8 ?
		(const unsigned char *)(uintptr_t)fixed :
		(const unsigned char *)&fixed, *begin = p;
	int i, nvar = 0;

	put(text_of(site, 1));
	for (i = 0; i < site->nfields_; i++) {
		put(" ");
		if (site->types_[i] >= TAFFRAIL_T_STRING) {
			put_var(site->types_[i], &var[nvar++]);
		} else {
			put_scalar(site->types_[i], p);
			p += scalar_bytes(site->types_[i]);
		}
	}
	put(p - begin == site->fixed_bytes_ ? "" : " WRONG SIZE");
	put(nvar == site->nvar_ && (nvar || !var) ? "\n" : " WRONG COUNT\n");
}

static void add_note(const struct taffrail_note *note, uintptr_t base)
{
	struct found *f = &found[nfound++];

	if (nfound == SITES_MAX)
		abort();
	f->code = (unsigned char *)&note->code_ + note->code_;
	f->site = (struct taffrail_site *)((char *)&note->object_ +
					   note->object_);
	f->stub = (unsigned char *)&note->stub_ + note->stub_;
	f->flags = note->flags_;
	f->base = base;
	f->site->hit_ = hit;
	if (f->site->version_ != TAFFRAIL_SITE_VERSION ||
	    (uintptr_t)f->site % 64 || f->code[0] != 0x90) {
		printf("# site %d is malformed\n", nfound);
		exit(1);
	}
	if (!(f->flags & TAFFRAIL_SITE_FLAG_TESTED) &&
	    (f->code[1] != 0xa9 || f->stub[0] != 0xa8 || f->stub[2] != 0xe9)) {
		printf("# site %d has wrong code\n", nfound);
		exit(1);
	}
}

static int scan(struct dl_phdr_info *info, size_t size, void *data)
{
	int i;

	(void)size;
	(void)data;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const char *p = (const char *)info->dlpi_addr + ph->p_vaddr;
		const char *end = p + ph->p_memsz;

		if (ph->p_type != PT_NOTE || ph->p_align > 4)
			continue;
		while (p + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const void *)p;
			const char *name = p + sizeof(*n);
			const char *desc = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_namesz == 9 && !memcmp(name, "taffrail", 9))
				add_note((const void *)desc, info->dlpi_addr);
			p = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
	return 0;
}

static __attribute__((no_sanitize("thread")))
void patch(unsigned char *p, unsigned char byte)
{
	void *page = (void *)((uintptr_t)p & ~(uintptr_t)4095);

	if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("mprotect");
		exit(1);
	}
	*p = byte;
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

int harness_switch(const char *name, int on)
{
	int i, n = 0;

	for (i = 0; i < nfound; i++) {
		if (strcmp(text_of(found[i].site, 1), name))
			continue;
		n++;
		if (found[i].flags & TAFFRAIL_SITE_FLAG_TESTED)
			found[i].site->enabled_ = (uint32_t)on;
		else
			patch(found[i].code + 1, on ? 0xe9 : 0xa9);
	}
	if (!n) {
		printf("# no site of %s\n", name);
		failures++;
	}
	return n;
}

void harness_expect(const char *what, const char *want)
{
	if (strcmp(written, want)) {
		printf("# %s: got\n%s# wanted\n%s", what, written, want);
		failures++;
	}
	nwritten = 0;
	written[0] = '\0';
}

void harness_equal(const char *what, long got, long want)
{
	if (got != want) {
		printf("# %s is %ld, not %ld\n", what, got, want);
		failures++;
	}
}

void harness_text(const char *name, const char *want)
{
	int i;

	for (i = 0; i < nfound; i++) {
		const struct taffrail_site *site = found[i].site;
		const char *file = text_of(site, 3);

		if (strcmp(text_of(site, 1), name))
			continue;
		if (strcmp(text_of(site, 2), want) ||
		    file + strlen(file) + 1 !=
		    (const char *)(site + 1) + site->text_bytes_) {
			printf("# text of %s: %s, not %s\n", name,
			       text_of(site, 2), want);
			failures++;
		}
	}
}

/* Runs before every other constructor: markers in those must work, too. */
static __attribute__((constructor(101))) void start(void)
{
	dl_iterate_phdr(scan, NULL);
	harness_switch("early", 1);
}

static int print_sites(void)
{
	int i;

	for (i = 0; i < nfound; i++) {
		if (found[i].site->kind_ == TAFFRAIL_KIND_GUARD)
			continue;
		printf("%#lx %s %s\n", (unsigned long)((uintptr_t)found[i].code
		       - found[i].base), text_of(found[i].site, 0),
		       text_of(found[i].site, 1));
	}
	return 0;
}

#ifdef HARNESS_NO_CXX
void cases_run_cxx(void)
{
}
#endif

/* As a library, the harness must be there before the cases' constructors. */
#ifdef HARNESS_SHARED
#define main harness_main
int harness_main(int argc, char **argv);
#endif

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--sites"))
		return print_sites();
	cases_run();
	cases_run_cxx();
	return failures != 0;
}
