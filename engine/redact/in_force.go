// This file defines the Mask: the redactors in force, which change while the program runs.

package redact

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/value"
)

// Mask holds the redactors in force: those of scripts, and one for the program's own secrets.
// Anyone may see what it has masked. Its methods are safe for concurrent use. Text, Value and
// Message call functions of scripts: do not call them on a goroutine that holds the turn of a VM. A
// nil Mask masks nothing.
type Mask struct {
	set atomic.Pointer[Set] // nil: nothing is masked

	mu      sync.Mutex // guards the following fields, and changes of set
	texts   []string   // the secrets
	secrets *Redactor  // for texts, nil: there are none
	list    []*Redactor
}

// NewMask makes a mask of secrets. Secrets of less than 8 bytes are not masked, because they would
// match in the middle of words.
func NewMask(secrets []string) *Mask {
	k := &Mask{texts: slices.Clone(secrets), secrets: Secrets(secrets)}
	k.update()
	return k
}

// Replace sets the redactors of scripts, in order.
func (k *Mask) Replace(list []*Redactor) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = list
	k.update()
}

// NewSecret makes a secret: form, which contains one %s ("Bearer %s"), with the value inserted.
// From now on the value is masked, like the secrets of NewMask.
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

// update computes the set. Under mu. The secrets come first, so their mask is applied before
// others.
func (k *Mask) update() {
	list := k.list
	if k.secrets != nil {
		list = append([]*Redactor{k.secrets}, list...)
	}
	k.set.Store(NewSet(list, k.set.Load()))
}

// Set returns the current redactors; nil: nothing is masked.
func (k *Mask) Set() *Set {
	if k == nil {
		return nil
	}
	return k.set.Load()
}

// Look returns a Look with all redactors; nil: nothing is masked.
func (k *Mask) Look() *Look { return k.Set().Look(true) }

// On reports whether anything is masked.
func (k *Mask) On() bool { return k.Set() != nil }

// Text returns text with the matches of redactors replaced by [redacted:NAME]. If a redactor's
// function fails, the whole text is withheld.
func (k *Mask) Text(text string) string {
	if red := k.Set(); red != nil {
		return red.Look(true).Text(text)
	}
	return text
}

// Patterns is like Text without the functions of scripts, for code that cannot call them.
func (k *Mask) Patterns(text string) string {
	if red := k.Set(); red != nil {
		return red.Look(false).Text(text)
	}
	return text
}

// Value returns v with every string in it masked. Unchanged values are not copied; lazy data is
// masked when it is read.
func (k *Mask) Value(v any) any {
	if red := k.Set(); red != nil {
		return red.Look(true).Value(v)
	}
	return v
}

// Masker masks a text that arrives in pieces, with the redactors in force as each piece arrives.
// Text that may begin a match is held back until more text arrives. A nil Masker masks nothing.
// Only one goroutine at a time may use it, and none that holds the turn of a VM.
type Masker struct {
	mask   *Mask
	pieces Pieces
}

// NewMasker returns a Masker for one text.
func (k *Mask) NewMasker() *Masker { return &Masker{mask: k} }

// Add adds a piece and returns the masked text that may now be shown.
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

// End returns the text that was held back: no more text comes.
func (m *Masker) End() string {
	if m == nil {
		return ""
	}
	return m.pieces.End(m.mask.Look())
}
