// This file implements agent ext disable and agent ext enable.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/suggest"
)

// extDisable implements agent ext disable [NAME...]: without a name it lists what is disabled.
func extDisable(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) > 0 {
		return at.setEnabled(f, words, false, stdout, stderr)
	}
	list, err := load.ListDisabled(at.home)
	if err != nil {
		return failure(stderr, fmt.Errorf("ext disable: %w", err))
	}
	if f.json {
		return printStates(stdout, stderr, list, "disabled")
	}
	if len(list) == 0 {
		return printText(stdout, stderr, "no script is disabled")
	}
	var lines []string
	for _, d := range list {
		line := plain.RevealName(d.Name) + "  " + plain.RevealName(d.Path)
		if d.Guards {
			line += "  WHAT IT GUARDS IS NOT GUARDED"
		}
		lines = append(lines, line)
	}
	return printText(stdout, stderr, strings.Join(lines, "\n"))
}

// extEnable implements agent ext enable NAME....
func extEnable(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) == 0 {
		return usageError(stderr, errors.New("ext enable: want NAME, of a script that is "+
			"disabled; agent ext disable lists them"))
	}
	return at.setEnabled(f, words, true, stdout, stderr)
}

// printStates prints a line of JSON for each script.
func printStates(stdout, stderr io.Writer, list []load.Disabled, state string) int {
	var b bytes.Buffer
	for _, d := range list {
		line, err := json.Marshal(map[string]any{"file": d.Name, "path": d.Path, "state": state,
			"guards": d.Guards})
		if err != nil {
			return failure(stderr, err)
		}
		b.Write(append(line, '\n'))
	}
	return sayBytes(stdout, stderr, b.Bytes())
}

// setEnabled enables or disables the scripts that words name.
func (p place) setEnabled(f *flags, words []string, on bool, stdout, stderr io.Writer) int {
	verb := "disable"
	if on {
		verb = "enable"
	}
	list, err := load.ListDisabled(p.home)
	if err != nil {
		return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
	}
	var paths, names []string
	for _, word := range words {
		path, err := p.disabledPath(word, list, on)
		if err != nil {
			return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
		}
		paths, names = append(paths, path), append(names, load.NameOf(readers(), path))
	}
	if err := load.SetEnabled(p.home, readers(), on, paths...); err != nil {
		return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
	}
	log := audit.New(audit.Options{Dir: audit.Dir(p.home)})
	for _, path := range paths {
		log.Add(audit.Trust, "", map[string]any{"decision": verb, "path": path})
	}
	if err := log.Flush(); err != nil {
		fmt.Fprintf(stderr, "agent: the audit log cannot be written: %s\n", plain.Error(err))
	}
	if f.json {
		done := list
		if !on {
			if done, err = load.ListDisabled(p.home); err != nil {
				return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
			}
		}
		return printStates(stdout, stderr, slices.DeleteFunc(done,
			func(d load.Disabled) bool { return !slices.Contains(paths, d.Path) }), verb+"d")
	}
	others := ""
	if f.command != "" { // the screen does it itself
		others = " (agents that are running do that with /reload)"
	}
	return printText(stdout, stderr, plain.Text(fmt.Sprintf("%sd: %s%s", verb,
		strings.Join(names, ", "), others)))
}

// knownScripts returns the names of the scripts that can be enabled, or disabled.
func knownScripts(dirs []string, disabled []load.Disabled, on bool) (names []string) {
	if on {
		for _, d := range disabled {
			names = append(names, d.Name)
		}
	}
	for _, dir := range dirs {
		for _, name := range load.ExtensionsIn(readers(), dir) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if on {
			continue
		}
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if isScript(f.Name()) && !slices.Contains(names, f.Name()) {
				names = append(names, f.Name())
			}
		}
	}
	return names
}

// switchedOff reports whether a manifest switches its extension off.
func switchedOff(path string) bool {
	text, err := regularfile.Read(path)
	if err != nil {
		return false
	}
	header, _ := load.HeaderOf(readers(), load.NameOf(readers(), path), text)
	return header.Off
}

// disabledPath returns the path of the script that a word names: a name in one of the folders of
// scripts, or a path in one of them.
func (p place) disabledPath(word string, disabled []load.Disabled, on bool) (string, error) {
	root := filepath.Join(config.Project(p.dir), ".agent")
	dirs := []string{filepath.Join(p.home, "scripts"), filepath.Join(root, "scripts"),
		filepath.Join(p.home, "extensions"), filepath.Join(root, "extensions")}
	if known := knownScripts(dirs, disabled, on); !slices.Contains(known, word) {
		whole, err := share.WholeName(word, known)
		if err != nil {
			return "", err
		}
		word = whole
	}
	var candidates []string
	for _, dir := range dirs {
		candidates = append(candidates, filepath.Join(dir, filepath.FromSlash(word)))
	}
	if filepath.IsAbs(word) {
		candidates = []string{filepath.Clean(word)}
	}
	var names []string
	for _, d := range disabled {
		names = append(names, d.Name)
		if on && slices.Contains(candidates, d.Path) {
			return d.Path, nil
		}
	}
	for _, path := range candidates {
		folder, script := filepath.Dir(path), isScript(path)
		if strings.Contains(load.NameOf(readers(), path), "/") {
			folder, script = filepath.Dir(folder), true
		}
		switch {
		case !slices.Contains(dirs, folder) || !script || !realpath.Exists(path):
		case !on:
			return path, nil
		case switchedOff(path):
			return "", fmt.Errorf("its manifest switches it off: change that in %s",
				plain.RevealName(path))
		}
	}
	if on {
		return "", fmt.Errorf("%s is not disabled%s", plain.RevealName(word),
			suggest.DidYouMean(word, names))
	}
	managed, err := p.managedStatus()
	if err == nil {
		err = installcmd.ManagedError(word, managed)
	}
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("no script %s in %s", plain.RevealName(word), strings.Join(dirs, " or "))
}
