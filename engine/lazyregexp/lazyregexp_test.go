package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	t.Parallel()
	digits, bad := New(`^[0-9]+$`), New(`(`)
	if !digits().MatchString("42") || digits().MatchString("x") || digits() != digits() {
		t.Error("it is not that expression, or is compiled twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("a mistake does not panic")
		}
	}()
	bad()
}
