package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLargeFileIsNotRead: a process that continues the file of a day reads the end of it, however
// large it is.
func TestLargeFileIsNotRead(t *testing.T) {
	dir := written(t, 4)
	path := filepath.Join(dir, second)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	large := append(bytes.Repeat([]byte(strings.Repeat("x", 1023)+"\n"), size>>10), text...)
	if err := os.WriteFile(path, large, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := chain{dir: dir}
	e, torn, err := c.ending(path)
	runtime.ReadMemStats(&after)
	if err != nil || torn || e.N != 4 {
		t.Error(e, torn, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes were allocated to find the last record of %d", n, len(large))
	}
}

// TestRecordBeforeMuchElse: the last record is found in front of torn and changed lines, however
// many there are.
func TestRecordBeforeMuchElse(t *testing.T) {
	t.Parallel()
	for _, junk := range []string{"", "x", strings.Repeat("x", 4*maxData),
		strings.Repeat(strings.Repeat("x", 99)+"\n", 8*maxData/100),
		strings.Repeat("\n", maxData)} {
		dir := written(t, 4)
		path := filepath.Join(dir, second)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(junk)
		f.Close()
		c := chain{dir: dir}
		e, torn, err := c.ending(path)
		want := junk != "" && !strings.HasSuffix(junk, "\n")
		if err != nil || e.N != 4 || torn != want {
			t.Errorf("%.20q: %v %v %v", junk, e, torn, err)
		}
	}
}
