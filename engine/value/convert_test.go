package value

import (
	"errors"
	"strings"
	"testing"
)

// TestInKey: the path of a failure grows from the inside out, and stays short.
func TestInKey(t *testing.T) {
	t.Parallel()
	inner := errors.New("a function, want plain data")
	err := InKey("args", InKey(".list", InKey("[2]", inner)))
	if got, want := err.Error(), "args.list[2]: got a function, want plain data"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, inner) {
		t.Error("the cause is lost")
	}
	for range 100 {
		err = InKey(".key", err)
	}
	path, _, _ := strings.Cut(err.Error(), ": ")
	if !strings.HasPrefix(path, ".key.key") || len(path) > maxPath+len("…") {
		t.Errorf("the path has %d bytes: %s", len(path), path)
	}
}
