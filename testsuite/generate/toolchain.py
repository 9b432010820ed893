# SPDX-License-Identifier: LGPL-2.1-or-later
"""The compilers of this machine, and options for a program."""
import functools
import shutil
import subprocess
import tempfile

# A year, and the names that compilers have for it; 9 comes before 11.
STANDARDS = {
    "c": ((9, ("99",)), (11, ("11",)), (17, ("17",)), (23, ("23", "2x"))),
    "c++": ((11, ("11",)), (14, ("14",)), (17, ("17",)), (20, ("20", "2a")),
            (23, ("23", "2b")))}
LEVELS = ("-O0", "-O1", "-O2", "-O2", "-O3", "-Os", "-Og")

# What may be added: options, compilers, features that they bring, features
# that they exclude.
OPTIONS = (
    ("-g", None, (), ()), ("-g3", None, (), ()),
    ("-fsanitize=undefined -fno-sanitize-recover=all", None, ("ubsan",),
     ("library",)),
    ("-march=native", None, (), ()), ("-mavx2", None, (), ()),
    ("-mno-red-zone", None, (), ()), ("-mtune=generic", None, (), ()),
    ("-mstackrealign", None, (), ()), ("-mno-sse4", None, (), ()),
    ("-flto", None, ("lto",), ()), ("-masm=intel", None, (), ()),
    ("-mcmodel=large", None, ("large",), ("library", "ubsan", "lto")),
    ("-mcmodel=medium -mlarge-data-threshold=1", "gcc", ("large",),
     ("library", "ubsan", "lto")),
    ("-funsigned-char", None, ("unsigned char",), ()),
    ("-fshort-enums", None, ("short enums",), ()),
    ("-ffast-math", None, ("finite",), ()),
    ("-fno-strict-aliasing", None, (), ()), ("-fwrapv", None, (), ()),
    ("-fno-omit-frame-pointer", None, (), ()), ("-fno-plt", None, (), ()),
    ("-fstack-protector-all", None, (), ()), ("-fcommon", None, (), ()),
    ("-fcf-protection=full", None, (), ()), ("-fno-builtin", None, (), ()),
    ("-fcf-protection=none", None, (), ()), ("-ftrapv", None, (), ()),
    ("-ffunction-sections -fdata-sections -Wl,--gc-sections", None, (), ()),
    ("-fno-asynchronous-unwind-tables", None, (), ()),
    ("-D_FORTIFY_SOURCE=2 -O2", None, (), ()),
    ("-fstack-clash-protection", None, (), ()),
    ("-fipa-pta", "gcc", (), ()), ("-fno-reorder-blocks", "gcc", (), ()),
    ("-funroll-all-loops", "gcc", (), ()), ("-fno-toplevel-reorder", "gcc",
                                           (), ()),
    ("-fno-jump-tables", None, (), ()), ("-finline-functions", None, (), ()),
    ("-fno-inline", None, (), ()), ("-freorder-blocks-and-partition", "gcc",
                                    (), ()),
    ("-fexceptions", None, (), ()), ("--coverage", "gcc", (), ()),
    ("-Wl,-z,now", None, (), ()), ("-Wl,-O1,--sort-common", None, (), ()),
    ("-fuse-ld=gold", None, (), ("lto",)),
    ("-fuse-ld=lld", "clang", ("lld",), ()),
    ("-Wl,--build-id=sha1", None, (), ()), ("-pipe", None, (), ()),
    ("-DTAFFRAIL_FLAG_SITES", None, ("flag sites",), ()),
    ("-fno-exceptions", "c++", ("no exceptions",), ()),
    ("-fno-rtti", "c++", (), ()), ("-fcoroutines", "g++", (), ()),
    ("-fno-threadsafe-statics", "c++", (), ()),
    ("-DTAFFRAIL_GC_SECTIONS -ffunction-sections -Wl,--gc-sections", None, (),
     ()))
LINKS = (("-fPIE -pie", ()), ("-fno-pie -no-pie", ()), ("", ()),
         ("-fPIC", ("library",)))


@functools.lru_cache(None)
def accepts(compiler, language, options):
    """Whether a compiler compiles and links with these options."""
    with tempfile.TemporaryDirectory(prefix="taffrail-generate.") as folder:
        return subprocess.run(
            [compiler, "-x", language, "-", "-o", "a", "-Werror",
             *options.split()], input=b"int main(void) { return 0; }\n",
            cwd=folder, check=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0


class Toolchain:
    def __init__(self, compilers):
        self.compilers = [c for c in compilers if shutil.which(c)]
        if not self.compilers:
            raise SystemExit("generate: no compiler: install gcc or clang")

    def standards(self, compiler, language):
        found = []
        for year, names in STANDARDS[language]:
            for name in names:
                prefix = "gnu" + language[1:]
                if accepts(compiler, language, "-std=%s%s" % (prefix, name)):
                    found.append((year, name))
                    break
        return found

    def choose(self, program):
        """Sets what the program is compiled with. The same seed chooses the
        same on machines with the same compilers."""
        rng = program.rng
        program.compiler = compiler = rng.choice(self.compilers)
        program.language = language = "c++" if "++" in compiler else "c"
        program.family = "clang" if "clang" in compiler else "gcc"
        year, name = rng.choice(self.standards(compiler, language))
        program.year = year
        strict = rng.choice(("gnu", "gnu", language[0]))
        standard = "-std=%s%s%s" % (strict, language[1:], name)
        if strict == "c":
            standard += " -D_GNU_SOURCE"
        options, features = rng.choice(LINKS)
        flags = [*standard.split(), rng.choice(LEVELS), *options.split()]
        features = set(features)
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            self.add(program, flags, features, rng.choice(OPTIONS))
        how = rng.random()
        if how < 0.1:
            features.add("sdt args")
        elif how < 0.2:
            features.add("sdt.h")
        program.features, program.flags = features, flags
        program.early_values = bool(features & {"sdt args", "sdt.h"})
        program.unsigned_char = "unsigned char" in features
        program.finite = "finite" in features

    def add(self, program, flags, features, option):
        options, who, brings, excludes = option
        if (who not in (None, program.family, program.language,
                        program.compiler)
                or features & set(excludes)
                or not accepts(program.compiler, program.language, options)):
            return
        # lld may be older than the compiler: it then reads no LTO of it.
        if {"lto", "lld"} <= features | set(brings) and not accepts(
                program.compiler, program.language, "-flto -fuse-ld=lld"):
            return
        flags += options.split()
        features |= set(brings)
