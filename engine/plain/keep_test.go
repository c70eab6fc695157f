package plain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

func TestAppendTail(t *testing.T) {
	t.Parallel()
	const n = 8
	for _, letters := range []string{"abcdefghijklm", "aé漢😀bcß漢z😀"} {
		for size := range 3 * n {
			var kept []byte
			whole := ""
			for range 30 {
				piece := strings.Repeat(letters, 3)[len(whole)%len(letters):][:size]
				kept, whole = plain.AppendTail(kept, piece, n), whole+piece
				if got, want := string(plain.Tail(kept, n)), plain.Tail(whole, n); got != want {
					t.Fatalf("in pieces of %d: got %q, want %q", size, got, want)
				}
				if len(kept) > 2*n || !utf8.RuneStart(append(kept, 'x')[0]) {
					t.Fatalf("in pieces of %d: got %q of %q", size, kept, whole)
				}
			}
		}
	}
}
