package tui

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFilesAreOffered checks that @ lists files, that keys narrow the list and take one, and that
// enter does not send while it is open.
func TestFilesAreOffered(t *testing.T) {
	t.Parallel()
	files := []string{"docs/", "main.go", "my notes.txt", "docs/api.md", "odd\x1b[2J\nname"}
	for keys, want := range map[string]string{"ma": "see @main.go ",
		"notes": `see @"my notes.txt" `,
		"DOC":   "see @docs/", "dapi": "see @docs/api.md ", "odd": `see @"odd\x1b[2J\nname" `} {
		t.Run(keys, func(t *testing.T) {
			s := newStage(t, Backend{Files: func() []string { return files }}, 80, 20)
			s.typeText("see @")
			for _, key := range keys {
				for _, msg := range run(s.press(string(key))) {
					s.Update(msg)
				}
			}
			late := wordsMsg{word: "@x", files: files}
			s.Update(late) // for another word
			s.press("enter")
			if got := s.editor.value(); got != want || len(s.work.submits) > 0 {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestWordsOfScriptsAreOffered checks that a script's completions of a word replace it, and come
// before the files of a mention.
func TestWordsOfScriptsAreOffered(t *testing.T) {
	t.Parallel()
	b := Backend{Files: func() []string { return []string{"cat.go"} },
		Completes: func(word string) bool { return word[0] == '#' || word[0] == '@' },
		CompleteWord: func(_ context.Context, word string) []Completion {
			if word[0] == '@' {
				return []Completion{{"@cathy", "a person"}}
			}
			return []Completion{{"#1\x1b[2J2\nx", "crash"}, {word, "the word itself"},
				{"#120", "no\ncar"}}
		}}
	for keys, want := range map[string][2]string{
		"see #1":  {"see #12 ", "crash"},
		"#":       {"#12 ", "no"},
		"see @c":  {"see @cathy ", "a person"},
		"(@cat":   {"(@cathy ", "cat.go"},
		"a#1":     {"a#1", ""},
		"one\n#1": {"one\n#12 ", "#120"},
	} {
		t.Run(keys, func(t *testing.T) {
			s := newStage(t, b, 80, 20)
			for _, key := range keys {
				name := string(key)
				if key == '\n' {
					name = "ctrl+j"
				}
				for _, msg := range run(s.press(name)) {
					s.Update(msg)
				}
			}
			s.has(want[1])
			s.press("tab")
			if got := s.editor.value(); got != want[0] {
				t.Errorf("got %q, want %q", got, want[0])
			}
		})
	}
}

// TestImageIsPasted checks that ctrl+v mentions a file with the image on the clipboard, and says
// why there is none.
func TestImageIsPasted(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("it needs another clipboard")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "xclip")
	const mark = "\x89PNG\r\n\x1a\n"
	if err := os.WriteFile(program,
		[]byte("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\npicture'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":0")
	t.Setenv("WAYLAND_DISPLAY", "")
	s := newStage(t, Backend{KeepImage: func(data []byte) (string, error) {
		return "/home/me/my " + strings.TrimPrefix(string(data), mark) + ".png", nil
	}}, 80, 20)
	press := func() {
		for _, msg := range run(s.press("ctrl+v")) {
			s.Update(msg)
		}
	}
	s.typeText("see ")
	press()
	if got := s.editor.value(); got != `see @"/home/me/my picture.png" ` {
		t.Errorf("got %q", got)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	press()
	s.has("there is no image on the clipboard")
}
