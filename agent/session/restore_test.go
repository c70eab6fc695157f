package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileIsRestored removes, replaces or truncates the file during use. After the next entry the
// file must have the whole session, and the change must be reported once.
func TestFileIsRestored(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		harm func(s *Session)
		want string
	}{
		"removed": {func(s *Session) { must(os.Remove(s.Path())) }, "was removed"},
		"with its folder": {func(s *Session) { must(os.RemoveAll(filepath.Dir(s.Path()))) },
			"was removed"},
		"emptied": {func(s *Session) { must(os.Truncate(s.Path(), 0)) }, "was cut short"},
		"cut": {func(s *Session) { must(os.Truncate(s.Path(), s.file.keep-5)) },
			"was cut short"},
		"replaced": {func(s *Session) { replace(t, s.Path(), "mine\n") },
			"was replaced by another file"},
		"removed when shut": {func(s *Session) { must(s.Close()); must(os.Remove(s.Path())) },
			"was removed"},
		"nothing": {func(s *Session) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			add(t, s, user("one"), user("two"))
			c.harm(s)
			add(t, s, user("three"), user("four"))
			if text := s.Restored(); (text == "") != (c.want == "") ||
				!strings.Contains(text, c.want) {
				t.Errorf("reported %q, want %q", text, c.want)
			}
			if text := s.Restored(); text != "" {
				t.Errorf("reported again %q", text)
			}
			l, err := Load(s.Path())
			if err != nil || says(l) != "one two three four" || len(l.Damaged()) > 0 {
				t.Errorf("got %v, %v", l, err)
			}
			if _, err := Open(s.Path()); err == nil {
				t.Error("another process can write to it")
			}
			if b, err := os.ReadFile(s.Path() + ".replaced"); name == "replaced" &&
				(err != nil || string(b) != "mine\n") {
				t.Errorf("the replacement is %q, %v", b, err)
			}
		})
	}
}

func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".tmp", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}
