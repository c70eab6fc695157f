package tui

import "testing"

// TestFilesAreOffered checks that @ lists files, that keys narrow the list and take one, and that
// enter does not send while it is open.
func TestFilesAreOffered(t *testing.T) {
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
			late := filesMsg{"x", files}
			s.Update(late) // for another word
			s.press("enter")
			if got := s.editor.value(); got != want || len(s.work.submits) > 0 {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
