// This file holds a session as a tree: branches, forks, and the state along them.

package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// tree holds the entries of a session, and data derived from them. It is not safe for concurrent
// use.
type tree struct {
	entries []*Entry // in the order of the file
	byID    map[string]*Entry
	leaf    string            // the predecessor of the next entry
	name    string            // of the session
	labels  map[string]string // by entry id
	spent   Total             // of the whole session

	branch []*Entry         // from the first entry to leaf
	talk   conversation     // of the branch
	state  map[stateKey]any // of the branch
}

func newTree() tree { return tree{byID: map[string]*Entry{}, labels: map[string]string{}} }

// noteEntry adds e to the tree.
func (t *tree) noteEntry(e *Entry) {
	t.entries = append(t.entries, e)
	t.byID[e.ID] = e
	t.leaf = e.ID
	switch {
	case e.Name != nil:
		t.name = e.Name.Name
	case e.Label != nil && e.Label.Text == "":
		delete(t.labels, e.Label.Target)
	case e.Label != nil:
		t.labels[e.Label.Target] = e.Label.Text
	case e.Usage != nil:
		t.spent.addUsage(e.Usage)
	}
}

// addEntry adds e to the tree, at the end of the branch or as the beginning of another one.
func (t *tree) addEntry(e *Entry) {
	behind := e.Parent == t.leaf
	t.noteEntry(e)
	if !behind {
		t.follow()
		return
	}
	t.branch = append(t.branch, e)
	t.extend(e)
}

// follow recomputes the data that depends on the branch.
func (t *tree) follow() {
	t.branch = nil
	for e := t.byID[t.leaf]; e != nil; e = t.byID[e.Parent] {
		t.branch = append(t.branch, e)
	}
	slices.Reverse(t.branch)
	t.talk, t.state = conversation{}, map[stateKey]any{}
	for _, e := range t.branch {
		t.extend(e)
	}
}

// extend updates the data for e, the next entry of the branch.
func (t *tree) extend(e *Entry) {
	switch {
	case e.Message != nil || e.Context != nil:
		t.talk.addMessage(e)
	case e.Compaction != nil:
		t.talk = compacted(t.branch, e)
	case e.State != nil:
		if t.state == nil {
			t.state = map[stateKey]any{}
		}
		t.state[stateKey{e.State.Script, e.State.Key}] = e.State.Value
	}
}

// Entries returns the entries of the branch, from the first one to the predecessor of the next one.
// It does not include entries that a fork has left behind.
func (s *Session) Entries() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tree.branch)
}

// All returns the entries of all branches, in the order in which they were written.
func (s *Session) All() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tree.entries)
}

// Branch is a branch that a fork has left behind.
type Branch struct {
	// Own are its entries that are not on the current branch, the first one first.
	Own []*Entry
}

// Last returns the branch's last entry. The conversation continues there after a Fork.
func (b *Branch) Last() *Entry { return b.Own[len(b.Own)-1] }

// Prompts returns the user's messages among the branch's own entries.
func (b *Branch) Prompts() []*Entry {
	return slices.DeleteFunc(slices.Clone(b.Own), func(e *Entry) bool {
		return e.Message == nil || e.Message.Role != "user"
	})
}

// Branches returns the branches with messages that forks have left behind, the one written last
// first.
func (s *Session) Branches() (list []Branch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tree
	current, inner := map[string]bool{}, map[string]bool{}
	for _, e := range t.branch {
		current[e.ID] = true
	}
	for _, e := range t.entries {
		inner[e.Parent] = true
	}
	for _, leaf := range slices.Backward(t.entries) {
		if inner[leaf.ID] || current[leaf.ID] {
			continue
		}
		var b Branch
		talks := false
		for e := leaf; e != nil && !current[e.ID]; e = t.byID[e.Parent] {
			b.Own = append(b.Own, e)
			talks = talks || e.Message != nil
		}
		if slices.Reverse(b.Own); talks {
			list = append(list, b)
		}
	}
	return list
}

// Entry returns the entry with the id; nil if there is none.
func (s *Session) Entry(id string) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.byID[id]
}

// Leaf returns the id of the predecessor of the next entry; "" = there is none yet.
func (s *Session) Leaf() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.leaf
}

// Compaction returns the last one on the branch; nil = there is none.
func (s *Session) Compaction() *Compaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.tree.branch) - 1; i >= 0; i-- {
		if c := s.tree.branch[i].Compaction; c != nil {
			return c
		}
	}
	return nil
}

// Fork continues the conversation after the entry, or before it. Later entries are kept in the
// file, on a branch of their own.
func (s *Session) Fork(id string, before bool) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.tree.byID[id]
	if e == nil {
		return nil, &NoEntryError{id, s.ID()}
	}
	parent := e.ID
	if before {
		parent = e.Parent
	}
	return s.append(Entry{Fork: &Fork{Target: id, Before: before}}, parent)
}

// NoEntryError is the error for an id that no entry of the session has.
type NoEntryError struct{ ID, Session string }

func (e *NoEntryError) Error() string {
	return fmt.Sprintf("no entry %q in session %s", e.ID, e.Session)
}

// Name returns the name of the session; "" = none.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.name
}

// SetName names the session.
func (s *Session) SetName(name string) error {
	_, err := s.Append(Entry{Name: &Name{name}})
	return err
}

// Label returns the label of an entry; "" = none.
func (s *Session) Label(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.labels[id]
}

// SetLabel labels an entry; "" removes the label.
func (s *Session) SetLabel(id, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.byID[id] == nil {
		return &NoEntryError{id, s.ID()}
	}
	_, err := s.append(Entry{Label: &Label{Target: id, Text: text}}, s.tree.leaf)
	return err
}

// MaxState limits a value of a script's state, in bytes of JSON: all of the state is read whenever
// the session is opened.
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
	var v any // a copy, as it will be read back
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("state %q: %w", key, err)
	}
	_, err = s.Append(Entry{State: &State{script, key, v}})
	return err
}

type stateKey struct{ script, key string }

// State returns a value of a script's state on the branch. The caller must not modify it.
func (s *Session) State(script, key string) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.tree.state[stateKey{script, key}]
	return v, v != nil
}

// StateKeys lists the keys of a script's state, sorted.
func (s *Session) StateKeys(script string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for k, v := range s.tree.state {
		if k.script == script && v != nil {
			keys = append(keys, k.key)
		}
	}
	sort.Strings(keys)
	return keys
}
