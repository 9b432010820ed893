# SPDX-License-Identifier: LGPL-2.1-or-later
"""Places in a source where a marker may stand.

A place gets @K@ (a number), @R@ (the rounds), @LOCAL@ (declarations), @M@ (the
marker without its semicolon); it gives text of the file, and text that runs
the marker @R@ times, with `i` from 0 on. A place of a header has the function
`m@K@`; the second source calls it from `second@K@`.
"""

EACH = "for (int i = 0; i < @R@; i++) m@K@(i);"
TURNS = ("for (int i = 0; i < @R@; i++) { if (i & 1) second@K@(i); else "
         "m@K@(i); }")


class Place:
    def __init__(self, name, top, drive=EACH, language=None, since=0,
                 compiler=None, flags="", early=False, header=False,
                 without=()):
        self.name, self.top, self.drive = name, top, drive
        self.language = language        # "c", "c++"; None: both
        self.since = since              # the first year of the standard
        self.compiler = compiler        # "gcc", "clang"; None: both
        self.flags = flags              # that the program needs
        self.early = early              # runs before or after main()
        self.header = header            # that two sources include
        self.without = without          # what the program must not have

    def fits(self, program):
        return (self.language in (None, program.language)
                and program.year >= self.since
                and self.compiler in (None, program.family)
                and not set(self.without) & program.features)


def body(function, before="@LOCAL@", after=""):
    return "%s\n{\n%s\n@M@;\n%s(void)i; }\n" % (function, before, after)


M = "static void m@K@(int i)"
PLACES = [
    Place("function", body(M)),
    Place("noinline", body("__attribute__((noinline)) " + M)),
    Place("extern", body("void m@K@(int i);\nvoid m@K@(int i)")),
    Place("always inline", body("static inline __attribute__((always_inline))"
                                " void m@K@(int i)")),
    Place("inline twice", body("static inline void m@K@(int i)"),
          "for (int i = 0; i < @R@; i++) { if (i & 1) m@K@(i); else "
          "m@K@(i); }"),
    Place("pure loop", "static void all@K@(void)\n{ for (int i = 0; i < @R@; "
          "i++) {\n@LOCAL@\n@M@;\n} }\n", "all@K@();"),
    Place("while", "static void all@K@(void)\n{ int i = 0; do {\n@LOCAL@\n"
          "@M@;\n} while (++i < @R@); }\n", "all@K@();"),
    Place("switch", "static void m@K@(int i)\n{\n@LOCAL@\nswitch (i & 3) {\n"
          "case 0:\n@M@;\nbreak;\ncase 1:\n@M@; /* falls */\n"
          "__attribute__((fallthrough));\ncase 9: break;\n"
          "default:\n@M@;\n} }\n"),
    Place("goto", "static void all@K@(void)\n{ int i = 0;\nagain:;\n{\n"
          "@LOCAL@\n@M@;\n}\nif (++i < @R@) goto again; }\n", "all@K@();"),
    Place("computed goto", "static void m@K@(int i)\n{\nvoid *volatile to = "
          "i & 1 ? __extension__ &&odd : __extension__ &&even;\n"
          "__extension__ ({ goto *to; });\nodd: {\n@LOCAL@\n@M@;\n} return;\n"
          "even: {\n@LOCAL@\n@M@;\n} }\n"),
    Place("if else", "static void m@K@(int i)\n{\n@LOCAL@\nif (i < 0) (void)0;"
          "\nelse if (i & 1)\n@M@;\nelse\n@M@;\n}\n"),
    Place("recursion", "static void m@K@(int i)\n{\n@LOCAL@\n@M@;\nif (i + 1 "
          "< @R@) m@K@(i + 1);\n}\n", "m@K@(0);"),
    Place("statement expression", "static int m@K@(int i)\n{ int r = "
          "__extension__ ({\n@LOCAL@\n@M@;\ni + 1; }); return r; }\n"),
    Place("macro", "#define W@K@(...) __VA_ARGS__\n"
          "static void m@K@(int i)\n{\n@LOCAL@\nW@K@(@M@;)\n(void)i; }\n"),
    Place("guard", "static void m@K@(int i)\n{\n@LOCAL@\nif (TAFFRAIL_ENABLED"
          "(@CHANNEL@, @NAME@) || ALWAYS)\n@M@;\n(void)i; }\n",
          without=("sdt.h",)),
    Place("signal handler", "static void handler@K@(int n)\n{ int i = now_;\n"
          "@LOCAL@\n@M@;\n(void)n; (void)i; }\n", "signal(SIGUSR1, "
          "handler@K@); for (now_ = 0; now_ < @R@; now_++) raise(SIGUSR1);"),
    Place("thread", "static void *thread@K@(void *p)\n{ int i = (int)(long)p;"
          "\n@LOCAL@\n@M@;\n(void)i; return p; }\n",
          "for (long i = 0; i < @R@; i++) { pthread_t t_; if (pthread_create("
          "&t_, 0, thread@K@, (void *)i)) abort(); pthread_join(t_, 0); }"),
    Place("constructor", "__attribute__((constructor)) static void "
          "start@K@(void)\n{ for (int i = 0; i < @R@; i++) {\n@LOCAL@\n@M@;\n"
          "} }\n", "", early=True),
    Place("destructor", "__attribute__((destructor)) static void "
          "end@K@(void)\n{ for (int i = 0; i < @R@; i++) {\n@LOCAL@\n@M@;\n"
          "} }\n", "", early=True),
    Place("vla", "static void m@K@(int i)\n{ volatile int n_v = i + 3; int "
          "vla[n_v]; vla[i] = i;\n@LOCAL@\n@M@;\nuse(vla); }\n",
          language="c"),
    Place("alloca", "static void m@K@(int i)\n{ use(__builtin_alloca(i + 9));"
          "\n@LOCAL@\n@M@;\n}\n"),
    Place("header", body("static inline " + M[7:]), TURNS, header=True),
    Place("header, not inlined", body("static __attribute__((noinline)) " +
                                      M[7:]), TURNS, header=True),
    Place("inline in a header", body("inline void m@K@(int i)"), TURNS,
          language="c++", header=True),
    Place("template in a header", "template <class T_> " + body(
        "void m@K@(T_ i)"), TURNS, language="c++", header=True),
    Place("hot", body("__attribute__((hot)) " + M)),
    Place("cold", body("__attribute__((cold)) " + M)),
    Place("optimize", body('__attribute__((optimize("O0"))) ' + M),
          compiler="gcc"),
    Place("target", body('__attribute__((target("avx"))) ' + M)),
    Place("clones", body('__attribute__((noinline, target_clones("avx2", '
                         '"default"))) void m@K@(int i);\n'
                         '__attribute__((noinline, target_clones("avx2", '
                         '"default"))) void m@K@(int i)'), compiler="gcc",
          without=("lto", "large")),   # ld has no such relocations
    Place("section", body('__attribute__((section(".text.m@K@"))) ' + M)),
    Place("no return", "static jmp_buf jump@K@;\n__attribute__((noreturn)) "
          "static void gone@K@(int i)\n{\n@LOCAL@\n@M@;\n(void)i; "
          "longjmp(jump@K@, 1); }\n"
          "static void m@K@(int i) { if (!setjmp(jump@K@)) gone@K@(i); }\n"),
    Place("openmp", "static void all@K@(void)\n{\n_Pragma(\"omp parallel for "
          "num_threads(1)\")\nfor (int i = 0; i < @R@; i++) {\n@LOCAL@\n@M@;\n"
          "} }\n", "all@K@();", compiler="gcc", flags="-fopenmp",
          without=("lto", "goto asm in omp")),
    # C
    Place("inline of C99", body("inline void m@K@(int i);\nextern inline void "
                                "m@K@(int i);\ninline void m@K@(int i)"),
          language="c"),
    Place("expression", "static void m@K@(int i)\n{\n@LOCAL@\ni >= 0 ? @M@ : "
          "(void)0; }\n", language="c"),
    Place("comma", "static int m@K@(int i)\n{\n@LOCAL@\nreturn (@M@, i); }\n",
          language="c"),
    Place("for head", "static void m@K@(int i)\n{\n@LOCAL@\nint once = 1;\n"
          "for (@M@; once; once--) use(&i); }\n", language="c"),
    Place("nested function", "static void m@K@(int i)\n{ "
          "auto void inner@K@(void);\nvoid inner@K@(void)\n{\n@LOCAL@\n@M@;\n}"
          "\ninner@K@(); }\n", language="c", compiler="gcc"),
    Place("cleanup", "static void clean@K@(int *p) { (void)p; }\n"
          "static void m@K@(int i)\n{ int c __attribute__((cleanup("
          "clean@K@))) = i;\n@LOCAL@\n@M@;\n}\n", language="c",
          compiler="gcc"),
    # C++
    Place("lambda", "static void m@K@(int i)\n{ [&] {\n@LOCAL@\n@M@;\n}(); "
          "(void)i; }\n", language="c++"),
    Place("lambda by value", "static void m@K@(int i)\n{ auto f_ = [=]() "
          "mutable {\n(void)i;\n@LOCAL@\n@M@;\n}; f_(); }\n",
          language="c++"),
    Place("lambda with parameter", "static void (*const m@K@)(int) = "
          "[](int i) {\n@LOCAL@\n@M@;\n(void)i; };\n", language="c++"),
    Place("generic lambda", "static void m@K@(int n)\n{ auto f_ = "
          "[](auto i) {\n@LOCAL@\n@M@;\n(void)i; }; f_(n); }\n",
          language="c++", since=14),
    Place("template", "template <class T_> " + body(
        "static void tpl@K@(T_ i)"), "for (int i = 0; i < @R@; i++) { if (i "
          "& 1)"
          " tpl@K@<long>(i); else tpl@K@(i); }", language="c++"),
    Place("template of value", "template <int i> static void val@K@()\n{\n"
          "@LOCAL@\n@M@;\n}\ntemplate <int n> struct each@K@ { static void "
          "run() { each@K@<n - 1>::run(); val@K@<n - 1>(); } };\n"
          "template <> struct each@K@<0> { static void run() {} };\n",
          "each@K@<@R@>::run();", language="c++"),
    Place("variadic", "static void pack@K@() {}\ntemplate <class... T_> static "
          "void pack@K@(int i, T_... rest)\n{\n@LOCAL@\n@M@;\n(void)i; "
          "pack@K@(rest...); }\n", "pack@K@(@SERIES@);", language="c++"),
    Place("pack of lambdas", "template <class... T_> static void pack@K@(T_..."
          " n)\n{ int all[] = { ([](int i) {\n@LOCAL@\n@M@;\n(void)i; "
          "}((int)n), 0)... }; use(all); }\n", "pack@K@(@SERIES@);",
          language="c++"),
    Place("generic pack", "template <class T_> static void tpl@K@(T_ t)\n{ "
          "auto f_ = [=](auto... n) { for (int i : { (int)n... }) {\n@LOCAL@"
          "\n@M@;\n(void)i; } (void)t; }; f_(@SERIES@); }\n", "tpl@K@(1L);",
          language="c++", since=14),
    Place("method", "struct C@K@ { int x; void m(int i)\n{\n@LOCAL@\n@M@;\n"
          "x = i; } };\n", "{ C@K@ c_; for (int i = 0; i < @R@; i++) "
          "c_.m(i); }", language="c++"),
    Place("virtual", "struct B@K@ { virtual void m(int) = 0; virtual ~B@K@() "
          "{} };\nstruct C@K@ : B@K@ { void m(int i) override\n{\n@LOCAL@\n"
          "@M@;\n(void)i; } };\n", "{ C@K@ c_; B@K@ *b_ = &c_; use(&b_); "
          "for (int i = 0; i < @R@; i++) b_->m(i); }", language="c++"),
    Place("class constructor", "struct C@K@ { C@K@(int i)\n{\n@LOCAL@\n@M@;\n"
          "(void)i; } };\n", "for (int i = 0; i < @R@; i++) C@K@ c_(i);",
          language="c++"),
    Place("class destructor", "struct C@K@ { int i; ~C@K@()\n{\n@LOCAL@\n"
          "@M@;\n} };\n", "for (int i = 0; i < @R@; i++) { C@K@ c_ = { i }; "
          "(void)c_; }", language="c++"),
    Place("operator", "struct C@K@ { int operator()(int i) const\n{\n@LOCAL@"
          "\n@M@;\nreturn i; } };\n", "for (int i = 0; i < @R@; i++) "
          "C@K@()(i);", language="c++"),
    Place("class template", "template <class T_> struct C@K@ { static inline "
          "void m(T_ i)\n{\n@LOCAL@\n@M@;\n(void)i; } };\n",
          "for (int i = 0; i < @R@; i++) C@K@<int>::m(i);", language="c++"),
    Place("namespace", "namespace a@K@ { namespace taffrail { inline void "
          "m(int i)\n{\n@LOCAL@\n@M@;\n(void)i; } } }\n",
          "for (int i = 0; i < @R@; i++) a@K@::taffrail::m(i);",
          language="c++"),
    Place("unnamed namespace", "namespace { " + body("void m@K@(int i)") +
          "}\n", language="c++"),
    Place("global object", "namespace { struct G@K@ { G@K@() { for (int i = 0;"
          " i < @R@; i++) {\n@LOCAL@\n@M@;\n} } } g@K@; }\n", "",
          language="c++", early=True),
    Place("static local", "static void m@K@(int i)\n{ struct S { S(int i) {\n"
          "@LOCAL@\n@M@;\n(void)i; } };\nif (i == 0) static S s(0); "
          "else S t(i); }\n".replace("static S s(0);", "{ static S s(0); }"),
          language="c++"),
    Place("catch", "static void m@K@(int i)\n{ try { throw i; } catch (int i)"
          " {\n@LOCAL@\n@M@;\n(void)i; } }\n", language="c++",
          without=("no exceptions",)),
    Place("unwinding", "struct U@K@ { int i; ~U@K@()\n{\n@LOCAL@\n@M@;\n} };\n"
          "static void m@K@(int i) { try { U@K@ u_ = { i }; (void)u_; throw 1;"
          " } catch (...) {} }\n", language="c++",
          without=("no exceptions",)),
    Place("function try block", "static void m@K@(int i)\ntry {\n@LOCAL@\n@M@;"
          "\n(void)i; } catch (...) { abort(); }\n", language="c++",
          without=("no exceptions",)),
    Place("range for", "static void all@K@()\n{ for (int i : { @SERIES@ }) {\n"
          "@LOCAL@\n@M@;\n(void)i; } }\n", "all@K@();", language="c++"),
    Place("if constexpr", "template <class T_> static void tpl@K@(T_ i)\n{ if "
          "constexpr (sizeof(T_) == 4) {\n@LOCAL@\n@M@;\n} (void)i; }\n",
          "for (int i = 0; i < @R@; i++) tpl@K@(i);", language="c++", since=17),
    Place("default member", "struct D@K@ { int i; int y = [this] { \n@LOCAL@\n"
          "@M@;\nreturn i; }(); explicit D@K@(int n) : i(n) {} };\n",
          "for (int i = 0; i < @R@; i++) { D@K@ d_(i); (void)d_; }",
          language="c++", without=("goto lambda",)),
    Place("template lambda", "static void m@K@(int n)\n{ auto f_ = "
          "[]<class T_>(T_ i) {\n@LOCAL@\n@M@;\n(void)i; }; f_(n); }\n",
          language="c++", since=20),
    Place("constrained", "template <class T_> requires (sizeof(T_) == 4) "
          "static void tpl@K@(T_ i)\n{\n@LOCAL@\n@M@;\n(void)i; }\n",
          "for (int i = 0; i < @R@; i++) tpl@K@(i);", language="c++", since=20),
    Place("noexcept", body("static void m@K@(int i) noexcept"),
          language="c++"),
    Place("friend", "struct F@K@ { friend void fri@K@(F@K@, int "
          "i)\n{\n@LOCAL@\n"
          "@M@;\n(void)i; } };\n", "for (int i = 0; i < @R@; i++) "
          "fri@K@(F@K@(), i);", language="c++"),
    Place("nested lambdas", "static void m@K@(int n)\n{ [&] { int i = n; [&] "
          "{ [=] {\n(void)i;\n@LOCAL@\n@M@;\n}(); }(); }(); }\n",
          language="c++"),
    Place("lambda of a template", "template <class T_> static void tpl@K@(T_ "
          "n)\n{ auto f_ = [&](int i) {\n(void)i;\n@LOCAL@\n@M@;\n}; "
          "f_((int)n); }\n", "for (int i = 0; i < @R@; i++) { if (i & 1) "
          "tpl@K@((long)i); else tpl@K@(i); }", language="c++"),
    Place("member template", "struct C@K@ { template <class T_> void m(T_ i) "
          "const\n{\n@LOCAL@\n@M@;\n(void)i; } };\n", "for (int i = 0; i < "
          "@R@; i++) { if (i & 1) C@K@().m((short)i); else C@K@().m(i); }",
          language="c++"),
    Place("base template", "template <class D_> struct B@K@ { void m(int i)\n{"
          "\n@LOCAL@\n@M@;\n(void)i; } };\nstruct C@K@ : B@K@<C@K@> {};\n",
          "for (int i = 0; i < @R@; i++) C@K@().m(i);", language="c++"),
    Place("instantiation", "template <class T_> " + body(
        "void tpl@K@(T_ i)") + "template void tpl@K@<int>(int);\n",
          "for (int i = 0; i < @R@; i++) tpl@K@(i);", language="c++"),
    Place("specialisation", "template <class T_> static void tpl@K@(T_);\n"
          "template <> " + body("void tpl@K@<int>(int i)"),
          "for (int i = 0; i < @R@; i++) tpl@K@(i);", language="c++"),
    Place("template template", "template <class T_> struct A@K@ {};\n"
          "template <template <class> class X_, class T_> " + body(
              "static void tpl@K@(X_<T_>, int i)"),
          "for (int i = 0; i < @R@; i++) tpl@K@(A@K@<int>(), i);",
          language="c++"),
    Place("thread object", "namespace { struct G@K@ { int n; ~G@K@() { for "
          "(int i = 0; i < n; i++) {\n@LOCAL@\n@M@;\n} } }; thread_local G@K@ "
          "g@K@; "
          "}\nstatic void *thread@K@(void *p) { g@K@.n = @R@; return p; "
          "}\n", "{ pthread_t t_; if (pthread_create(&t_, 0, thread@K@, 0)) "
          "abort(); pthread_join(t_, 0); }", language="c++",
          without=("library", "large")),
    Place("local class", "static void m@K@(int n)\n{ struct L { static void "
          "m(int i)\n{\n@LOCAL@\n@M@;\n(void)i; } }; L::m(n); }\n",
          language="c++"),
    Place("conversion", "struct C@K@ { int i; operator bool() const\n{\n"
          "@LOCAL@\n@M@;\nreturn i; } };\n", "for (int i = 0; i < @R@; i++) "
          "{ C@K@ c_ = { i }; if (c_) use(&c_); }", language="c++"),
    Place("allocation", "struct C@K@ { static void *operator new(size_t n, "
          "int i)\n{\n@LOCAL@\n@M@;\n(void)i; return malloc(n); } static void "
          "operator delete(void *p, int) { free(p); } static void "
          "operator delete(void *p) { free(p); } };\n",
          "for (int i = 0; i < @R@; i++) delete new (i) C@K@();",
          language="c++", flags="-Wno-mismatched-new-delete"),
    Place("delegated", "struct C@K@ { int i; C@K@() : i(0) {} explicit C@K@("
          "int n) : C@K@()\n{ i = n;\n@LOCAL@\n@M@;\n} };\nstruct D@K@ : "
          "C@K@ { using C@K@::C@K@; };\n", "for (int i = 0; i < @R@; i++) { "
          "D@K@ d_(i); (void)d_; }", language="c++"),
    Place("conditional noexcept", "template <class T_> " + body(
        "static void tpl@K@(T_ i) noexcept(sizeof(T_) > 1)"),
          "for (int i = 0; i < @R@; i++) tpl@K@(i);", language="c++"),
    Place("initialised variable", "static int init@K@() { for (int i = 0; i < "
          "@R@; i++) {\n@LOCAL@\n@M@;\n} return 1; }\nint var@K@ = "
          "init@K@();\n", "", language="c++", early=True),
    Place("binding", "static void m@K@(int n)\n{ struct { int n; int k; } s_ "
          "= { n, 1 }; auto [j, k] = s_; int i = j * k;\n@LOCAL@\n@M@;\n"
          "(void)i; }\n",
          language="c++", since=17),
    Place("if with initialiser", "static void m@K@(int n)\n{ if (int i = n; i "
          ">= 0) {\n@LOCAL@\n@M@;\n} else abort(); }\n", language="c++",
          since=17),
    Place("switch with lambda", "static void m@K@(int n)\n{ switch (n & 1) { "
          "case 0: [](int i) {\n(void)i;\n@LOCAL@\n@M@;\n}(n); break; "
          "default: { int i = n;\n@LOCAL@\n@M@;\n} } }\n", language="c++"),
    Place("recursive template", "template <int i> struct each@K@ { static void "
          "run()\n{\n@LOCAL@\n@M@;\neach@K@<i + 1>::run(); } };\n"
          "template <> struct each@K@<@R@> { static void run() {} };\n",
          "each@K@<0>::run();", language="c++"),
    Place("two threads", "static void *thread@K@(void *p)\n{ int i = 0;\n"
          "(void)p; for (i = 0; i < @R@; i++) {\n@LOCAL@\n@M@;\n} return p; "
          "}\nstatic void *other@K@(void *p) { return p; }\n", "{ pthread_t "
          "a_, "
          "b_; if (pthread_create(&a_, 0, thread@K@, 0) || pthread_create(&b_,"
          " 0, other@K@, 0)) abort(); pthread_join(a_, 0); pthread_join(b_, "
          "0); }"),
    Place("at exit", "static void last@K@(void)\n{ for (int i = 0; i < @R@; "
          "i++) {\n@LOCAL@\n@M@;\n} }\n", "atexit(last@K@);", early=True),
    Place("comparison function", "static int compare@K@(const void *a, const "
          "void *b)\n{ int i = now_; (void)a; (void)b;\n@LOCAL@\n@M@;\n"
          "return 0; }\n", "{ int two_[2] = { 1, 2 }; for (now_ = 0; now_ < "
          "@R@; now_++) qsort(two_, 2, sizeof(int), compare@K@); }"),
    Place("coroutine", "struct co@K@ { struct promise_type { co@K@ "
          "get_return_object() { return {}; } std::suspend_never "
          "initial_suspend() { return {}; } std::suspend_never final_suspend() "
          "noexcept { return {}; } void return_void() {} void "
          "unhandled_exception() { abort(); } }; };\nstatic co@K@ go@K@(int "
          "i)\n"
          "{\n@LOCAL@\nco_await std::suspend_never{};\n@M@;\n"
          "co_return; }\n", "for (int i = 0; i < @R@; i += 1) go@K@(i);",
          language="c++", since=20, compiler="gcc", flags="-fcoroutines",
          without=("no exceptions",)),
]
