/* SPDX-License-Identifier: MIT */
/*
 * The sections of a site, besides the function that holds it: the stub, the
 * note and the USDT note. Everything here is private.
 *
 * A linker that drops unused functions (--gc-sections) starts at notes: it
 * keeps all that a note names. So a marker keeps the function, used or not, and
 * all that the function names. With TAFFRAIL_GC_SECTIONS the notes are linked
 * to the section of the site (flag "o", SHF_LINK_ORDER), and go with it; each
 * stub has a separate section, as a stub names the function. That costs some
 * 400 bytes of object file a site, and an assembler that knows the flags: that
 * of clang, or of binutils 2.36 and later.
 *
 * Invariant: a section that is linked to another one has a unique name, as
 * older linkers do not join it with others of the same name. The name begins as
 * it does because gold goes by names: it would drop all notes that it does not
 * take for something to keep. The GNU assembler warns of the flag in all loaded
 * sections called .note.
 */
#ifndef TAFFRAIL_MARKER_SECTIONS_H
#define TAFFRAIL_MARKER_SECTIONS_H

#ifdef TAFFRAIL_GC_SECTIONS
#define TAFFRAIL_SITE_LABEL_	".Ltaffrail_site%=:\n"
#define TAFFRAIL_STUB_SECTION_						\
	".text.unlikely.taffrail,\"ax?\",\"progbits\",unique,%="
#define TAFFRAIL_NOTE_SECTION_						\
	".jcr.taffrail,\"ao?\",\"note\",.Ltaffrail_site%="
#define TAFFRAIL_SDT_SECTION_						\
	".note.stapsdt,\"o?\",\"note\",.Ltaffrail_site%="
#else
#define TAFFRAIL_SITE_LABEL_
#define TAFFRAIL_STUB_SECTION_	".text.unlikely.taffrail,\"ax?\",\"progbits\""
#define TAFFRAIL_NOTE_SECTION_	".note.taffrail,\"a?\",\"note\""
#define TAFFRAIL_SDT_SECTION_	".note.stapsdt,\"?\",\"note\""
#endif

#endif
