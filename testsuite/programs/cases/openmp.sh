# SPDX-License-Identifier: LGPL-2.1-or-later
packages='gcc clang libomp-dev'
variants='gcc clang'
command=("$work/program")

prepare()
{
	cat >program.c <<-'END'
	#include <omp.h>
	#include <stdio.h>
	int main(void)
	{
		double sum = 0;
		omp_set_num_threads(4);
		for (int round = 0; round < 200; round++) {
			#pragma omp parallel for reduction(+ : sum)
			for (int i = 0; i < 400000; i++)
				sum += i % 7;
			#pragma omp parallel
			#pragma omp single
			for (int i = 0; i < 20; i++) {
				#pragma omp task shared(sum)
				#pragma omp atomic
				sum += 1;
			}
		}
		printf("%.0f %d\n", sum, omp_get_max_threads());
		return 4;
	}
	END
	"$variant" -O1 -fopenmp -o program program.c
}

version()
{
	"$variant" -dumpversion
}
