# SPDX-License-Identifier: LGPL-2.1-or-later
packages='golang-go gcc'
variants='static cgo'
command=("$work/program")
remark='made by `go build`'
test "$variant" != static || refused='static'

prepare()
{
	cat >program.go <<-'END'
	package main
	import ("fmt"; "os"; "os/exec"; "os/user"; "sync"; "time")
	func count(n int) (s int) {
		for i := 0; i < n; i++ { s += i * i % 7 }
		return
	}
	func main() {
		var wait sync.WaitGroup
		sums := make([]int, 200)
		for i := range sums {
			wait.Add(1)
			go func(i int) { sums[i] = count(2000000 + i); wait.Done() }(i)
		}
		wait.Wait()
		fmt.Println(sums)
		out, err := exec.Command("echo", "child").Output()
		fmt.Print(string(out), err, "\n")
		u, _ := user.Current()
		fmt.Println(u.Name)
		time.Sleep(300 * time.Millisecond)
		os.Exit(4)
	}
	END
	export HOME=$work GOCACHE=$work/cache GO111MODULE=off
	export CGO_ENABLED=1
	test "$variant" != static || CGO_ENABLED=0
	go build -o program program.go
}

version()
{
	go version | sed 's/^go version go\([^ ]*\).*/\1/'
}
