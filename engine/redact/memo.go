// This file caches masked texts: the same messages are sent again with each request.

package redact

import "sync"

const (
	// memoBytes is the size of the cache: enough for the messages of a long conversation, and small
	// for a process.
	memoBytes = 8 << 20
	// memoText is the longest text that is cached: a longer one would displace all others.
	memoText = 256 << 10
)

// memo maps texts to masked texts. It has two halves; when the young one is full, the old one is
// dropped.
type memo struct {
	mu         sync.Mutex
	young, old map[string]string
	size       int // of young
}

func (m *memo) getEntry(text string) (string, bool) {
	if len(text) > memoText {
		return "", false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if out, ok := m.young[text]; ok {
		return out, true
	}
	out, ok := m.old[text]
	if ok {
		m.putEntry(text, out)
	}
	return out, ok
}

func (m *memo) addEntry(text, masked string) {
	if len(text) > memoText {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.putEntry(text, masked)
}

// memoEntry is the size of an entry besides its texts.
const memoEntry = 64

func (m *memo) putEntry(text, masked string) {
	if m.young == nil || m.size > memoBytes/2 {
		m.young, m.old, m.size = map[string]string{}, m.young, 0
	}
	m.young[text] = masked
	m.size += len(text) + memoEntry
	if masked != text {
		m.size += len(masked)
	}
}
