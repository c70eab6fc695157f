package textarea

import (
	"fmt"
	"testing"
)

// TestUnread compares the unread parts with a mark for each byte.
func TestUnread(t *testing.T) {
	u := Unread{{0, 10}}
	u.See(Span{2, 4})
	u.See(Span{6, 20})
	if got := fmt.Sprint(u); got != "[{0 2} {4 6}]" {
		t.Errorf("got %s", got)
	}
	for _, tt := range []struct{ before, after, want string }{
		{"0123456789", "0123456789", "[{0 2} {4 6}]"},
		{"0123456789", "01234xx56789", "[{0 2} {4 5} {5 7} {7 8}]"},
		{"0123456789", "0123456789x", "[{0 2} {4 6} {10 11}]"},
		{"0123456789", "x0123456789", "[{0 1} {1 3} {5 7}]"},
		{"0123456789", "06789", "[{0 1}]"},
	} {
		if got := fmt.Sprint(u.Changed(tt.before, tt.after)); got != tt.want {
			t.Errorf("%s to %s: got %s, want %s", tt.before, tt.after, got, tt.want)
		}
	}
}
