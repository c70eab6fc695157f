// This file implements agent ext dev: a script of the project loads as it is saved.

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/engine/plain"
)

// extDev implements agent ext dev FILE and agent ext dev --end FILE.
func extDev(f *flags, words []string, stdout, stderr io.Writer) int {
	at, err := place{}.known()
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) != 1 {
		return usageError(stderr, errors.New("ext dev: want one FILE, a script of the project"))
	}
	p := program.OpenProject(config.Project(at.dir), at.home, runtimes())
	name, err := p.Lease(words[0], f.endLease)
	if err != nil {
		return failure(stderr, fmt.Errorf("ext dev: %w", err))
	}
	name = plain.Line(name, toolShown)
	if f.endLease {
		return printText(stdout, stderr, name+" waits for a review again after each change")
	}
	return printText(stdout, stderr, name+" loads as you save it, without a review, until HEAD "+
		"moves or you say agent ext dev --end "+name)
}
