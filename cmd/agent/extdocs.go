package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentscripts/agent/engine/spec"
)

// extDocs implements agent ext docs: everything needed to write a script, in one text.
func extDocs(_ *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext docs: got %s, want nothing behind it",
			strings.Join(words, " ")))
	}
	return printText(stdout, stderr, strings.TrimSuffix(spec.Guide(), "\n"))
}
