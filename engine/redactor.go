// This file defines the redactors of scripts: what they mask, and how they fail.

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// findMost is how many strings a function may return for one piece: the text is searched for
	// each.
	findMost = 1000
	// redactorQuiet is how long further failures of a redactor are not reported: it is called for
	// each text.
	redactorQuiet = time.Minute
)

// Redactor is registered by ext.redact. The texts that it finds are masked for users, models, logs
// and files. Guards get the unmasked arguments.
type Redactor struct {
	Gen      *Generation
	Name     string // used in the mask: [redacted:NAME]
	Patterns []*regexp.Regexp
	// Find, if not nil, is called with a text, or a piece of a long one, and returns the strings to
	// mask in it: nil, a string, or a list of strings, each of which is masked everywhere in that
	// text.
	Find Func
	Line int // of the registering call

	own   *redact.Redactor
	state redactorState
}

// redactorState is the history of a redactor.
type redactorState struct {
	failures atomic.Int32 // in a row
	broken   atomic.Bool
	told     atomic.Int64 // when its failure was last reported, UnixNano
}

// setRedactors collects the redactors of generations.
func (s *Snapshot) setRedactors() {
	for _, g := range s.Generations {
		s.redactors = append(s.redactors, g.Registry.Redactors...)
	}
	slices.SortStableFunc(s.redactors,
		func(a, b *Redactor) int { return cmp.Compare(a.priority(), b.priority()) })
}

// redaction converts the redactors of s for package redact.
func (s *Snapshot) redaction() []*redact.Redactor {
	list := make([]*redact.Redactor, len(s.redactors))
	for i, r := range s.redactors {
		list[i] = r.own
	}
	return list
}

func (r *Redactor) priority() float64 {
	if p := r.Gen.Header.Priority; p != nil {
		return *p
	}
	return DefaultPriority
}

// callFunction calls r's function once. If r's script was reloaded meanwhile, the new version is
// called; if it was removed the call fails, so that text from the time when it was in force stays
// hidden.
func (r *Redactor) callFunction(e *Engine, text string) ([]string, error) {
	for range maxRounds {
		v, err := r.Gen.Run(NewRun(context.Background(), r.Gen, vm.KindRedact, r.label(),
			e.Events.Envelope(),
			nil), r.Find, text)
		if err == nil {
			words, err := decodeFound(v)
			if err != nil {
				err = r.Gen.wrong(err, r.label(), r.Line)
			}
			return words, err
		}
		if !errors.Is(err, vm.ErrClosed) {
			return nil, err
		}
		next := r.successor(e)
		if next == nil || next == r {
			return nil, err
		}
		r = next
	}
	return nil, vm.ErrClosed
}

func (r *Redactor) label() string { return "redact " + r.Name }

// successor returns the current redactor of the same name of the same script.
func (r *Redactor) successor(e *Engine) *Redactor {
	for _, x := range e.Scripts.current.Load().redactors {
		if x.Find != nil && x.Name == r.Name && x.Gen.Path == r.Gen.Path {
			return x
		}
	}
	return nil
}

// decodeFound parses the result of a redactor's function.
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

// redactorFailed reports a failure, but not each time. The script's own message is included only if
// it repeats nothing of the text.
func (e *Engine) redactorFailed(r *Redactor, text string, err error) {
	if errors.Is(err, vm.ErrClosed) {
		return
	}
	n := r.state.failures.Add(1)
	now := e.now()
	told := r.state.told.Load()
	if now.UnixNano()-told > int64(redactorQuiet) &&
		r.state.told.CompareAndSwap(told, now.UnixNano()) {
		se := *fault.Of(err)
		if se.Line == 0 {
			se.Line = r.Line
		}
		if repeats(se.Message, text) {
			se.Message = "its error repeats a part of the text, and is withheld"
		}
		se.Hint = "texts are withheld until find works; it returns nil, a string, or a list of " +
			"strings"
		e.Emitter.Emit(e.Notices.errorEvent(&se, nil, false).Bare())
	}
	if n >= BrokenAfter && !r.state.broken.Swap(true) {
		e.Notices.notifyBare(ui.Notice{Text: fmt.Sprintf(
			"%s:%d: redactor %s is BROKEN: it failed %d times in a row; texts that it should "+
				"check are withheld", r.Gen.Name, r.Line, r.Name, n), Level: "error"})
	}
}

func (e *Engine) redactorWorked(r *Redactor) {
	if r.state.failures.Load() == 0 {
		return
	}
	r.state.failures.Store(0)
	r.state.told.Store(0)
	if r.state.broken.Swap(false) {
		e.Notices.notifyBare(ui.Notice{Level: "success",
			Text: fmt.Sprintf("%s:%d: redactor %s works again", r.Gen.Name, r.Line, r.Name)})
	}
}

// Broken reports whether the redactor's function has failed BrokenAfter times in a row.
func (r *Redactor) Broken() bool { return r.state.broken.Load() }

// repeated is how many bytes of a text its error may repeat: less than any real secret.
const repeated = 6

func repeats(message, text string) bool {
	for i := 0; i+repeated <= len(message); i++ {
		if strings.Contains(text, message[i:i+repeated]) {
			return true
		}
	}
	return false
}
