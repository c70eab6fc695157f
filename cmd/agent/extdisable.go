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

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
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
	var places []load.Place
	var names []string
	for _, word := range words {
		x, err := p.switchedBy(word, list, on)
		if err != nil {
			return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
		}
		places, names = append(places, x), append(names, x.Name)
	}
	if err := load.SetEnabled(p.home, p.readers(), on, places...); err != nil {
		return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
	}
	log := audit.New(audit.Options{Dir: audit.Dir(p.home)})
	for _, x := range places {
		log.Add(audit.Trust, "", map[string]any{"decision": verb, "path": x.Path})
	}
	if err := log.Flush(); err != nil {
		fmt.Fprintf(stderr, "agent: the audit log cannot be written: %s\n", plain.Error(err))
	}
	if f.json {
		done, state := list, "live"
		if !on {
			state = "disabled"
			if done, err = load.ListDisabled(p.home); err != nil {
				return failure(stderr, fmt.Errorf("ext %s: %w", verb, err))
			}
		}
		return printStates(stdout, stderr, slices.DeleteFunc(done,
			func(d load.Disabled) bool { return !slices.ContainsFunc(places, d.Is) }), state)
	}
	others := ""
	if f.command != "" { // the screen does it itself
		others = " (agents that are running do that with /reload)"
	}
	return printText(stdout, stderr, plain.Text(fmt.Sprintf("%sd: %s%s", verb,
		strings.Join(names, ", "), others)))
}

// switchable returns the scripts that can be enabled or disabled, and the folders that they are in.
func (p place) switchable() (all []load.Place, dirs []string) {
	for _, project := range []bool{false, true} {
		in := p.installer(project)
		files, _ := os.ReadDir(in.Scripts)
		for _, f := range files {
			if isScript(f.Name()) {
				all = append(all, load.Place{Name: f.Name(),
					Path: filepath.Join(in.Scripts, f.Name())})
			}
		}
		all = append(all, p.extensionsAt(project)...)
		dirs = append(dirs, in.Scripts, in.Extensions)
	}
	return all, dirs
}

// switchedOff reports whether a manifest switches its extension off.
func (p place) switchedOff(path string) bool {
	text, err := load.ReadManifest(p.readers(), path)
	if err != nil {
		return false
	}
	header, _ := load.HeaderOf(p.readers(), load.NameOf(p.readers(), path), text)
	return header.Off
}

// switchedBy returns the script that a word names, by its name or its path, to be enabled or
// disabled.
func (p place) switchedBy(word string, disabled []load.Disabled,
	on bool) (x load.Place, err error) {
	all, dirs := p.switchable()
	if on { // or one whose file is gone
		var off []load.Place
		for _, d := range disabled {
			off = append(off, load.Place{Name: d.Name, Path: d.Path, Lasting: d.Lasting})
		}
		all = append(off, all...)
	}
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	if !filepath.IsAbs(word) {
		whole, err := share.WholeName(word, slices.Compact(slices.Sorted(slices.Values(names))))
		if err != nil {
			return x, err
		}
		word = whole
	}
	if word, err = manifestAt(word, all); err != nil {
		return x, err
	}
	for _, x = range all {
		switch {
		case x.Name != word && x.Path != filepath.Clean(word):
		case !on || slices.ContainsFunc(disabled,
			func(d load.Disabled) bool { return d.Is(x) }):
			return x, nil
		case p.switchedOff(x.Path):
			return x, fmt.Errorf("its manifest switches it off: change that in %s",
				plain.RevealName(x.Path))
		}
	}
	if on {
		names = names[:len(disabled)]
		return x, fmt.Errorf("%s is not disabled%s", plain.RevealName(word),
			suggest.DidYouMean(word, names))
	}
	managed, err := p.managedStatus()
	if err == nil {
		err = installcmd.ManagedError(word, managed)
	}
	if err != nil {
		return x, err
	}
	return x, fmt.Errorf("no script %s in %s", plain.RevealName(word), strings.Join(dirs, " or "))
}

// manifestAt returns the path of the manifest of all whose extension has its files in the folder
// that a word names; if there is none, the word.
func manifestAt(word string, all []load.Place) (string, error) {
	if !filepath.IsAbs(word) {
		return word, nil
	}
	var in []string
	for _, x := range all {
		if load.FolderOf(readers(), x.Path) == filepath.Clean(word) {
			in = append(in, x.Path)
		}
	}
	slices.Sort(in)
	switch in = slices.Compact(in); len(in) {
	case 0:
		return word, nil
	case 1:
		return in[0], nil
	}
	return word, fmt.Errorf("%s has %s: give the path of one", plain.RevealName(word),
		plain.RevealName(strings.Join(in, " and ")))
}
