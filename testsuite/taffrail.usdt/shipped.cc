/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Throws 1000 exceptions in each of two threads, every tenth of them twice:
 * libstdc++ has probes where it does. Prints how many were caught.
 */
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>

static std::atomic<int> caught;

static void again(int n)
{
	try {
		throw std::runtime_error("thrown");
	} catch (const std::exception &) {
		caught++;
		if (n % 10 == 0)
			throw;
	}
}

static void work()
{
	for (int n = 0; n < 1000; n++)
		try {
			again(n);
		} catch (const std::exception &) {
			caught++;
		}
}

int main()
{
	std::thread other(work);

	work();
	other.join();
	std::printf("%d\n", caught.load());
	return 0;
}
