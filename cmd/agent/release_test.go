package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// release is the part of .goreleaser.yaml that the test checks.
type release struct {
	Version int
	Builds  []struct {
		Main, Binary            string
		Env, Goos, Goarch       []string
		Flags, Ldflags, Gcflags []string
		ModTimestamp            string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		Formats         []string
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		Files []string
	}
	Checksum struct{ Algorithm string }
	Sboms    []struct{ Artifacts string }
}

// mostBytes is the greatest size of the program of a release.
const mostBytes = 40_000_000

// TestRelease checks what .goreleaser.yaml makes: archives for six pairs of system and processor,
// from reproducible builds, with checksums and lists of what is in them. With AGENT_RELEASE, a
// folder, it builds each pair twice into it, and compares.
func TestRelease(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var r release
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.Builds) != 1 || len(r.Archives) != 1 || len(r.Sboms) != 1 ||
		r.Checksum.Algorithm != "sha256" || r.Sboms[0].Artifacts != "archive" {
		t.Fatalf("got %+v", r)
	}
	build, archive := r.Builds[0], r.Archives[0]
	for name, pair := range map[string][2]string{
		"goos":    {strings.Join(build.Goos, " "), "linux darwin windows"},
		"goarch":  {strings.Join(build.Goarch, " "), "amd64 arm64"},
		"ldflags": {strings.Join(build.Ldflags, " "), "-s -w -funcalign=16"},
		"env":     {strings.Join(build.Env, " "), "CGO_ENABLED=0"},
		"main":    {build.Main, "./cmd/agent"},
		"times":   {build.ModTimestamp, "{{ .CommitTimestamp }}"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", name, pair[0], pair[1])
		}
	}
	if !slices.Contains(build.Flags, "-trimpath") {
		t.Errorf("flags: %v have paths of the machine", build.Flags)
	}
	if len(archive.FormatOverrides) != 1 || archive.FormatOverrides[0].Goos != "windows" ||
		!slices.Equal(archive.FormatOverrides[0].Formats, []string{"zip"}) {
		t.Errorf("archives: got %+v, want zip for windows", archive.FormatOverrides)
	}
	for _, file := range archive.Files {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Error(err)
		}
	}
	// it builds beside its own output, and Go notes in the program whether git knows of changes
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil || !slices.Contains(strings.Split(string(ignored), "\n"), "/dist/") {
		t.Error("dist is not ignored by git: releases would call themselves dirty")
	}
	if dir := os.Getenv("AGENT_RELEASE"); dir != "" {
		flags := []string{"-trimpath", "-ldflags=" + build.Ldflags[0]}
		for _, modules := range build.Gcflags {
			flags = append(flags, "-gcflags="+modules)
		}
		for _, system := range build.Goos {
			for _, processor := range build.Goarch {
				buildRelease(t, dir, system, processor, flags)
			}
		}
	}
}

// buildRelease builds the program for a system and a processor with the flags. The pair that this
// machine has is built from two folders: the bytes must be the same, few enough, and run.
func buildRelease(t *testing.T, dir, system, processor string, flags []string) {
	t.Helper()
	file := filepath.Join(dir, "agent-"+system+"-"+processor)
	build := func(from, to string) []byte {
		args := append([]string{"build", "-buildvcs=false", "-o", to}, flags...)
		cmd := exec.CommandContext(t.Context(), "go", append(args, "./cmd/agent")...)
		cmd.Dir = from
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s/%s: %v: %s", system, processor, err, said)
		}
		b, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	b := build(root, file)
	t.Logf("%s/%s: %d bytes", system, processor, len(b))
	if system != runtime.GOOS || processor != runtime.GOARCH {
		return
	}
	if len(b) > mostBytes {
		t.Errorf("the program has %d bytes, more than %d", len(b), mostBytes)
	}
	other := filepath.Join(dir, "elsewhere")
	if err := os.CopyFS(other, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, build(other, file+"-again")) {
		t.Error("another folder makes other bytes")
	}
	said, err := exec.CommandContext(t.Context(), file, "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(said), "agent ") {
		t.Errorf("--version: %v: %s", err, said)
	}
}
