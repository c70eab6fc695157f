// This file limits and cleans text from servers before a person or a model sees it.

package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// maxNotice limits a notice in bytes: some lines on a screen.
	maxNotice = 1000
	// maxTail is how many bytes of a server's latest output are kept: its last error message.
	maxTail = 4 << 10
	// shortestSecret is the least length of a value that is hidden: shorter ones are not keys, and
	// may be parts of words.
	shortestSecret = 6
)

// sdkWords matches the SDK's additions to the cause of an error: the kind of message, and that it
// was not delivered.
var sdkWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(calling|sending) "[a-z/]+": |rejected by transport: `)
})

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

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = plain.AppendTail(t.b, b, maxTail)
	return len(b), nil
}

// lastWords returns the last lines, as the end of an error message; "" if there are none.
func (t *tail) lastWords() string {
	const lines = 5
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(plain.Text(string(t.b)))
	if text == "" {
		return ""
	}
	all := strings.Split(text, "\n")
	last := strings.Join(all[max(0, len(all)-lines):], " | ")
	if len(last) > maxNotice/2 {
		last = "..." + plain.Tail(last, maxNotice/2)
	}
	return fmt.Sprintf("; its last words: %s", last)
}
