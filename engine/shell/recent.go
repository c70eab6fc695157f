// This file caches recently parsed lines: the program and every guard of a call read the same line.

package shell

import "sync"

const (
	// maxRecent limits the number of lines, and maxRecentText the length of each in bytes.
	maxRecent, maxRecentText = 8, 4 << 10
)

// memo is safe for concurrent use. Its scripts never change.
type memo struct {
	mu    sync.Mutex
	lines [maxRecent]struct {
		text   string
		script *Script
	}
	next int // the oldest one
}

func (m *memo) findScript(text string) *Script {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.lines {
		if l := &m.lines[i]; l.script != nil && l.text == text {
			return l.script
		}
	}
	return nil
}

func (m *memo) keepScript(text string, s *Script) {
	if len(text) > maxRecentText {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines[m.next].text, m.lines[m.next].script = text, s
	m.next = (m.next + 1) % maxRecent
}
