package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestFit(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	tests := []struct {
		name, text  string
		first, last string // "" = it fits
	}{
		{"empty", "", "", ""},
		{"fits", strings.Repeat("x", Bytes), "", ""},
		{"lines fit", strings.Repeat("x\n", Lines), "", ""},
		{"a note more fits", strings.Repeat("x", Bytes) + "\n[exit code 1]", "", ""},
		{"many lines", numbered(3 * Lines), "line 0\n", "line 5999\n"},
		{"many bytes", strings.Repeat("y", 999)[:990] + "\n" +
			strings.Repeat(strings.Repeat("z", 99)+"\n", 1000), "yyy", "zzz\n"},
		{"one long line", "a" + strings.Repeat("é", Bytes) + "b", "aéé", "ééb"},
		{"empty lines", strings.Repeat("\n", 10*Lines), "\n", "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(t.TempDir())
			short, path := s.Fit(tt.text, "x")
			if tt.last == "" {
				if short != tt.text || path != "" {
					t.Errorf("got %d bytes and %q, want it unchanged", len(short), path)
				}
				return
			}
			if !strings.HasPrefix(short, tt.first) || !strings.HasSuffix(short, tt.last) ||
				!strings.Contains(short, "the whole output is in "+path+": ") {
				t.Errorf("got %.60q ... %q", short, short[len(short)-60:])
			}
			if len(short) > Bytes+Room || strings.Count(short, "\n") > Lines+roomLines ||
				!utf8.ValidString(short) {
				t.Errorf("got %d bytes, %d lines", len(short), strings.Count(short, "\n"))
			}
			if again, path := s.Fit(short, "x"); again != short || path != "" {
				t.Error("the text was cut twice")
			}
			if full, err := os.ReadFile(path); err != nil || string(full) != tt.text {
				t.Errorf("the file has %d bytes, want %d: %v", len(full), len(tt.text), err)
			}
			if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
				t.Errorf("got %v, want mode 0600", st.Mode())
			}
			if st, err := os.Stat(filepath.Dir(path)); err != nil || st.Mode().Perm() != 0o700 {
				t.Errorf("got %v, want mode 0700", st.Mode())
			}
		})
	}
}

func TestRecordCountsOmittedText(t *testing.T) {
	s := New(t.TempDir())
	r := s.Record("bash")
	for i := range 10_000 {
		r.Add(fmt.Sprintf("%05d", i))
		r.Add("\n")
	}
	r.Close()
	r.Add("too late")
	got := r.Text()
	before, rest, _ := strings.Cut(got, "[")
	note, after, _ := strings.Cut(rest, "]\n")
	want := 60_000 - len(before) - len(after)
	if !strings.HasPrefix(note, fmt.Sprintf("%d bytes in %d lines are left out here; ", want,
		want/6)) {
		t.Errorf("got %s, want %d bytes", note, want)
	}
	if !strings.HasSuffix(before, fmt.Sprintf("%05d\n", Lines/2-1)) ||
		!strings.HasPrefix(after, fmt.Sprintf("%05d\n", 10_000-Lines/2)) {
		t.Errorf("got ...%q, %.12q...", before[len(before)-12:], after)
	}
}

func TestFileSizeIsLimited(t *testing.T) {
	s := New(t.TempDir())
	f, err := s.Create("x")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.written, f.wanted = fileBytes-3, fileBytes-3
	f.Add("abcdef")
	f.Add("ghi")
	if b, _ := os.ReadFile(f.Path()); string(b) != "abc" {
		t.Errorf("got %q", b)
	}
	if !strings.HasPrefix(f.Where(), "its first 64 MB are in ") {
		t.Errorf("got %s", f.Where())
	}
}

func TestOldFilesAreRemoved(t *testing.T) {
	home := t.TempDir()
	s := New(home)
	names := func() []string {
		all, _ := filepath.Glob(filepath.Join(home, "output", "*"))
		return all
	}
	make := func(name string, age time.Duration, size int64) {
		t.Helper()
		f, err := s.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := os.Truncate(f.Path(), size); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(f.Path(), when, when); err != nil {
			t.Fatal(err)
		}
	}
	make("young", time.Hour, 10)
	make("stale", keepFor+time.Hour, 10)
	if New(home); len(names()) != 1 {
		t.Errorf("got %v, want the stale file removed", names())
	}
	make("older", 3*time.Hour, 10)
	make("big", 2*time.Hour, keepBytes) // a sparse file, which takes no space
	New(home)
	if left := names(); len(left) != 1 || !strings.Contains(left[0], "-young-") {
		t.Errorf("got %v", left)
	}
}

func TestWithoutAHome(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := New("")
	_, path := s.Fit(strings.Repeat("x", 2*Bytes), "x")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("got %v, want it removed", err)
	}
}

func TestUnwritableStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	short, path := New(file).Fit("a"+strings.Repeat("x", 2*Bytes)+"b", "x")
	if path != "" || !strings.Contains(short, "the whole output could not be kept: ") ||
		!strings.HasSuffix(short, "b") {
		t.Errorf("got %q, %.100s", path, short)
	}
}

// TestKeep checks that data is kept as it is, for the user alone.
func TestKeep(t *testing.T) {
	home := t.TempDir()
	s := New(home)
	path, err := s.Keep("image", ".png", []byte("a\x00\xff"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(got) != "a\x00\xff" || info.Mode().Perm() != 0o600 ||
		filepath.Dir(path) != filepath.Join(home, "output") || filepath.Ext(path) != ".png" {
		t.Errorf("%s has %q, %v, %v", path, got, info, err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	if path, err = s.Keep("image", ".png", nil); err == nil && os.Getuid() != 0 {
		t.Errorf("kept %s in a folder that cannot be written", path)
	}
}
