// This file is a session as a tree: branches, forks, and what holds along them.

package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// note puts e into the tree.
func (s *Session) note(e *Entry) {
	s.entries = append(s.entries, e)
	s.byID[e.ID] = e
	s.leaf = e.ID
	switch {
	case e.Name != nil:
		s.name = e.Name.Name
	case e.Label != nil && e.Label.Text == "":
		delete(s.labels, e.Label.Target)
	case e.Label != nil:
		s.labels[e.Label.Target] = e.Label.Text
	case e.Usage != nil:
		s.spent.add(e.Usage)
	}
}

// add puts e into the tree, at the end of the branch or as the beginning of another one.
func (s *Session) add(e *Entry) {
	behind := e.Parent == s.leaf
	s.note(e)
	if !behind {
		s.follow()
		return
	}
	s.branch = append(s.branch, e)
	s.extend(e)
}

// follow works out anew what depends on the branch.
func (s *Session) follow() {
	s.branch = nil
	for e := s.byID[s.leaf]; e != nil; e = s.byID[e.Parent] {
		s.branch = append(s.branch, e)
	}
	slices.Reverse(s.branch)
	s.talk, s.state = conversation{}, map[stateKey]any{}
	for _, e := range s.branch {
		s.extend(e)
	}
}

// extend lets e, the next one of the branch, take effect.
func (s *Session) extend(e *Entry) {
	switch {
	case e.Message != nil || e.Context != nil:
		s.talk.add(e)
	case e.Compaction != nil:
		s.talk = compacted(s.branch, e)
	case e.State != nil:
		if s.state == nil {
			s.state = map[stateKey]any{}
		}
		s.state[stateKey{e.State.Script, e.State.Key}] = e.State.Value
	}
}

// Entries returns the entries of the branch: from the first one to that which the next one will
// follow. What a fork left behind is not among them.
func (s *Session) Entries() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.branch)
}

// All returns the entries of all branches, in the order in which they were written.
func (s *Session) All() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// Entry returns the entry with the id; nil if there is none.
func (s *Session) Entry(id string) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// Leaf is the id of the entry that the next one follows; "" = there is none yet.
func (s *Session) Leaf() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaf
}

// Compaction is the last one on the branch; nil = there is none.
func (s *Session) Compaction() *Compaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.branch) - 1; i >= 0; i-- {
		if c := s.branch[i].Compaction; c != nil {
			return c
		}
	}
	return nil
}

// Fork lets the conversation go on behind the entry, or before it. What came after it stays in the
// file, on a branch of its own.
func (s *Session) Fork(id string, before bool) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil {
		return nil, s.noEntry(id)
	}
	parent := e.ID
	if before {
		parent = e.Parent
	}
	return s.append(Entry{Fork: &Fork{Target: id, Before: before}}, parent)
}

// NoEntryError is the error for the id of an entry that the session does not have.
type NoEntryError struct{ ID, Session string }

func (e *NoEntryError) Error() string {
	return fmt.Sprintf("no entry %q in session %s", e.ID, e.Session)
}

func (s *Session) noEntry(id string) error { return &NoEntryError{id, s.id} }

// Name is the name of the session; "" = it has none.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// SetName names the session.
func (s *Session) SetName(name string) error {
	_, err := s.Append(Entry{Name: &Name{name}})
	return err
}

// Label is the label of an entry; "" = it has none.
func (s *Session) Label(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.labels[id]
}

// SetLabel labels an entry; "" takes the label away.
func (s *Session) SetLabel(id, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[id] == nil {
		return s.noEntry(id)
	}
	_, err := s.append(Entry{Label: &Label{Target: id, Text: text}}, s.leaf)
	return err
}

// MaxState bounds a value of a script's state, in bytes of JSON: state is what a script keeps in
// mind, and all of it is read whenever the session is opened.
const MaxState = 1 << 20

// SetState sets a value of a script's state from here on; nil deletes it. The value is plain data.
func (s *Session) SetState(script, key string, value any) error {
	if key == "" {
		return errors.New("state: got no key")
	}
	b, err := json.Marshal(value)
	switch {
	case err != nil:
		return fmt.Errorf("state %q: not plain data: %w", key, err)
	case len(b) > MaxState:
		return fmt.Errorf(
			"state %q: got %d bytes of JSON, want at most %d: keep large things in a file", key,
			len(b), MaxState)
	}
	var v any // as it will be read back, and nobody else's
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("state %q: %w", key, err)
	}
	_, err = s.Append(Entry{State: &State{script, key, v}})
	return err
}

type stateKey struct{ script, key string }

// State returns a value of a script's state, as it is on the branch. Nobody may change what is
// below it.
func (s *Session) State(script, key string) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.state[stateKey{script, key}]
	return v, v != nil
}

// StateKeys lists the keys of a script's state, in order.
func (s *Session) StateKeys(script string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for k, v := range s.state {
		if k.script == script && v != nil {
			keys = append(keys, k.key)
		}
	}
	sort.Strings(keys)
	return keys
}
