package main

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
)

// TestTableOfCommands compares the table that help and completion are made of with the commands and
// flags that the program takes.
func TestTableOfCommands(t *testing.T) {
	t.Parallel()
	listed, taken := []string{}, installcmd.Names()
	for _, c := range cli.Under("ext") {
		listed = append(listed, strings.TrimPrefix(c.Name, "ext "))
	}
	for _, c := range extCommands() {
		taken = append(taken, c.name)
	}
	slices.Sort(listed)
	slices.Sort(taken)
	if !slices.Equal(listed, taken) {
		t.Errorf("ext: listed %v\ntaken %v", listed, taken)
	}
	var permission string
	var yolo bool
	known := map[string]bool{}
	(&flags{}).flagSet(&permission, &yolo).VisitAll(func(f *flag.Flag) { known[f.Name] = true })
	help := map[string]bool{}
	for _, c := range cli.Commands() {
		ext := strings.TrimPrefix(c.Name, "ext ")
		installs := strings.HasPrefix(c.Name, "ext ") && slices.Contains(installcmd.Names(), ext)
		var names []string
		for _, f := range c.Flags {
			for _, name := range []string{f.Name, f.Short} {
				if names = append(names, name); name != "" && !installs {
					help[name] = true
					if !known[name] {
						t.Errorf("agent %s: the flag %s is listed and not taken", c.Name, name)
					}
				}
			}
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
		if !installs {
			continue
		}
		want := installcmd.Flags(ext)
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("%s: listed %v, taken %v", c.Name, names, want)
		}
	}
	for name := range known {
		if !help[name] {
			t.Errorf("the flag %s is taken and not listed", name)
		}
	}
}
