package skill

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// TestLongSkill checks that the parts of long instructions contain all of them, and that none is
// shortened as a result.
func TestLongSkill(t *testing.T) {
	for what, body := range map[string]string{
		"short": "Do it.",
		"long": strings.TrimSpace(strings.Repeat(
			"Do this, then that; and look at it again.\n", 5000)),
		"many lines": strings.TrimSpace(strings.Repeat("x\n", 5000)),
		"one line":   strings.Repeat("\u20ac", 50<<10),
		"empty":      "",
	} {
		t.Run(what, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "skills", "long")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for range maxFiles + 1 {
				f, err := os.CreateTemp(dir, strings.Repeat("name", 20))
				if err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			if err := os.WriteFile(filepath.Join(dir, file),
				[]byte("---\nname: long\ndescription: d\n---\n"+body), 0o600); err != nil {
				t.Fatal(err)
			}
			s, store := New(Options{Home: home}), output.New(home)
			defer store.Close()
			all := ""
			for part := 1; ; part++ {
				r, err := s.give(context.Background(),
					&engine.Use{Args: map[string]any{"name": "long", "part": float64(part)}})
				if err != nil {
					t.Fatal(err)
				}
				text := chat.PlainText(r.Content)
				if short, _ := store.Fit(text, "skill"); short != text {
					t.Fatalf("part %d of %d bytes is cut", part, len(text))
				}
				all += r.Display.Text
				if !strings.Contains(text, strings.TrimSuffix(r.Display.Text, "\n")) {
					t.Errorf("part %d: the model's text differs from the user's", part)
				}
				if !strings.Contains(text, "For the next call the tool skill") {
					break
				}
			}
			if all != body {
				t.Errorf("the parts have %d bytes, want %d", len(all), len(body))
			}
			if _, err := s.give(context.Background(),
				&engine.Use{Args: map[string]any{"name": "long",
					"part": float64(1000)}}); err == nil {
				t.Error("a missing part was returned")
			}
		})
	}
}
