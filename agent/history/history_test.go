package history

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func newFile(t *testing.T) File {
	t.Helper()
	return File{Path: filepath.Join(t.TempDir(), "home", "history.jsonl")}
}

func (f File) add(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := f.Append(Entry{At: time.Unix(1, 0), Project: "/p", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
}

func (f File) texts(t *testing.T) (out []string) {
	t.Helper()
	entries, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Text)
	}
	return out
}

func (f File) check(t *testing.T, want ...string) {
	t.Helper()
	if got := f.texts(t); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRoundTrip checks that texts come back in order, whatever they contain, and that a text that
// repeats the last one is kept once.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.check(t)
	f.add(t, "one", "two", "two", "日本\nline\x1b[31m \"q\"", "one", strings.Repeat("x", mostText+1))
	f.check(t, "one", "two", "日本\nline\x1b[31m \"q\"", "one")
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(f.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	f.add(t, "three")
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v: others may read the prompts", info.Mode(), err)
	}
}

// TestDamage checks that damaged lines cost only themselves.
func TestDamage(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.add(t, "one")
	b, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, "\x00\x00\xff{not json\n\n[1]\nnull\n{\"text\":3}\n{\"text\":\"cut"...)
	if err := os.WriteFile(f.Path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f.check(t, "one")
	f.add(t, "two")
	f.check(t, "one", "two")
}

// TestManyAtOnce checks that processes that append at the same time lose nothing, also while the
// file is shortened.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	f.add(t, "first")
	filler := strings.Repeat("f", 1<<10)
	var all sync.WaitGroup
	const writers, each = 4, 25
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := f.Append(Entry{Text: fmt.Sprint(w, " ", i, " ", filler)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, text := range f.texts(t) {
		seen[text] = true
	}
	if len(seen) != writers*each+1 {
		t.Errorf("got %d entries, want %d", len(seen), writers*each+1)
	}
}

// TestBounds checks that a file that grows too large keeps its newest entries and the new one.
func TestBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10<<10)
	for name, test := range map[string]struct {
		text    string
		entries int
	}{"entries": {"text", mostEntries}, "bytes": {long, mostBytes/len(long) + 10}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFile(t)
			f.add(t, "first")
			var b bytes.Buffer
			for i := range test.entries {
				fmt.Fprintf(&b, "{\"project\":\"/p\",\"text\":\"%d %s\"}\n", i, test.text)
			}
			if err := os.WriteFile(f.Path, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			f.add(t, "new")
			texts := f.texts(t)
			if n := len(texts); n < 90 || n > mostEntries/2+1 || texts[n-1] != "new" ||
				!strings.HasPrefix(texts[n-2], fmt.Sprint(test.entries-1, " ")) {
				t.Errorf("got %d entries, the last is %.20q", n, texts[n-1])
			}
			if info, err := os.Stat(f.Path); err != nil || info.Size() > mostBytes*2/3 ||
				info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
				t.Errorf("got %d bytes, %v, %v", info.Size(), info.Mode(), err)
			}
		})
	}
}

// TestNoFile checks that a place that cannot hold a file is an error, and nothing waits.
func TestNoFile(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	if err := os.MkdirAll(f.Path, 0o700); err != nil { // a folder with its name
		t.Fatal(err)
	}
	if err := f.Append(Entry{Text: "x"}); err == nil {
		t.Error("a folder was written")
	}
	if _, err := f.Read(); err == nil {
		t.Error("a folder was read")
	}
	under := File{Path: filepath.Join(f.Path+".lock", "x", "history.jsonl")}
	if err := under.Append(Entry{Text: "x"}); err == nil {
		t.Error("a file below a file was written")
	}
}
