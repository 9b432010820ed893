# SPDX-License-Identifier: LGPL-2.1-or-later
packages='openjdk-17-jdk-headless'
rules=('hotspot/*')
misses='is not traced'
command=(java -Xmx256m -cp "$work" Program)

prepare()
{
	cat >Program.java <<-'END'
	import java.util.*;
	import java.util.stream.*;
	public class Program {
		public static void main(String[] a) throws Exception {
			System.out.println(IntStream.range(0, 3000000).parallel()
				.mapToLong(i -> (long) i * i % 7).sum());
			List<byte[]> keep = new ArrayList<>();
			for (int i = 0; i < 20000; i++) {
				keep.add(new byte[20000]);
				if (keep.size() > 1000) keep.clear();
			}
			System.gc();
			for (int i = 0; i < 5; i++) {
				Process p = new ProcessBuilder("echo", "" + i).start();
				System.out.print(new String(
					p.getInputStream().readAllBytes()));
			}
			try {
				Object o = null;
				o.hashCode();
			} catch (NullPointerException e) {
				System.out.println("null");
			}
			System.exit(3);
		}
	}
	END
	javac Program.java
}
