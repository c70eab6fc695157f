// This file implements agent permissions list and remove.

package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/engine/plain"
)

func runPermissions(f *flags, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	settings, warnings := config.Load(at.home, at.keeper())
	for _, w := range warnings {
		fmt.Fprintf(stderr, "agent: %s\n", plain.Text(w.String()))
	}
	r := settings.Rules
	rules := permission.New(permission.Options{Home: at.home, User: at.user,
		Project: config.Project(at.dir), Deny: r.Deny, Ask: r.Ask, Allow: r.Allow,
		Places: r.Places, Keeper: at.keeper(),
		Warn: func(text string) { fmt.Fprintf(stderr, "agent: %s\n", plain.Text(text)) }})
	switch {
	case len(f.words) == 0:
		return usageError(stderr, errors.New("permissions needs a command: list or remove N"))
	case f.words[0] == "list" && len(f.words) == 1:
		list := rules.List()
		if len(list) == 0 {
			fmt.Fprintln(stderr, "there are no rules here: the permission mode and guards decide "+
				"(agent ext help permissions)")
		}
		for i, e := range list {
			if code := printText(stdout, stderr,
				plain.Text(fmt.Sprintf("%d  %-5s  %s  %s", i+1, e.Decision, e.Rule,
					e.From()))); code != exitOK {
				return code
			}
		}
		return exitOK
	case f.words[0] == "remove" && len(f.words) == 2:
		n, err := strconv.Atoi(f.words[1])
		if err != nil {
			return usageError(stderr,
				fmt.Errorf("permissions remove: got %q, want the number that agent permissions "+
					"list shows", f.words[1]))
		}
		rule, err := rules.Remove(n)
		if err != nil {
			return failure(stderr, err)
		}
		return printText(stdout, stderr, "removed: "+plain.Text(rule))
	case f.words[0] == "list" || f.words[0] == "remove":
		return usageError(stderr,
			fmt.Errorf("permissions %s: got %d arguments; want: permissions list, permissions "+
				"remove N", f.words[0], len(f.words)-1))
	}
	return usageError(stderr, f.unknownCommand())
}
