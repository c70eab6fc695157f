// This file sends the client the events that it has selected.

package rpc

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
)

// emitEvent sends an event, which is masked for the user. The filter has selected it.
func (s *server) emitEvent(ev *event.Event) { s.conn.Notify("event", ev) }

// filter selects events. It is immutable.
type filter struct{ only, not []string }

// newFilter parses the list of names and globs of initialize; nil means all.
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

// checkGlob says what is wrong with a glob that matches no event; "" = nothing.
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

// interest returns the filter as a set of the events with these names, which is made once; the
// names of other events, custom:NAME, are matched each time.
func (f *filter) interest(names []string) event.Interest {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = f.wants(name)
	}
	return func(name string) bool {
		if wanted, known := set[name]; known {
			return wanted
		}
		return f.wants(name)
	}
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
