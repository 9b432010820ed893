# SPDX-License-Identifier: LGPL-2.1-or-later
packages='rustc gcc'
command=("$work/program")
remark='made by rustc'

prepare()
{
	cat >program.rs <<-'END'
	use std::{panic, process, thread, time};
	fn count(n: u64) -> u64 { (0..n).map(|i| i * i % 7).sum() }
	fn main() {
	    let all: Vec<_> = (0..4)
	        .map(|i| thread::spawn(move || count(60_000_000 + i))).collect();
	    for t in all { println!("{}", t.join().unwrap()); }
	    for i in 0..200 {
	        let r = panic::catch_unwind(|| { if i % 2 == 0 { panic!("{}", i) } });
	        print!("{} ", r.is_err());
	    }
	    let out = process::Command::new("echo").arg("child").output().unwrap();
	    println!("{:?}", out.stdout);
	    thread::sleep(time::Duration::from_millis(300));
	    process::exit(6);
	}
	END
	rustc -O -o program program.rs
}
