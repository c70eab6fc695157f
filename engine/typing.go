// This file defines what scripts do while the user types: they complete words, and take keys.

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// WordCompleter completes the words that begin with its prefix.
type WordCompleter struct {
	Prefix string
	Gen    *Generation
	Line   int // of the registering call
	// Complete is called with the word, and returns what can replace it.
	Complete Func
}

// KeyTaker gets the keys that are for the editor before it does.
type KeyTaker struct {
	Gen  *Generation
	Line int // of the registering call
	// Take is called with the name of the key and its text. It returns true if the editor must not
	// get the key.
	Take Func
	// After waits until what Take has put into the editor is on its way there: the next key comes
	// after it. nil = nothing to wait for.
	After func(ctx context.Context)

	failures atomic.Int32 // in a row
}

const (
	// mostKeyFailures is the number of failures in a row after which a KeyTaker gets no more keys:
	// each of them delays the user's typing.
	mostKeyFailures = 3
	// keyPatience is how long a KeyTaker may take for one key. More would be felt.
	keyPatience = 100 * time.Millisecond
)

// AddWordCompleter registers c with the generation. Only while it loads.
func (reg *Registry) AddWordCompleter(c *WordCompleter) error {
	return reg.register("ext.completion", func() {
		c.Gen = reg.gen
		reg.WordCompleters = append(reg.WordCompleters, c)
	})
}

// AddKeyTaker registers k with the generation. Only while it loads.
func (reg *Registry) AddKeyTaker(k *KeyTaker) error {
	return reg.register("ext.keys", func() {
		k.Gen = reg.gen
		reg.KeyTakers = append(reg.KeyTakers, k)
	})
}

func (s *Snapshot) addWordCompleter(c *WordCompleter) {
	if first := s.completers[c.Prefix]; first != nil {
		s.clash("completion of "+c.Prefix, owner(first.Gen, first.Line, ""),
			owner(c.Gen, c.Line, ""))
		return
	}
	s.completers[c.Prefix] = c
}

// WordCompleter returns the completer with the longest prefix that a word begins with, nil if there
// is none.
func (s *Snapshot) WordCompleter(word string) (longest *WordCompleter) {
	for prefix, c := range s.completers {
		if strings.HasPrefix(word, prefix) &&
			(longest == nil || len(prefix) > len(longest.Prefix)) {
			longest = c
		}
	}
	return longest
}

// TakesKeys reports whether a script wants the keys that are for the editor.
func (s *Snapshot) TakesKeys() bool { return slices.ContainsFunc(s.keyTakers, (*KeyTaker).Works) }

// KeyTakers returns the names of the scripts that want these keys, in the order in which they are
// asked.
func (s *Snapshot) KeyTakers() (names []string) {
	for _, k := range s.keyTakers {
		if k.Works() && !slices.Contains(names, k.Gen.Name) {
			names = append(names, k.Gen.Name)
		}
	}
	return names
}

// Works reports whether k gets keys: it has not failed too often.
func (k *KeyTaker) Works() bool { return k.failures.Load() < mostKeyFailures }

// CompleteWord asks the script of a word's prefix for what can replace the word. A failure has been
// reported (script_error).
func (cs *Commands) CompleteWord(ctx context.Context, env *event.Envelope,
	word string) []slash.Completion {
	snap := cs.scripts.acquire()
	c := snap.WordCompleter(word)
	if c == nil || !c.Gen.pin() {
		snap.release()
		return nil
	}
	snap.release()
	defer c.Gen.unpin()
	out, _ := cs.callComplete(ctx, env, c.Gen, c.Line, "completion of "+c.Prefix, c.Complete, word)
	return out
}

// TakeKey offers a key that is for the editor to the scripts that want keys, in the order of
// handlers. It reports whether one of them has taken it.
func (cs *Commands) TakeKey(ctx context.Context, env *event.Envelope, name, text string) bool {
	snap := cs.scripts.acquire()
	defer snap.release()
	for _, k := range snap.keyTakers {
		if !k.Works() {
			continue
		}
		patience := k.Gen.patient(vm.Limits{Wall: keyPatience}).Wall
		r := NewRun(ctx, k.Gen, vm.KindCommand, "keys", env, &patience)
		v, err := k.Gen.Run(r, k.Take, name, text)
		if err == nil && v != nil && v != true && v != false {
			err = k.Gen.wrong(fmt.Errorf("got %s, want true or false: whether the key is used",
				value.TypeName(v)), r.Label, k.Line)
		}
		if err != nil {
			if k.failures.Add(1) == mostKeyFailures {
				cs.notices.Notify(env, k.Gen.Name, ui.Notice{Level: "warn",
					Text: "ext.keys has failed three times in a row: it gets no more keys until " +
						"the script is reloaded"})
			}
			cs.notices.reportError(fault.Of(err), env)
			continue
		}
		k.failures.Store(0)
		if k.After != nil {
			k.After(ctx)
		}
		if v == true {
			return true
		}
	}
	return false
}
