// N-queens on immutable lists. A cell of the list is a struct of 24 bytes, a
// position of two words and a pointer to the tail; the empty list is nil.
// Go's collector serves it: it marks and sweeps, concurrently with the program
// where there are cores for that, does not move what lives, and has no
// generations.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type position struct{ x, y int }

type list struct {
	head position
	tail *list
}

// Kept out of line, for otherwise escape analysis finds that search needs its
// cells no longer than its own call, and places half of all cells on the stack.
//
//go:noinline
func cons(head position, tail *list) *list {
	return &list{head, tail}
}

func safe(p, q position) bool {
	return p.x != q.x && p.y != q.y &&
		q.x-p.x != q.y-p.y && p.x-q.y != q.x-p.y
}

func filterSafe(q position, ps *list) *list {
	if ps == nil {
		return nil
	}
	if safe(q, ps.head) {
		return cons(ps.head, filterSafe(q, ps.tail))
	}
	return filterSafe(q, ps.tail)
}

func length(l *list) int {
	n := 0
	for ; l != nil; l = l.tail {
		n++
	}
	return n
}

func search(n int, qs, ps *list, accu int) int {
	if ps == nil {
		if length(qs) == n {
			return accu + 1
		}
		return accu
	}
	q := ps.head
	accu = search(n, qs, ps.tail, accu)
	return search(n, cons(q, qs), filterSafe(q, ps), accu)
}

func board(n int) *list {
	var ps *list
	for x := n - 1; x >= 0; x-- {
		for y := n - 1; y >= 0; y-- {
			ps = cons(position{x, y}, ps)
		}
	}
	return ps
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: queens N ITERATIONS")
	os.Exit(2)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		usage()
	}
	return n
}

func main() {
	if len(os.Args) != 3 {
		usage()
	}
	n, iterations := number(os.Args[1]), number(os.Args[2])
	for i := 0; i < iterations; i++ {
		start := time.Now() // holds a monotonic reading, which Since uses
		solutions := search(n, nil, board(n), 0)
		ns := time.Since(start).Nanoseconds()
		if i == 0 {
			fmt.Printf("solutions=%d\n", solutions)
		}
		fmt.Printf("ns=%d\n", ns)
	}
}
