package scroll

import (
	"fmt"
	"slices"
	"testing"
)

func TestHeights(t *testing.T) {
	var h Heights
	var want []int
	check := func() {
		t.Helper()
		sum := 0
		for i := 0; i <= len(want); i++ {
			if got := h.Before(i); got != sum {
				t.Fatalf("before(%d) is %d, want %d", i, got, sum)
			}
			if i < len(want) {
				sum += want[i]
			}
		}
	}
	for i := range 70 {
		h.Add(i % 7)
		want = append(want, i%7)
		check()
	}
	for i := 0; i < 70; i += 3 {
		h.Set(i, i)
		want[i] = i
		check()
	}
}

// TestReader checks which lines are visible, and when all of them have been.
func TestReader(t *testing.T) {
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprint(i))
	}
	plain := func(s ...string) string { return s[0] }
	var r Reader
	for _, page := range []struct {
		turn int
		want []string
		all  bool
	}{
		{0, []string{"0", "1", "2", "3", "lines 1-4 of 10; page down"}, false},
		{1, []string{"4", "5", "6", "7", "lines 5-8 of 10; page down"}, false},
		{1, []string{"6", "7", "8", "9", "lines 7-10 of 10; page up"}, true},
		{-9, []string{"0", "1", "2", "3", "lines 1-4 of 10; page down"}, true},
	} {
		r.Turn(page.turn)
		if got := r.Cut(plain, lines, 30, 5); !slices.Equal(got, page.want) || r.All != page.all {
			t.Errorf("got %q, all %v, want %q, %v", got, r.All, page.want, page.all)
		}
	}
	r = Reader{}
	r.Cut(plain, lines, 30, 9)
	if r.Turn(1); r.All {
		t.Error("the last lines were not visible")
	}
	if r.Cut(plain, lines, 20, 9); r.All || !r.Scrolls() || !r.Noted {
		t.Errorf("with another width, it goes on at the end: %+v", r)
	}
}
