package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// recorder is a terminal of unknown size that records what is written to it.
type recorder struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(b)
}
func (r *recorder) Read([]byte) (int, error) { return 0, errors.New("no keys") }
func (r *recorder) Close() error             { return nil }
func (r *recorder) Fd() uintptr              { return ^uintptr(0) }

// take returns what was written since the last call.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.out.Reset()
	return r.out.String()
}

// begun returns an output that the program has taken.
func begun(t *testing.T) (*Output, *recorder) {
	r := &recorder{}
	o := NewOutput(r)
	t.Cleanup(func() { o.Finish(nil) })
	fmt.Fprint(o, takesTerminal)
	r.take()
	return o, r
}

// shown draws a frame and returns what was written, without what every frame begins and ends with.
func (r *recorder) shown(o *Output, f Frame) string {
	f.Width, f.Height = 20, 10
	o.coming.mu.Lock()
	o.coming.frame = &f
	o.coming.above = append(o.coming.above, f.Above...)
	o.coming.mu.Unlock()
	o.drawLast()
	s := r.take()
	for _, part := range []string{frameBegin, autoWrapOff, autoWrapOn, "\x1b[?2026l"} {
		s = strings.ReplaceAll(s, part, "")
	}
	return s
}

// TestInlineFrames checks that lines are printed once, and that of the live lines only those that
// have changed are drawn again.
func TestInlineFrames(t *testing.T) {
	o, r := begun(t)
	for _, test := range []struct {
		name string
		f    Frame
		want string
	}{
		{"first", Frame{Above: []string{"a", "b"}, Lines: []string{"x", "y"},
			Cursor: &Cell{1, 1}}, ansi.RequestNameVersion + "a\r\nb\r\nx\r\ny\r\x1b[C\x1b[?25h"},
		{"same", Frame{Lines: []string{"x", "y"}, Cursor: &Cell{1, 1}}, ""},
		{"one line", Frame{Lines: []string{"x", "z"}, Cursor: &Cell{1, 1}},
			"\x1b7\x1b8\r\x1b[Kz\x1b8\r\x1b[C\x1b[?25h"},
		{"more lines", Frame{Lines: []string{"x", "z", "w"}},
			"\r\x1b[A" + eraseBelow + "x\r\nz\r\nw\r\x1b[2A"},
		{"printed", Frame{Above: []string{"c"}, Lines: []string{"x"}},
			"\r" + eraseBelow + "c\r\nx\r"},
		{"fewer lines", Frame{}, "\r" + eraseBelow + "\r"},
		{"too long", Frame{Lines: []string{strings.Repeat("m", 30)}},
			strings.Repeat("m", 20) + "\r"},
		{"printed too long", Frame{Above: []string{strings.Repeat("p", 30)}},
			"\r" + eraseBelow + strings.Repeat("p", 30) + "\r\n\r"},
	} {
		if got := r.shown(o, test.f); got != test.want {
			t.Errorf("%s: wrote %q, want %q", test.name, got, test.want)
		}
	}
}

// TestInlineIsClean checks that only characters, styles and links reach the terminal, in the
// colours that it has.
func TestInlineIsClean(t *testing.T) {
	o, r := begun(t)
	bad := "\x1b[31mred\x1b[0m\x1b[2J\x1b]52;c;aGk=\a\x1b[1;1H over\x1b[?1049h\x07\tx\nsecond"
	got := r.shown(o, Frame{Above: []string{bad}})
	if want := ansi.RequestNameVersion + "\x1b[31mred\x1b[m"; !strings.HasPrefix(got, want) {
		t.Errorf("wrote %q, want %q first", got, want)
	}
	for _, not := range []string{"\x1b[2J", "\x1b]", "\x1b[1;1H", "1049", "\a", "second"} {
		if strings.Contains(got, not) {
			t.Errorf("wrote %q in %q", not, got)
		}
	}
	if o.region.alt {
		t.Error("a line took the alternate screen")
	}
	o.SetProfile(colorprofile.ASCII)
	got = r.shown(o, Frame{Above: []string{"\x1b[31mred\x1b[0m"}})
	if strings.Contains(got, "31") {
		t.Errorf("wrote %q without colours", got)
	}
}

// TestInlineGivesWay checks that the live lines are gone while something else has the terminal, and
// return afterwards.
func TestInlineGivesWay(t *testing.T) {
	for name, ends := range map[string][2]string{
		"alternate screen": {enterScreen, leaveScreen},
		"suspend":          {leavesTerminal, takesTerminal},
	} {
		o, r := begun(t)
		frame := Frame{Lines: []string{"x", "y"}, Cursor: &Cell{0, 1}}
		r.shown(o, frame)
		fmt.Fprint(o, ends[0])
		if got := r.take(); got != "\r\x1b[A"+eraseBelow+ends[0] {
			t.Errorf("%s: wrote %q", name, got)
		}
		frame.Above = []string{"printed"}
		if got := r.shown(o, frame); got != "" {
			t.Errorf("%s: drew %q meanwhile", name, got)
		}
		fmt.Fprint(o, ends[1])
		if got := r.take(); !strings.Contains(got, ends[1]) ||
			!strings.Contains(got, "printed\r\n") || strings.Count(got, "y") != 1 {
			t.Errorf("%s: afterwards it wrote %q", name, got)
		}
	}
}

// TestInlineFinish checks that the live lines are gone in the end, and all is printed.
func TestInlineFinish(t *testing.T) {
	o, r := begun(t)
	r.shown(o, Frame{Lines: []string{"live"}})
	o.Show(Frame{Above: []string{"one"}, Width: 20, Height: 10})
	fmt.Fprint(o, leavesTerminal)
	o.Finish([]string{"two"})
	if got := r.take(); !strings.HasSuffix(got, "two\r\n") || strings.Count(got, "one\r\n") != 1 ||
		!strings.Contains(got, "\x1b[J") {
		t.Errorf("wrote %q", got)
	}
}

// TestInlineAfterWidth checks that the first of the live lines is found again after the terminal
// has changed its width.
func TestInlineAfterWidth(t *testing.T) {
	for _, test := range []struct {
		frozen bool
		width  int
		up     string
	}{
		{false, 10, "\x1b[3A"}, // two lines have become four, and the cursor is in the fourth
		{false, 40, "\x1b[2A"},
		{true, 10, "\x1b[2A"},
	} {
		o, r := begun(t)
		o.SetFrozen(test.frozen)
		r.shown(o, Frame{Lines: []string{strings.Repeat("a", 20), "b", "c"}, Cursor: &Cell{0, 2}})
		var b bytes.Buffer
		o.region.adapt(test.width)
		o.region.erase(&b)
		if want := "\r" + test.up + eraseBelow; b.String() != want {
			t.Errorf("%+v: wrote %q, want %q", test, b.String(), want)
		}
	}
}

// TestInlineIsDrawn checks that frames are drawn by themselves, the last of several.
func TestInlineIsDrawn(t *testing.T) {
	o, r := begun(t)
	var all string
	for i := range 100 {
		o.Show(Frame{Above: []string{fmt.Sprintf("line %d.", i)},
			Lines: []string{fmt.Sprintf("live %d.", i)}, Width: 20, Height: 10, Key: i%2 == 0})
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(all, "live 99.") &&
		time.Now().Before(end); time.Sleep(time.Millisecond) {
		all += r.take()
	}
	for i := range 100 {
		if n := strings.Count(all, fmt.Sprintf("line %d.", i)); n != 1 {
			t.Errorf("line %d is printed %d times", i, n)
		}
	}
}

// TestImagesArePrinted checks that what draws an image replaces its mark in printed lines, behind
// the same cells, and that live lines draw none.
func TestImagesArePrinted(t *testing.T) {
	o, r := begun(t)
	o.KeepImage("\x1b[38;2;1;2;3m§\x1b[39m", "\x1b7IMAGE\x1b8")
	got := r.shown(o, Frame{Above: []string{"  │ ", "  │ \x1b[38;2;1;2;3m§\x1b[39m"},
		Lines: []string{"live \x1b[38;2;1;2;3m§\x1b[39m"}})
	if !strings.Contains(got, "  │\r\n  │ \x1b7IMAGE\x1b8\r\n") || strings.Count(got, "IMAGE") > 1 {
		t.Errorf("got %q", got)
	}
}
