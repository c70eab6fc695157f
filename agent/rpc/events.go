// This file tells the client of events, of those that it wants.

package rpc

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
)

// emitEvent tells an event, as a user may see it.
func (s *server) emitEvent(ev *event.Event) {
	if s.filter.wants(ev.Name()) {
		s.conn.Notify("event", ev)
	}
}

// filter says which events a client wants. It never changes.
type filter struct{ only, not []string }

// newFilter reads the list of names and globs that initialize was given; nil is all.
func newFilter(v any, names []string) (*filter, error) {
	list, _ := v.([]any)
	out := &filter{}
	for i, x := range list {
		text, _ := x.(string)
		glob, not := strings.CutPrefix(text, "!")
		if err := checkGlob(glob, names); err != "" {
			return nil, wrong("initialize",
				"events[%d]: got %.80v, want the name of an event or a glob%s", i, quoted(x), err)
		}
		if not {
			out.not = append(out.not, glob)
		} else {
			out.only = append(out.only, glob)
		}
	}
	return out, nil
}

// checkGlob says what is wrong with a glob that fits no event; "" = nothing.
func checkGlob(glob string, names []string) string {
	if strings.HasPrefix(glob, "custom:") || slices.ContainsFunc(names,
		func(name string) bool { return fits(glob, name) }) {
		return ""
	}
	if s := suggest.DidYouMean(glob, names); s != "" {
		return s
	}
	return ": no event has such a name"
}

func fits(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

func (f *filter) wants(name string) bool {
	wanted := len(f.only) == 0
	for _, g := range f.only {
		wanted = wanted || fits(g, name)
	}
	for _, g := range f.not {
		wanted = wanted && !fits(g, name)
	}
	return wanted
}
