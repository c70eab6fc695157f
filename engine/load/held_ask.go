// This file asks the user about versions that wait.

package load

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// maxShown is the number of bytes of differences that a question shows: more than users read in a
// dialog. agent ext accept shows all of them.
const maxShown = 64 << 10

// heldVersion is a version that the user is asked about.
type heldVersion struct {
	entry *entry
	found
	content content
	why     string
}

// ask asks the user about the waiting versions of one scan, in one question. Under l.mu.
func (r *review) ask(l *Loader, held []heldVersion) {
	if len(held) == 0 || l.o.Confirm == nil || l.closed {
		return // the error of each version says how to accept it
	}
	q := r.dialog(held)
	if q == nil {
		l.teller.notify(heldNames(held) +
			": the differences are too long to show here; agent ext accept shows them")
		return
	}
	ctx, cancel := context.WithCancel(l.life)
	open := &question{cancel: cancel}
	for _, v := range held {
		r.settled(v.path) // the question is asked again
		r.asked[v.path] = open
		open.open++
	}
	l.busy.Add(1)
	go func() {
		defer l.busy.Done()
		defer cancel()
		yes, err := l.o.Confirm(ctx, q)
		if err != nil || ctx.Err() != nil {
			return
		}
		b := &batch{}
		l.mu.Lock()
		r.decide(b, held, yes)
		for _, text := range b.notices {
			l.teller.notify(text)
		}
		l.mu.Unlock()
		l.settle(l.life, batch{cause: "save"})
	}()
}

func heldNames(held []heldVersion) string {
	names := make([]string, len(held))
	for i, v := range held {
		names[i] = plain.RevealName(v.name)
	}
	return strings.Join(names, ", ")
}

// dialog returns the question about versions that wait; nil if the differences are too long.
func (r *review) dialog(held []heldVersion) *ui.Dialog {
	texts := make([]string, len(held))
	for i, v := range held {
		texts[i] = plain.RevealName(v.name) + " " + v.why + "\n" + r.moreGrants(v) +
			r.differences(v)
	}
	detail := strings.Join(texts, "\n")
	if len(detail) > maxShown || strings.Contains(detail, diff.TooLarge) {
		return nil
	}
	what, it := "a new version waits", "it"
	if len(held) > 1 {
		what, it = "new versions wait", "them"
	}
	lang := strings.TrimPrefix(filepath.Ext(held[0].name), ".")
	return &ui.Dialog{Kind: "confirm", Lasting: true, Detail: detail, Lang: lang,
		Yes: "Load " + it, No: "Keep what is in force",
		Title: fmt.Sprintf("%s: %s for you. Load %s?", heldNames(held), what, it)}
}

// moreGrants says what a version may do that the one in force may not, unless that is the reason
// why it waits.
func (r *review) moreGrants(v heldVersion) (text string) {
	if strings.HasPrefix(v.why, widens) {
		return ""
	}
	return WantsText(r.moreWants(v.entry, v.name, &v.content), v.entry.gen != nil)
}

// decide stores whether the user accepted versions, unless newer ones wait by now.
func (r *review) decide(b *batch, held []heldVersion, yes bool) {
	for _, v := range held {
		h := r.now[v.path]
		switch {
		case h.SHA256 != v.content.hash:
		case yes:
			h.Accepted = true
			b.holding(r.putHeld(h))
			r.told(h, "accept")
		default:
			h.Declined = true
			b.holding(r.putHeld(h))
			r.told(h, "keep the old version")
		}
	}
}

// differences returns the changes of a version from the version in force, or else from the last
// good one.
func (r *review) differences(v heldVersion) string {
	return r.previousVersion(v.entry, v.path).differences(&v.content)
}

// previousVersion returns the version in force, or else the last good one, or else an empty record.
func (r *review) previousVersion(e *entry, path string) *record {
	if g := e.gen; g != nil {
		return &record{bytes: g.Bytes, Modules: modulesOf(g.Library)}
	}
	if last := r.good.getRecord(path); last != nil {
		return last
	}
	return &record{}
}

// differences compares a version with new content.
func (r *record) differences(c *content) string {
	text := diff.Whole(string(r.bytes), string(c.bytes))
	before := map[string][]byte{}
	for _, m := range r.Modules {
		before[m.File] = m.bytes
	}
	for _, m := range modulesOf(c.library) {
		if one := diff.Whole(string(before[m.File]), string(m.bytes)); one != "" {
			text += "\n" + m.File + "\n" + one
		}
		delete(before, m.File)
	}
	return text
}
