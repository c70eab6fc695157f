// Package recall holds the prompts that were sent before: a list to step through, and a search in
// it. It knows no terminal and does no I/O.
package recall

import (
	"slices"
	"sync"

	"github.com/agentscripts/agent/tui/internal/textarea"
)

const (
	// mostKept is how many prompts can be stepped through.
	mostKept = 1000
	// mostSearched is how many prompts are searched: more would delay a key.
	mostSearched = 10_000
)

// List holds clean prompts, the oldest first, and a position in them. Behind the last one is the
// draft: the text that was not sent yet.
type List struct {
	Label textarea.Labels // draws the texts

	texts  []string
	others []string // prompts of other projects, which are only searched
	at     int      // in texts; len(texts) = the draft
	draft  string
}

// Load puts prompts of earlier starts before those of this one. All lists begin with the oldest.
func (l *List) Load(own, others []string) {
	atDraft := l.at == len(l.texts)
	before := len(l.texts)
	l.texts = slices.Concat(own, l.texts)
	l.others = others
	l.at += len(l.texts) - before
	l.bound()
	if atDraft {
		l.at = len(l.texts)
	}
}

// bound removes the oldest prompts.
func (l *List) bound() {
	over := max(0, len(l.texts)-mostSearched)
	l.texts, l.at = l.texts[over:], max(0, l.at-over)
}

// Append adds a prompt that was sent, unless it repeats the last one. The position is behind it.
func (l *List) Append(text string) {
	if n := len(l.texts); text != "" && (n == 0 || l.texts[n-1] != text) {
		l.texts = append(l.texts, text)
		l.bound()
	}
	l.at, l.draft = len(l.texts), ""
}

// Step moves to an older (-1) or newer (1) prompt and returns it, or the draft behind the last one.
// current is the text in the editor. It returns false at the ends.
func (l *List) Step(step int, current string) (text string, ok bool) {
	to := l.at + step
	if to < max(0, len(l.texts)-mostKept) || to > len(l.texts) {
		return "", false
	}
	if l.at == len(l.texts) {
		l.draft = current
	}
	if l.at = to; to == len(l.texts) {
		return l.draft, true
	}
	return l.texts[to], true
}

// Search begins a search in all prompts: from the newest of this project to its oldest, then those
// of other projects. A text that was sent several times is found once.
func (l *List) Search() *Search {
	seen := map[string]bool{}
	var texts []string
	for _, list := range [][]string{l.texts, l.others} {
		for _, text := range slices.Backward(list) {
			if len(texts) < mostSearched && !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return newSearch(texts, l.Label)
}

// Outbox passes prompts, in the order in which they were added, to a function that may block. Its
// methods may be called from any goroutine.
type Outbox[P any] struct {
	mu      sync.Mutex
	waiting []P
	sending sync.Mutex
}

// Append adds a prompt. It does not block.
func (o *Outbox[P]) Append(prompt P) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, prompt)
}

// Flush passes all waiting prompts to send, and returns its last error.
func (o *Outbox[P]) Flush(send func(P) error) (err error) {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	prompts := o.waiting
	o.waiting = nil
	o.mu.Unlock()
	for _, prompt := range prompts {
		if failed := send(prompt); failed != nil {
			err = failed
		}
	}
	return err
}
