/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A native program asks a JVM 100 times for its version, through a function of
 * libjvm that has two probes side by side. Prints "right".
 *
 *	versions LIBJVM
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>

typedef jint create(JavaVM **vm, void **env, void *args);

int main(int argc, char **argv)
{
	JavaVMOption options[] = { { .optionString = "-XX:+UseSerialGC" },
				   { .optionString = "-Xmx64m" } };
	JavaVMInitArgs args = { .version = JNI_VERSION_10, .nOptions = 2,
				.options = options };
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	create *make = library ? (create *)dlsym(library, "JNI_CreateJavaVM") :
				 NULL;
	JavaVM *vm;
	JNIEnv *env;
	int i;

	if (!make || make(&vm, (void **)&env, &args)) {
		printf("wrong: no JVM\n");
		return 1;
	}
	for (i = 0; i < 100; i++)
		if ((*env)->GetVersion(env) < JNI_VERSION_10)
			printf("wrong: version\n");
	puts("right");
	return (*vm)->DestroyJavaVM(vm);
}
