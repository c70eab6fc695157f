package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionLine checks what --version says of a build from a folder, from a commit, and of an
// installed module.
func TestVersionLine(t *testing.T) {
	t.Parallel()
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]*debug.BuildInfo{
		source: {Main: debug.Module{Version: "(devel)"}},
		source + " (commit 0123456789ab of 2026-01-02T03:04:05Z, with changes)": {
			Main:     debug.Module{Version: "v0.0.0-20260102030405-0123456789ab+dirty"},
			Settings: commit},
		"1.2.3": {Main: debug.Module{Version: "v1.2.3"}},
	} {
		if got := versionLine(info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, _, _ := strings.Cut(want, " "); got != versionOf(info) {
			t.Errorf("scripts are told %q, --version says %q", versionOf(info), want)
		}
	}
	if got := versionLine(nil); got != source {
		t.Errorf("got %q", got)
	}
}
