package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// capture returns what f prints on both streams.
func capture(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	defer func() { os.Stdout, os.Stderr = out, errs }()
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		text <- string(b)
	}()
	f()
	w.Close()
	return <-text
}

// TestSmall asks the offline model and checks that the tool runs, and that the guards in Go and of
// scripts apply.
func TestSmall(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} {
		t.Setenv(name, "")
	}
	scripts := t.TempDir()
	for name, text := range map[string]string{
		"guard.lua": `ext.guard({ tool = "clock" }, function(ev) if ev.args.zone == "UTC" then ` +
			`return { block = true, reason = "lua says no" } end end)`,
		"guard.js": `ext.guard({ tool: "clock" }, (ev) => ev.args.zone === "GMT" ? { block: ` +
			`true, reason: "js says no" } : null)`,
	} {
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for zone, want := range map[string]string{"Asia/Tokyo": "+0900", "../zone": "is no time zone",
		"UTC": "lua says no", "GMT": "js says no"} {
		got := capture(t, func() {
			if err := run(ctx, `call clock {"zone": "`+zone+`"}`, scripts); err != nil {
				t.Error(err)
			}
		})
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", zone, got, want)
		}
	}
}
