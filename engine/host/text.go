// This file holds ext.text.

package host

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// textTruncate cuts a text to options.lines lines and options.bytes bytes, and says how much is
// missing.
func textTruncate(c *engine.HostCall) (any, error) {
	o := table(c.Args[1])
	s, tail := text(c.Args[0]), text(o["keep"]) == "tail"
	most := func(key string) (int, bool) {
		n, ok := value.Number(o[key])
		return int(n), ok
	}
	for _, key := range []string{"lines", "bytes"} {
		if n, ok := most(key); ok && n < 0 {
			return nil, fmt.Errorf("ext.text.truncate: %s: got %d, want 0 or more", key, n)
		}
	}
	kept := s
	if n, ok := most("lines"); ok {
		kept = keepLines(kept, n, tail)
	}
	if n, ok := most("bytes"); ok {
		if tail {
			kept = plain.Tail(kept, n)
		} else {
			kept = plain.Head(kept, n)
		}
	}
	if len(kept) == len(s) {
		return s, nil
	}
	note := fmt.Sprintf("[%d of %d bytes left out]", len(s)-len(kept), len(s))
	if tail {
		return note + "\n" + kept, nil
	}
	return strings.TrimSuffix(kept, "\n") + "\n" + note, nil
}

// keepLines is the first or last n lines of s, whole.
func keepLines(s string, n int, tail bool) string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" { // behind the last line break
		lines = lines[:len(lines)-1]
	}
	switch {
	case len(lines) <= n:
		return s
	case tail:
		return strings.Join(lines[len(lines)-n:], "")
	}
	return strings.Join(lines[:n], "")
}
