package tool

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
)

func preview(t *testing.T, dir, name string, args map[string]any) (*ui.Preview, error) {
	t.Helper()
	for _, b := range Builtin(testOptions(t)) {
		if b.Name == name {
			return b.Preview(context.Background(),
				&engine.Use{Args: args, Env: &event.Envelope{CWD: dir}})
		}
	}
	t.Fatalf("no tool %s", name)
	return nil, nil
}

// TestPreviewMatchesResult checks that the preview of a change equals what the result shows
// afterwards, and that a preview changes nothing.
func TestPreviewMatchesResult(t *testing.T) {
	t.Parallel()
	edits := func(pairs ...string) []any {
		var list []any
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, map[string]any{"old": pairs[i], "new": pairs[i+1]})
		}
		return list
	}
	for _, tt := range []struct {
		what, tool  string
		old         *string
		args        map[string]any
		note, fails string
	}{
		{"new file", "write", nil, map[string]any{"content": "a\nb\n"}, "new file, 2 lines", ""},
		{"over a file", "write", pointer("a\nb\nc\n"), map[string]any{"content": "a\nx\nc\n"},
			"replaces a file of 3 lines", ""},
		{"the same", "write", pointer("a\n"), map[string]any{"content": "a\n"},
			"the file holds just this already", ""},
		{"edit", "edit", pointer("a\r\nb\r\n"), map[string]any{"edits": edits("b", "x")},
			"1 replacement", ""},
		{"two edits", "edit", pointer("a\nb\n"), map[string]any{"edits": edits("b", "x", "a", "y")},
			"2 replacements", ""},
		{"not there", "edit", pointer("a\n"), map[string]any{"edits": edits("z", "x")}, "",
			"old was not found"},
		{"no file", "edit", nil, map[string]any{"edits": edits("z", "x")}, "", "no such file"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir := t.TempDir()
			if tt.old != nil {
				put(t, dir, "f.go", *tt.old)
			}
			tt.args["path"] = "f.go"
			p, err := preview(t, dir, tt.tool, tt.args)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("got %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.old == nil {
				if _, err := os.Stat(filepath.Join(dir, "f.go")); err == nil {
					t.Fatal("the preview created the file")
				}
			} else if got := get(t, filepath.Join(dir, "f.go")); got != *tt.old {
				t.Fatalf("the preview changed the file: %q", got)
			}
			r := call(t, dir, tt.tool, tt.args)
			if *r.Display != p.Display || p.Note != tt.note {
				t.Errorf("got %+v, %q\nthe result shows %+v, want %q", p.Display, p.Note,
					*r.Display, tt.note)
			}
			if got := get(t, p.File.Path); got != p.File.After ||
				(p.File.Before == nil) != (tt.old == nil) || tt.old != nil &&
				*p.File.Before != *tt.old {
				t.Errorf("got %+v; the file holds %q", p.File, got)
			}
		})
	}
}

func pointer(s string) *string { return &s }

// TestPreviewLeavesNothingOut checks that a preview shows a long change completely, which a result
// does not.
func TestPreviewLeavesNothingOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "f", strings.Repeat("x\n", 5000))
	p, err := preview(t, dir, "write", map[string]any{"path": "f",
		"content": strings.Repeat("y\n", 4999) + "rm"})
	if err != nil || !strings.HasSuffix(p.Display.Text, "+rm\n\\ no newline at the end") ||
		strings.Count(p.Display.Text, "\n+y") != 4999 {
		t.Errorf("got %v, ... %q", err, p.Display.Text[max(0, len(p.Display.Text)-40):])
	}
	if err := os.Symlink(filepath.Join(dir, "keys"), filepath.Join(dir, "notes")); err != nil {
		t.Fatal(err)
	}
	p, err = preview(t, dir, "write", map[string]any{"path": "notes", "content": "x"})
	if want := "new file, 1 line, through a link to " + filepath.Join(dir, "keys"); err != nil ||
		p.Note != want || p.File.Path != filepath.Join(dir, "keys") {
		t.Errorf("link: got %+v, %v, want %q", p, err, want)
	}
	put(t, dir, "large", strings.Repeat("z", editBytes+1))
	p, err = preview(t, dir, "write", map[string]any{"path": "large", "content": "x"})
	if err != nil || p.Display.Text != "" || p.File != nil ||
		p.Note != "replaces a file that cannot be compared with" {
		t.Errorf("large: got %+v, %v", p, err)
	}
}

// TestChangedLineEnds checks that the result says so if all line ends of a file change.
func TestChangedLineEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, tool string
		args         map[string]any
		want         string
	}{
		{"a\r\nb\r\n", "write", map[string]any{"content": "a\nb\n"},
			"; line ends changed from CRLF to LF"},
		{"a\nb\n", "write", map[string]any{"content": "a\r\nb\r\n"},
			"; line ends changed from LF to CRLF"},
		{"a\nb\n", "write", map[string]any{"content": "a\r\nb\n"},
			"; line ends changed from LF to mixed"},
		{"a\nb\n", "edit",
			map[string]any{"edits": []any{map[string]any{"old": "a\nb\n", "new": "a\r\nb\r\n"}}},
			"; line ends changed from LF to CRLF"},
		{"a\r\nb\r\n", "write", map[string]any{"content": "a\r\nc\r\n"}, ""},
		{"a\nb\n", "edit", map[string]any{"edits": []any{map[string]any{"old": "a", "new": "c"}}},
			""},
		{"a", "write", map[string]any{"content": "a\r\n"}, ""},
	} {
		dir := t.TempDir()
		put(t, dir, "f", tt.before)
		tt.args["path"] = "f"
		p, err := preview(t, dir, tt.tool, tt.args)
		if err != nil {
			t.Errorf("%s %v: %v", tt.tool, tt.args, err)
			continue
		}
		text := chat.PlainText(call(t, dir, tt.tool, tt.args).Content)
		if !strings.HasSuffix(text, tt.want) || !strings.HasSuffix(p.Note, tt.want) ||
			tt.want == "" && strings.Contains(text+p.Note, "line ends") {
			t.Errorf("%s %v on %q: got %q, before %q, want %q", tt.tool, tt.args, tt.before, text,
				p.Note, tt.want)
		}
	}
}
