// This file limits and cleans text from servers before a person or a model sees it.

package mcp

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// maxNotice limits a notice in bytes: some lines on a screen.
	maxNotice = 1000
	// shortestSecret is the least length of a value that is hidden: shorter ones are not keys, and
	// may be parts of words.
	shortestSecret = 6
)

// sdkWords matches the SDK's additions to the cause of an error: the kind of message, and that it
// was not delivered.
var sdkWords = lazyregexp.New(`(calling|sending) "[a-z/]+": |rejected by transport: `)

// reason describes an error for people.
func reason(err error) string {
	text := sdkWords().ReplaceAllString(plain.Error(err), "")
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		text = "its answer is not understood: " + text
	}
	return text
}

// hide replaces values that were passed to the server and may be secret.
func (s *server) hide(text string) string {
	var pairs []string
	for _, g := range s.cfg.Given(s.m.o.LookupEnv) {
		if len(g.Value) >= shortestSecret {
			pairs = append(pairs, g.Value, "["+g.Name+"]")
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
