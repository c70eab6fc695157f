// This file handles script options that the user sets on the command line.

package main

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/suggest"
)

// assignment is one --set.
type assignment struct{ script, name, value string }

// addSet parses a --set: script.name=value. The script's extension is optional.
func (f *flags) addSet(text string) error {
	key, value, ok := strings.Cut(text, "=")
	i := strings.LastIndexByte(key, '.')
	if !ok || i <= 0 || i == len(key)-1 {
		return fmt.Errorf("got %.80q, want script.name=value", text)
	}
	f.options = append(f.options, assignment{key[:i], key[i+1:], value})
	return nil
}

// setting returns the command line's setting of an option. The last of several flags counts.
func (f *flags) setting(script, name string) (option.Setting, bool) {
	for i := len(f.options) - 1; i >= 0; i-- {
		if s := f.options[i]; s.name == name && option.NamesScript(s.script, script) {
			return option.Setting{Value: s.value, Text: true,
				Where: "--set " + s.script + "." + name}, true
		}
	}
	return option.Setting{}, false
}

// tellUnknownSettings warns of settings for options that no script has. In the settings file it
// ignores those for missing scripts, because they may belong to another project.
func (a *app) tellUnknownSettings() {
	have, broken := map[string][]string{}, []string{}
	for _, g := range a.engine.Scripts.Snapshot().Generations {
		have[g.Name] = []string{}
		for _, o := range g.Registry.Options {
			have[g.Name] = append(have[g.Name], o.Name)
		}
	}
	for _, i := range a.agent.Scripts() {
		if i.Error != nil { // its options are unknown
			broken = append(broken, i.Name)
		}
	}
	warn := a.program.Warn
	for _, s := range a.flags.options {
		if why := unknownOption(have, broken, s.script, s.name, true); why != "" {
			warn("--set " + s.script + "." + s.name + ": " + why)
		}
	}
	for _, o := range a.program.Settings.Options {
		if why := unknownOption(have, broken, o.Script, o.Name, false); why != "" {
			warn(o.Where + ": options." + o.Script + "." + o.Name + ": " + why)
		}
	}
}

// unknownOption explains why no script has the option, "" if one has it. have lists the options by
// script.
func unknownOption(have map[string][]string, broken []string, script, name string,
	needed bool) string {
	for _, b := range broken {
		if option.NamesScript(script, b) {
			return ""
		}
	}
	var stems, options []string
	found := false
	for file, list := range have {
		stems = append(stems, option.Stem(file))
		if !option.NamesScript(script, file) {
			continue
		}
		found = true
		for _, o := range list {
			if o == name {
				return ""
			}
		}
		options = append(options, list...)
	}
	switch {
	case found:
		return fmt.Sprintf("the script has no option %q%s", name, suggest.DidYouMean(name, options))
	case needed:
		return fmt.Sprintf("no script %q is loaded%s", script, suggest.DidYouMean(script, stems))
	}
	return ""
}
