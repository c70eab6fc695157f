// This file looks through texts: with patterns, and with functions of scripts.

package engine

import (
	"context"
	"errors"
	"fmt"
	"github.com/agentscripts/agent/engine/value"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	// findPiece is how much text a redactor's function gets at once: what it can look through
	// within its budgets.
	findPiece = 256 << 10
	// findOverlap is how much of a piece the next one repeats, so that what lies across the cut is
	// seen whole.
	findOverlap = 4 << 10
	// findMost is how many strings a function may find in one piece: each is searched for.
	findMost = 1000
	// redactorQuiet is how long the next failure of a redactor is not told: it is asked for each
	// text.
	redactorQuiet = time.Minute
)

// redactorState is what a redactor has been through.
type redactorState struct {
	failures atomic.Int32 // in a row
	broken   atomic.Bool
	told     atomic.Int64 // when its failure was told last, UnixNano
}

// masking is one look through something, with the redactors of one moment.
type masking struct {
	e    *Engine
	red  *redaction
	find bool // functions of scripts too

	mu     sync.Mutex
	failed *Redactor // whose function failed here: the rest is withheld without asking it again
}

// text returns s as it may be seen.
func (m *masking) text(s string) string {
	if s == "" {
		return s
	}
	if f := m.failure(); f != nil {
		return f.withheld()
	}
	if out, ok := m.red.memo.get(s); ok && m.find == m.red.finds {
		return out
	}
	out, _ := m.part(s, 0, len(s))
	if m.find == m.red.finds && m.failure() == nil {
		m.red.memo.add(s, out)
	}
	return out
}

func (m *masking) failure() *Redactor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// part returns s[from:to] as it may be seen in s, and where it ends: before to, if something that
// is masked reaches over it.
func (m *masking) part(s string, from, to int) (string, int) {
	if to <= from {
		return "", from
	}
	if !m.find {
		return m.cut(s, from, to, nil)
	}
	if !utf8.ValidString(s[from:to]) { // what comes back from a script would not be found in it
		return m.readable(s[from:to]), to
	}
	return m.cut(s, from, to, m.found)
}

// readable masks a text with invalid UTF-8: as it is if there is nothing to mask, else each invalid
// byte is U+FFFD.
func (m *masking) readable(s string) string {
	valid := string([]rune(s))
	out, _ := m.cut(valid, 0, len(valid), m.found)
	if out == valid {
		return s
	}
	return out
}

func (m *masking) cut(s string, from, to int, found func(string) ([]span, *Redactor)) (string,
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
		// it began in what was shown: only the rest can be masked
		if spans[i].from < from && from < spans[i].to {
			spans[i].from = from
		}
	}
	return render(s, from, to, spans), to
}

// found asks the functions. On failure it returns whose.
func (m *masking) found(s string) ([]span, *Redactor) {
	if f := m.failure(); f != nil {
		return nil, f
	}
	var spans []span
	for _, r := range m.red.list {
		if r.Find == nil {
			continue
		}
		more, err := r.find(m.e, s)
		if err != nil {
			m.e.redactorFailed(r, s, err)
			m.mu.Lock()
			m.failed = r
			m.mu.Unlock()
			return nil, r
		}
		m.e.redactorWorked(r)
		spans = append(spans, more...)
	}
	return spans, nil
}

// find calls r's function for each piece of s. If r's script was reloaded meanwhile, the new
// version is asked; one that was taken away fails: what was said while it was in force stays
// unseen.
func (r *Redactor) find(e *Engine, s string) ([]span, error) {
	var spans []span
	for begin := 0; begin < len(s); {
		end := min(begin+findPiece, len(s))
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end--
		}
		words, err := r.call(e, s[begin:end])
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			spans = append(spans, everywhere(s, begin, end, w, r)...)
		}
		if end == len(s) {
			break
		}
		for begin = end - findOverlap; !utf8.RuneStart(s[begin]); begin-- {
		}
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

// call asks r's function once.
func (r *Redactor) call(e *Engine, text string) ([]string, error) {
	for range maxRounds {
		v, err := r.Gen.Run(NewRun(context.Background(), r.Gen, KindRedact, r.label(), e.envelope(),
			nil), r.Find, text)
		if err == nil {
			words, err := decodeFound(v)
			if err != nil {
				err = r.Gen.wrong(err, r.label(), r.Line)
			}
			return words, err
		}
		if !errors.Is(err, ErrClosed) {
			return nil, err
		}
		next := r.successor(e)
		if next == nil || next == r {
			return nil, err
		}
		r = next
	}
	return nil, ErrClosed
}

func (r *Redactor) label() string { return "redact " + r.Name }

// successor is the redactor of the same name of the same script, as it is now.
func (r *Redactor) successor(e *Engine) *Redactor {
	red := e.current.Load().redaction
	if red == nil {
		return nil
	}
	for _, x := range red.list {
		if x.Find != nil && x.Name == r.Name && x.Gen.Path == r.Gen.Path {
			return x
		}
	}
	return nil
}

// decodeFound reads what a redactor's function returned.
func decodeFound(v any) ([]string, error) {
	const want = "want nil, a string, or a list of the strings to mask"
	switch v := v.(type) {
	case nil:
		return nil, nil
	case bool:
		if !v {
			return nil, nil
		}
	case string:
		if v == "" {
			return nil, nil
		}
		return []string{v}, nil
	case map[string]any:
		if len(v) == 0 {
			return nil, nil
		}
	case []any:
		if len(v) > findMost {
			return nil, fmt.Errorf("find returned %d strings, want at most %d for one text", len(v),
				findMost)
		}
		words := make([]string, 0, len(v))
		for i, x := range v {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("find returned [%d]: got %s, want string", i+1,
					value.TypeName(x))
			}
			if s != "" {
				words = append(words, s)
			}
		}
		return words, nil
	}
	return nil, fmt.Errorf("find returned a %s, %s", value.TypeName(v), want)
}

// redactorFailed tells of a failure, but not each time. What the script itself said of it is only
// told if it repeats nothing of the text.
func (e *Engine) redactorFailed(r *Redactor, text string, err error) {
	if errors.Is(err, ErrClosed) {
		return
	}
	n := r.state.failures.Add(1)
	now := e.now()
	told := r.state.told.Load()
	if now.UnixNano()-told > int64(redactorQuiet) &&
		r.state.told.CompareAndSwap(told, now.UnixNano()) {
		se := *asScriptError(err)
		if se.Line == 0 {
			se.Line = r.Line
		}
		if repeats(se.Message, text) {
			se.Message = "its error repeats what it looked at, and is withheld"
		}
		se.Hint = "texts are withheld until find works; it returns nil, a string, or a list of " +
			"strings"
		ev := e.errorEvent(&se, nil, false)
		ev.bare = true
		e.Emit(ev)
	}
	if n >= BrokenAfter && !r.state.broken.Swap(true) {
		e.notifyBare(Notice{fmt.Sprintf(
			"%s:%d: redactor %s is BROKEN: it failed %d times in a row; what it should look "+
				"through is withheld", r.Gen.Name, r.Line, r.Name, n), "error"})
	}
}

func (e *Engine) redactorWorked(r *Redactor) {
	if r.state.failures.Load() == 0 {
		return
	}
	r.state.failures.Store(0)
	r.state.told.Store(0)
	if r.state.broken.Swap(false) {
		e.notifyBare(Notice{fmt.Sprintf("%s:%d: redactor %s works again", r.Gen.Name, r.Line,
			r.Name), "success"})
	}
}

// Broken reports whether the redactor's function has failed BrokenAfter times in a row.
func (r *Redactor) Broken() bool { return r.state.broken.Load() }

// repeated is how many bytes of a text its error may repeat: less than any secret worth the name.
const repeated = 6

func repeats(message, text string) bool {
	for i := 0; i+repeated <= len(message); i++ {
		if strings.Contains(text, message[i:i+repeated]) {
			return true
		}
	}
	return false
}
