package diff

import (
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n"
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	tests := []struct {
		name, mine, theirs, want string
		conflicts                []Conflict
	}{
		{"apart", change("2\n", "two\n"), change("6\n", "six\n"),
			"1\ntwo\n3\n4\n5\nsix\n7\n8\n", nil},
		{"added and removed", "0\n" + base, change("7\n", ""), "0\n1\n2\n3\n4\n5\n6\n8\n", nil},
		{"the same change", change("2\n", "two\n", "8\n", ""), change("2\n", "two\n"),
			"1\ntwo\n3\n4\n5\n6\n7\n", nil},
		{"both at the end", base + "9\n", change("1\n", "") + "", "2\n3\n4\n5\n6\n7\n8\n9\n", nil},
		{"one line between", change("2\n", "two\n"), change("4\n", "four\n"),
			"1\ntwo\n3\nfour\n5\n6\n7\n8\n", nil},
		{"the same lines", change("2\n", "two\n", "7\n", "7\nx\n"),
			change("2\n", "deux\n", "7\n", "7\ny\n"), "", []Conflict{{2, 2}, {8, 8}}},
		{"no line between", change("2\n", "two\n"), change("3\n", "three\n"), "",
			[]Conflict{{2, 3}}},
		{"removed and changed", change("4\n", "", "5\n", ""), change("5\n", "five\n"), "",
			[]Conflict{{4, 3}}},
		{"the end of the last line", strings.TrimSuffix(base, "\n"), base + "9\n", "",
			[]Conflict{{8, 8}}},
	}
	for _, tt := range tests {
		got, conflicts := Merge(base, tt.mine, tt.theirs)
		if !slices.Equal(conflicts, tt.conflicts) || conflicts == nil && got != tt.want {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, got, conflicts, tt.want, tt.conflicts)
		}
	}
}

// FuzzMerge checks what holds of each merge: a side without changes gives the other one, and it
// does not matter which side is which.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\nc\ny\nd\n")
	f.Add("a\na\n", "a\n", "b")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		if len(base)+len(mine)+len(theirs) > 2000 {
			t.Skip()
		}
		for _, x := range [][3]string{{mine, base, mine}, {base, mine, mine}, {mine, mine, mine}} {
			if got, bad := Merge(base, x[0], x[1]); bad != nil || got != x[2] {
				t.Errorf("%q, %q, %q: got %q, %v", base, x[0], x[1], got, bad)
			}
		}
		one, bad := Merge(base, mine, theirs)
		two, worse := Merge(base, theirs, mine)
		if len(bad) != len(worse) || bad == nil && one != two {
			t.Errorf("%q, %q, %q: got %q, %v, and %q, %v", base, mine, theirs, one, bad, two, worse)
		}
	})
}
