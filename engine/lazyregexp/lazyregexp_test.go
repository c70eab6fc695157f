package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	t.Parallel()
	digits, bad := New(`^[0-9]+$`), New(`(`)
	first, again := digits(), digits()
	if !first.MatchString("42") || first.MatchString("x") || first != again {
		t.Error("it is not that expression, or is compiled twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("a mistake does not panic")
		}
	}()
	bad()
}
