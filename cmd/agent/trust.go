// This file implements agent trust: what the project asks for, and whether the user allows it.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// trustWords returns the words that may follow agent trust.
func trustWords() []string { return []string{"add", "revoke"} }

func runTrust(f *flags, stdout, stderr io.Writer) int {
	at, err := place{}.known()
	if err != nil {
		return failure(stderr, err)
	}
	verb := strings.Join(f.words, " ")
	if verb != "" && !slices.Contains(trustWords(), verb) {
		return usageError(stderr, fmt.Errorf("unknown command: trust %s%s", verb,
			suggest.DidYouMean(verb, trustWords())))
	}
	store, root := program.TrustStore(at.home), config.Project(at.dir)
	if verb == "revoke" { // also if the file is missing or broken: it may come back
		if err := store.Revoke(root, config.ProjectPath(root)); err != nil {
			return failure(stderr, program.Untrusting(err))
		}
	}
	p, warnings := config.LoadProject(root, at.home)
	for _, w := range warnings {
		fmt.Fprintf(stderr, "agent: %s\n", plain.Text(w.String()))
	}
	if p == nil || len(p.MCP) == 0 {
		return printText(stdout, stderr, "this project asks for nothing")
	}
	if verb == "add" {
		if err := store.Trust(program.Wish(p), false); err != nil {
			return failure(stderr, program.Untrusting(err))
		}
	}
	trusted, never, err := store.Decided(program.Wish(p))
	if err != nil {
		return failure(stderr, program.Untrusting(err))
	}
	state := "not trusted: agent trust add trusts these bytes"
	switch {
	case trusted:
		state = "trusted, as long as the file does not change: agent trust revoke takes it back"
	case never:
		state = "not trusted, and not asked about: agent trust add trusts these bytes"
	}
	return printText(stdout, stderr, program.Description(p)+"\n"+state)
}
