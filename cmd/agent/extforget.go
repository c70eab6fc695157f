// This file implements agent ext forget and locates the list of scripts that are reported when
// missing.

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/suggest"
)

// extForget implements agent ext forget NAME...: deleted scripts are no longer reported as missing.
func extForget(_ *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return usageError(stderr, err)
	}
	missed, err := load.Forget(at.home, at.guardList(), at.readers())
	if err != nil {
		return failure(stderr, fmt.Errorf("ext forget: %w", err))
	}
	if len(words) == 0 {
		names := "no script is missing"
		if len(missed) > 0 {
			names = "missing are: " + strings.Join(missed, ", ")
		}
		return usageError(stderr,
			errors.New("ext forget: want NAME, of a script whose file is gone; "+names))
	}
	for _, name := range words {
		path := filepath.Join(at.home, "scripts", name)
		if strings.Contains(name, "/") {
			path = filepath.Join(at.home, "extensions", filepath.FromSlash(name))
		}
		switch {
		case slices.Contains(missed, name):
		case realpath.Exists(path):
			return failure(stderr, fmt.Errorf("ext forget: %s is there: delete %s first", name,
				path))
		default:
			return failure(stderr, fmt.Errorf("ext forget: no script %q is missing%s", name,
				suggest.DidYouMean(name, missed)))
		}
	}
	if _, err := load.Forget(at.home, at.guardList(), at.readers(), words...); err != nil {
		return failure(stderr, fmt.Errorf("ext forget: %w", err))
	}
	return printText(stdout, stderr, "forgotten: "+strings.Join(words, ", "))
}

// guardList returns the path of a second copy of the list of guarding scripts. It lies outside of
// the agent's own folder, so that emptying that folder does not hide that they are missing. There
// is no copy if the folder is not in the user's home directory, because it may be temporary.
func (p place) guardList() string {
	rel, err := filepath.Rel(p.user, p.home)
	if p.user == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(p.user, ".local", "state")
	}
	sum := sha256.Sum256([]byte(p.home))
	return filepath.Join(state, "agent", "guards-"+hex.EncodeToString(sum[:8])+".json")
}

// keeper returns the keeper of the user's settings.
func (p place) keeper() *load.Settings { return load.OpenSettings(p.home, p.guardList()) }
