package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home200 makes a home with 200 scripts, which are in its lock file, and a log of decisions.
func home200(b *testing.B) string {
	b.Helper()
	home, from := b.TempDir(), b.TempDir()
	b.Setenv("AGENT_HOME", home)
	for i := range 200 {
		file := filepath.Join(from, fmt.Sprintf("guard%03d.lua", i))
		if err := os.WriteFile(file, []byte("-- @version 1.0\n"+guardLua), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	args := []string{"ext", "install", from, "--yes"}
	for i := range 200 {
		args = append(args, "--only", fmt.Sprintf("guard%03d.lua", i))
	}
	runQuietly(b, args...)
	return from
}

func runQuietly(b *testing.B, args ...string) {
	b.Helper()
	var said bytes.Buffer
	if code := run(args, strings.NewReader(""), io.Discard, &said); code != exitOK {
		b.Fatalf("%v: exit code %d: %s", args[:2], code, said.String())
	}
}

// BenchmarkExtList measures agent ext list with 200 installed scripts, without the start of the
// process.
func BenchmarkExtList(b *testing.B) {
	home200(b)
	for b.Loop() {
		runQuietly(b, "ext", "list")
	}
}

// BenchmarkExtInstall measures the installation of a local file beside 200 scripts, without the
// question and the start of the process. Each time the file is another one.
func BenchmarkExtInstall(b *testing.B) {
	for _, n := range []string{"alone", "beside200"} {
		b.Run(n, func(b *testing.B) {
			from := b.TempDir()
			if n == "beside200" {
				from = home200(b)
			} else {
				b.Setenv("AGENT_HOME", b.TempDir())
			}
			file := filepath.Join(from, "new.lua")
			for i := 0; b.Loop(); i++ {
				text := fmt.Sprintf("-- @version 1.%d\n%s", i, guardLua)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
				runQuietly(b, "ext", "install", file, "--yes")
			}
		})
	}
}

// BenchmarkComplete measures what a shell waits for at the tab key, without the start of the
// process.
func BenchmarkComplete(b *testing.B) {
	home200(b)
	for b.Loop() {
		runQuietly(b, "__complete", "ext", "remove", "gu")
	}
}
