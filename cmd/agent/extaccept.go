// This file implements agent ext accept, which shows and accepts versions of scripts that wait.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
)

// extAccept implements agent ext accept [NAME...]: without a name it shows the versions that wait.
func extAccept(_ *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return usageError(stderr, err)
	}
	waiting, err := load.Waiting(at.home, at.readers())
	if err != nil {
		return failure(stderr, fmt.Errorf("ext accept: %w", err))
	}
	if len(words) == 0 {
		return showWaiting(waiting, stdout, stderr)
	}
	var names []string
	var accepted []load.Held
	for _, v := range waiting {
		names = append(names, v.Name)
		if !slices.Contains(words, v.Name) {
			continue
		}
		if v.Trouble != "" {
			return failure(stderr, fmt.Errorf("ext accept: %s: %s", v.Name, v.Trouble))
		}
		accepted = append(accepted, v.Held)
	}
	for _, name := range words {
		if !slices.Contains(names, name) {
			those := "none waits"
			if len(names) > 0 {
				those = "waiting are: " + strings.Join(names, ", ")
			}
			return failure(stderr,
				fmt.Errorf("ext accept: no version of %q waits; %s", name, those))
		}
	}
	if err := load.Accept(at.home, accepted...); err != nil {
		return failure(stderr, fmt.Errorf("ext accept: %w", err))
	}
	log := audit.New(audit.Options{Dir: audit.Dir(at.home)})
	for _, h := range accepted {
		log.Add(audit.Trust, "", map[string]any{"decision": "accept", "path": h.Path,
			"sha256": h.SHA256, "why": h.Why})
	}
	if err := log.Flush(); err != nil {
		fmt.Fprintf(stderr, "agent: the audit log cannot be written: %s\n", plain.Error(err))
	}
	return printText(stdout, stderr, "accepted: "+strings.Join(words, ", ")+
		" (agents that are running load it now)")
}

func showWaiting(waiting []load.Waits, stdout, stderr io.Writer) int {
	if len(waiting) == 0 {
		return printText(stdout, stderr, "no version of a script waits for you")
	}
	var parts []string
	for _, v := range waiting {
		state := "agent ext accept " + v.Name + " accepts it"
		switch {
		case v.Trouble != "":
			state = v.Trouble
		case v.Accepted:
			state = "accepted: the next start loads it"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)\n%s\n%s\n%s%s", plain.RevealName(v.Name),
			v.Why, v.Time.Local().Format(time.DateTime), plain.Reveal(v.Path), state, v.Asks,
			strings.TrimRight(plain.Reveal(v.Differences), "\n")))
	}
	return printText(stdout, stderr, strings.Join(parts, "\n\n"))
}
