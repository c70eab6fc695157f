// This file defines the Mask: the redactors that are in force, which change while the program runs.

package redact

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/value"
)

// Mask is the redactors in force: those of scripts, and one of the program's own secrets. What it
// masks may be seen by anybody. Its methods are safe for concurrent use, but functions of scripts
// are called by Text, Value and Message: do not call those on a goroutine that holds the turn of a
// VM. A nil Mask masks nothing.
type Mask struct {
	set atomic.Pointer[Set] // nil: nothing is masked

	mu      sync.Mutex // guards what follows, and changes of set
	texts   []string   // the secrets
	secrets *Redactor  // of texts, nil: there are none
	list    []*Redactor
}

// NewMask makes a mask of secrets. One of less than 8 bytes is not masked: it would be found in the
// middle of words.
func NewMask(secrets []string) *Mask {
	k := &Mask{texts: slices.Clone(secrets), secrets: Secrets(secrets)}
	k.update()
	return k
}

// Replace puts the redactors of scripts into force, in order, instead of those that were.
func (k *Mask) Replace(list []*Redactor) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = list
	k.update()
}

// NewSecret makes a secret of a value: in form, which has one %s ("Bearer %s"), the value stands
// for that. From now on the value is masked, as the secrets of NewMask are.
func (k *Mask) NewSecret(name, val, form string) *value.Secret {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.texts, val) {
		k.texts = append(k.texts, val)
		k.secrets = Secrets(k.texts)
		k.update()
	}
	return value.HideText(name, strings.Replace(form, "%s", val, 1))
}

// update makes the set anew. Under mu. The secrets come first: their mask also says what it was.
func (k *Mask) update() {
	list := k.list
	if k.secrets != nil {
		list = append([]*Redactor{k.secrets}, list...)
	}
	k.set.Store(NewSet(list, k.set.Load()))
}

// Set returns the redactors of this moment; nil: nothing is masked.
func (k *Mask) Set() *Set {
	if k == nil {
		return nil
	}
	return k.set.Load()
}

// Look returns a look through something with all redactors; nil: nothing is masked.
func (k *Mask) Look() *Look { return k.Set().Look(true) }

// On reports whether anything is masked.
func (k *Mask) On() bool { return k.Set() != nil }

// Text returns text as it may be seen: what redactors match is replaced by [redacted:NAME]. If a
// redactor's function fails, the whole text is: better nothing is seen than what must not be.
func (k *Mask) Text(text string) string {
	if red := k.Set(); red != nil {
		return red.Look(true).Text(text)
	}
	return text
}

// Patterns is Text without the functions of scripts, for where those cannot be called.
func (k *Mask) Patterns(text string) string {
	if red := k.Set(); red != nil {
		return red.Look(false).Text(text)
	}
	return text
}

// Value returns v with every string in it masked. What does not change is not copied; lazy data is
// masked when it is read.
func (k *Mask) Value(v any) any {
	if red := k.Set(); red != nil {
		return red.Look(true).Value(v)
	}
	return v
}

// Masker masks a text that comes in pieces, with the redactors that are in force as each piece
// comes. What may be the beginning of something that is masked is held back until that is decided.
// A nil Masker masks nothing. One goroutine at a time may use it, and none that holds the turn of a
// VM.
type Masker struct {
	mask   *Mask
	pieces Pieces
}

// NewMasker returns a Masker for one text.
func (k *Mask) NewMasker() *Masker { return &Masker{mask: k} }

// Add returns what may be seen now that piece has come.
func (m *Masker) Add(piece string) string {
	if m == nil {
		return piece
	}
	red := m.mask.Set()
	if red == nil && !m.pieces.Holds() {
		m.pieces.Forget()
		return piece
	}
	return m.pieces.Add(red.Look(true), piece)
}

// End returns what was held back: nothing more comes.
func (m *Masker) End() string {
	if m == nil {
		return ""
	}
	return m.pieces.End(m.mask.Look())
}
