# SPDX-License-Identifier: LGPL-2.1-or-later
packages='python3'
rules=('python/*')
command=(python3 "$work/program.py")

prepare()
{
	cat >program.py <<-'END'
	import gc, hashlib, multiprocessing, os, subprocess, sys, threading
	def count(n):
	    return sum(i * i % 7 for i in range(n))
	def worker(n, out):
	    out.append(count(n))
	def main():
	    out = []
	    threads = [threading.Thread(target=worker, args=(200000, out))
	               for _ in range(4)]
	    for t in threads: t.start()
	    for t in threads: t.join()
	    print(out)
	    with multiprocessing.Pool(3) as pool:
	        print(pool.map(count, range(20000, 20020)))
	    for i in range(10):
	        print(subprocess.check_output(["echo", str(i)]))
	    print(hashlib.sha256(b"x" * 50000000).hexdigest())
	    gc.collect()
	    print("error", file=sys.stderr)
	    sys.exit(7)
	main()
	END
}
