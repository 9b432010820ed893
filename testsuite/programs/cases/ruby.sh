# SPDX-License-Identifier: LGPL-2.1-or-later
packages='ruby'
rules=('ruby/*')
# ruby itself ends where its probes of methods are switched on while it defines a
# module (docs/usdt.md)
attach_rules=('ruby/gc__*' 'ruby/*create')
command=(ruby -e '
	def count(n) = (1..n).sum { |i| i * i % 7 }
	puts count(1500000)
	puts 4.times.map { |i| Thread.new { count(50000 + i) } }.map(&:value)
	10.times { |i| pid = fork { exit! i }; Process.wait pid; puts $?.exitstatus }
	puts `echo from a shell`
	puts Fiber.new { Fiber.yield 1; 2 }.then { |f| [f.resume, f.resume] }
	GC.start
	raise "dies"')
