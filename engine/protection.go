// This file asks about calls that would change what decides what runs.

package engine

import "fmt"

// Protection says what a call would change that is protected.
type Protection struct {
	Asks string // why the call is asked about in every mode; "" = it is not
	// why the mode accept-edits does not cover the call, if it is an edit; "" = it does
	Edits string
}

// protection is what the call would change that is protected. What the user asks for himself is
// not.
func (d *dispatch) protection() Protection {
	if d.e.opts.Protect == nil || d.call.Origin == "user" || d.found != nil && d.found.ReadOnly {
		return Protection{}
	}
	t := d.touches()
	t.guard.Do(func() { t.protection = d.protect(t) })
	return t.protection
}

// protect asks who knows. If that fails, nothing is known.
func (d *dispatch) protect(t *touches) (out Protection) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprintf("it cannot be known whether this changes what is protected: %v", p)
			out = Protection{text, text}
		}
	}()
	whole, files := t.whole(), d.snap.files()
	out, ok := waitFor(d.ctx,
		func() Protection { return d.e.opts.Protect(d.final(), whole, files) })
	if !ok {
		out.Edits = "it was not looked at to the end"
	}
	return out
}

// files are those of the scripts that are loaded, and of their modules.
func (s *Snapshot) files() (out []string) {
	for _, g := range s.Generations {
		if g.Script == nil || g.Source == SourceBuiltin { // that is part of the program
			continue
		}
		if g.Path != "" {
			out = append(out, g.Path)
		}
		if g.Library == nil {
			continue
		}
		for _, m := range g.Library.Modules {
			if m.Path != "" {
				out = append(out, m.Path)
			}
		}
	}
	return out
}

// protected is the question about a call that would change what is protected; nil if it would not.
func (d *dispatch) protected() *Ask {
	if why := d.protection().Asks; why != "" {
		return &Ask{Rule: "protected", Text: why}
	}
	return nil
}
