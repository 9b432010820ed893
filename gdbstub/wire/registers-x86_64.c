/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers of x86-64 as gdb's own descriptions of GNU/Linux have them
 * (features/i386/64bit-{core,sse,linux,segments}.xml of GDB 13.1). The order
 * is gdb's default: readers of trace files assume it. Those readers take only
 * lines of less than 1000 bytes.
 *
 * org.gnu.gdb.i386.linux must be there. Without it gdb assumes a program
 * without an operating system, and neither relocates it nor finds the
 * libraries.
 */
#include "gdbstub/wire/registers.h"

#include "base/base.h"

enum {
	NUMBER_FLAGS	= 17,
	NUMBER_X87	= 24,
	NUMBER_ORIG_RAX	= 57,
	NUMBER_FS_BASE	= 58,
};

/* A run of registers: `count` of them are named name0, name1 and so on. */
static const struct row {
	char feature[9];		/* that this row begins, or "" */
	char names[45];			/* separated by blanks */
	uint8_t bits;
	uint8_t count;			/* 0: the names as they are */
	char type[12];			/* a pointer takes a relocation */
	char group[8];
} rows[] = {
	{ "core", "rax rbx rcx rdx rsi rdi", 64, 0,
	  "int64", "" },
	{ "", "rbp rsp", 64, 0, "data_ptr", "" },
	{ "", "r8 r9 r10 r11 r12 r13 r14 r15", 64, 0, "int64", "" },
	{ "", "rip", 64, 0, "code_ptr", "" },
	{ "", "eflags", 32, 0, "i386_eflags", "" },
	{ "", "cs ss ds es fs gs", 32, 0, "int32", "" },
	{ "", "st", 80, 8, "i387_ext", "" },
	{ "", "fctrl fstat ftag fiseg fioff foseg fooff fop", 32, 0,
	  "int", "float" },
	{ "sse", "xmm", 128, 16, "vec128", "" },
	{ "", "mxcsr", 32, 0, "int", "vector" },
	{ "linux", "orig_rax", 64, 0, "int", "system" },
	{ "segments", "fs_base gs_base", 64, 0, "int", "" },
};

/* Texts are in the rows: each pointer would take a relocation. */
static const struct {
	char name[4];
	uint8_t bit;
} flags[] = {
	{ "CF", 0 }, { "", 1 }, { "PF", 2 }, { "AF", 4 }, { "ZF", 6 },
	{ "SF", 7 }, { "TF", 8 }, { "IF", 9 }, { "DF", 10 }, { "OF", 11 },
	{ "NT", 14 }, { "RF", 16 }, { "VM", 17 }, { "AC", 18 }, { "VIF", 19 },
	{ "VIP", 20 }, { "ID", 21 },
};

static const struct {
	char id[6];
	char type[12];
	uint8_t count;
	char field[10];
} vectors[] = {
	{ "v4f", "ieee_single", 4, "v4_float" },
	{ "v2d", "ieee_double", 2, "v2_double" },
	{ "v16i8", "int8", 16, "v16_int8" },
	{ "v8i16", "int16", 8, "v8_int16" },
	{ "v4i32", "int32", 4, "v4_int32" },
	{ "v2i64", "int64", 2, "v2_int64" },
};

static void add_attribute(struct text *out, const char *name, const char *value)
{
	text_add_char(out, ' ');
	text_add(out, name);
	text_add(out, "=\"");
	text_add(out, value);
	text_add_char(out, '"');
}

static void add_attribute_number(struct text *out, const char *name,
				 uint32_t value)
{
	char number[16];
	struct text text;

	text_open(&text, number, sizeof(number));
	text_add_unsigned(&text, value);
	add_attribute(out, name, number);
}

/* Describes one register. */
static void describe_one(struct text *out, const struct row *row,
			 const char *name)
{
	text_add(out, "<reg");
	add_attribute(out, "name", name);
	add_attribute_number(out, "bitsize", row->bits);
	add_attribute(out, "type", row->type);
	if (*row->group)
		add_attribute(out, "group", row->group);
	text_add(out, "/>\n");
}

/* Describes the registers of a row: numbered registers, or the row's names. */
static void describe_row(struct text *out, const struct row *row)
{
	const char *p = row->names;
	char name[16];
	struct text text;

	for (uint32_t i = 0; i < row->count; i++) {
		text_open(&text, name, sizeof(name));
		text_add(&text, row->names);
		text_add_unsigned(&text, i);
		describe_one(out, row, name);
	}
	while (!row->count && *p) {
		text_open(&text, name, sizeof(name));
		while (*p && *p != ' ')
			text_add_char(&text, *p++);
		if (*p)
			p++;
		describe_one(out, row, name);
	}
}

void registers_describe(struct text *out)
{
	const struct row *row;

	text_add(out, "<?xml version=\"1.0\"?>\n"
		      "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
		      "<target version=\"1.0\">\n"
		      "<architecture>i386:x86-64</architecture>\n"
		      "<osabi>GNU/Linux</osabi>\n");
	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		if (row->feature[0]) {
			if (row != rows)
				text_add(out, "</feature>\n");
			text_add(out, "<feature name=\"org.gnu.gdb.i386.");
			text_add(out, row->feature);
			text_add(out, "\">\n");
		}
		if (row == rows) {
			/* eflags, which gdb shows by the names of the bits */
			text_add(out,
				 "<flags id=\"i386_eflags\" size=\"4\">\n");
			for (uint32_t i = 0; i < ARRAY_SIZE(flags); i++) {
				text_add(out, "<field");
				add_attribute(out, "name", flags[i].name);
				add_attribute_number(out, "start",
						     flags[i].bit);
				add_attribute_number(out, "end", flags[i].bit);
				text_add(out, "/>\n");
			}
			text_add(out, "</flags>\n");
		}
		if (row->count == 16) {
			/* the types that an xmm register can be seen as */
			for (uint32_t i = 0; i < ARRAY_SIZE(vectors); i++) {
				text_add(out, "<vector");
				add_attribute(out, "id", vectors[i].id);
				add_attribute(out, "type", vectors[i].type);
				add_attribute_number(out, "count",
						     vectors[i].count);
				text_add(out, "/>\n");
			}
			text_add(out, "<union id=\"vec128\">\n");
			for (uint32_t i = 0; i < ARRAY_SIZE(vectors); i++) {
				text_add(out, "<field");
				add_attribute(out, "name", vectors[i].field);
				add_attribute(out, "type", vectors[i].id);
				text_add(out, "/>\n");
			}
			text_add(out,
				 "<field name=\"uint128\" type=\"uint128\"/>\n"
				 "</union>\n");
		}
		describe_row(out, row);
	}
	text_add(out, "</feature>\n</target>\n");
}

/* Adds a register without a value. */
static void unknown_add(struct packet *out, uint32_t bits)
{
	for (; bits; bits -= 4)
		packet_add_byte(out, 'x');
}

void registers_add(struct packet *out, const struct registers *registers,
		   int known)
{
	if (known != REGISTERS_KNOWN_ADDRESS) {
		packet_add_hex(out, registers, REGISTERS_BLOCK_BYTES);
		return;
	}
	unknown_add(out, REGISTER_RIP * 64);
	packet_add_hex(out, &registers->rip, 8);
	unknown_add(out, (REGISTERS_BLOCK_BYTES - 8 * (REGISTER_RIP + 1)) * 8);
}

bool registers_add_one(struct packet *out, const struct registers *registers,
		       int known, uint64_t number)
{
	static const uint64_t no_call = ~0ull;
	const char *block = (const char *)registers;
	uint64_t left = number;	/* behind the first of the row */
	uint32_t n = 0;
	int block_known = known != REGISTERS_KNOWN_ADDRESS;
	const struct row *row;
	const char *p;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		n = row->count ? row->count : 1;
		for (p = row->names; !row->count && *p; p++)
			n += *p == ' ';
		if (left < n)
			break;
		left -= n;
	}
	if (row == rows + ARRAY_SIZE(rows))
		return false;
	if (number == REGISTER_RIP || (number < NUMBER_FLAGS && block_known))
		packet_add_hex(out, block + number * 8, 8);
	else if (number >= NUMBER_FLAGS && number < NUMBER_X87 && block_known)
		packet_add_hex(out, block + NUMBER_FLAGS * 8 +
				       (number - NUMBER_FLAGS) * 4, 4);
	else if (number == NUMBER_ORIG_RAX && known == REGISTERS_KNOWN_MORE)
		packet_add_hex(out, &no_call, 8);
	else if (number == NUMBER_FS_BASE && known == REGISTERS_KNOWN_MORE)
		packet_add_hex(out, &registers->fs_base, 8);
	else
		unknown_add(out, row->bits);
	return true;
}
