// This file searches texts: with patterns, and with functions of scripts.

package redact

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// findPiece is how many bytes a redactor's function gets at once: it can search them within its
	// budgets.
	findPiece = 256 << 10
	// findOverlap is how much of a piece the next one repeats, so that a match across the boundary
	// is found.
	findOverlap = 4 << 10
)

// Look masks texts and values with the redactors of one moment. Once a function has failed in it,
// all following text is withheld.
type Look struct {
	red  *Set
	find bool // call functions of scripts too

	mu     sync.Mutex
	failed *Redactor // whose function failed: further text is withheld without calling it again
}

// Text returns s masked.
func (m *Look) Text(s string) string {
	if s == "" {
		return s
	}
	if f := m.failure(); f != nil {
		return f.withheld()
	}
	if out, ok := m.red.memo.getEntry(s); ok && m.find == m.red.finds {
		return out
	}
	out, _ := m.part(s, 0, len(s))
	if m.find == m.red.finds && m.failure() == nil {
		m.red.memo.addEntry(s, out)
	}
	return out
}

func (m *Look) failure() *Redactor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// part returns s[from:to] masked in the context of s, and where it ends: before to, if a match
// extends over to.
func (m *Look) part(s string, from, to int) (string, int) {
	if to <= from {
		return "", from
	}
	if !m.find {
		return m.cutText(s, from, to, nil)
	}
	if !utf8.ValidString(s[from:to]) { // the result of a script would not be found in it
		return m.readable(s[from:to]), to
	}
	return m.cutText(s, from, to, m.found)
}

// readable masks a text with invalid UTF-8: unchanged if there is nothing to mask, otherwise with
// each invalid byte replaced by U+FFFD.
func (m *Look) readable(s string) string {
	valid := string([]rune(s))
	out, _ := m.cutText(valid, 0, len(valid), m.found)
	if out == valid {
		return s
	}
	return out
}

func (m *Look) cutText(s string, from, to int, found func(string) ([]span, *Redactor)) (string,
	int) {
	spans := m.red.matches(s)
	if found != nil {
		more, failed := found(s)
		if failed != nil {
			return failed.withheld(), to
		}
		spans = append(spans, more...)
	}
	spans = m.red.merge(s, spans)
	for i := len(spans) - 1; i >= 0; i-- {
		if x := spans[i]; x.from < to && to < x.to {
			to = max(x.from, from)
		}
		// it began in text already shown: only the rest can be masked
		if spans[i].from < from && from < spans[i].to {
			spans[i].from = from
		}
	}
	return render(s, from, to, spans), to
}

// found calls the functions. On failure it returns the failed redactor.
func (m *Look) found(s string) ([]span, *Redactor) {
	if f := m.failure(); f != nil {
		return nil, f
	}
	var spans []span
	for _, r := range m.red.list {
		if r.Find == nil {
			continue
		}
		more, err := r.findPieces(s)
		if err != nil {
			r.Failed(s, err)
			m.mu.Lock()
			m.failed = r
			m.mu.Unlock()
			return nil, r
		}
		r.Worked()
		spans = append(spans, more...)
	}
	return spans, nil
}

// findPieces calls r's function for each piece of s.
func (r *Redactor) findPieces(s string) ([]span, error) {
	var spans []span
	for begin := 0; begin < len(s); {
		end := begin + len(plain.Head(s[begin:], findPiece))
		words, err := r.Find(s[begin:end])
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			spans = append(spans, everywhere(s, begin, end, w, r)...)
		}
		if end == len(s) {
			break
		}
		begin = len(plain.Head(s, end-findOverlap))
	}
	return spans, nil
}

// everywhere returns the places of word in s[begin:end].
func everywhere(s string, begin, end int, word string, r *Redactor) (spans []span) {
	for at := begin; len(spans) < matchesKept; {
		i := strings.Index(s[at:end], word)
		if i < 0 {
			return spans
		}
		spans = append(spans, span{at + i, at + i + len(word), r})
		at += i + len(word)
	}
	return append(spans, span{spans[len(spans)-1].to, len(s), r})
}
