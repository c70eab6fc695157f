// This file determines which files those commands touch that a program may run from its words.

package shell

import (
	"slices"
	"strings"
)

// carried adds the paths of the commands that c may run.
func (f *finder) carried(c *Command) {
	if f.wrote == nil || texts()[c.Name] && !c.carries() || places()[c.Name] ||
		!c.carries() && !slices.ContainsFunc(c.Argv[1:], func(w string) bool {
			return strings.ContainsAny(w, shellSigns)
		}) {
		return
	}
	left := maxGuessed
	g := c.guesses(&left)
	inner := &finder{s: f.s, by: f.by, written: f.written}
	for i := range g.files {
		g.files[i].Command = -1
		inner.redirect(&g.files[i])
	}
	for i := range g.all {
		one := &g.all[i]
		if len(one.Argv) == 0 {
			continue
		}
		if _, known := fileWays()[one.sorted().program]; known {
			inner.command(one)
		}
		if executable(one.Argv[0]) && f.wrote().holds(one.Argv[0]) || Wraps(one.Name) &&
			f.wrote().ran(one) {
			f.unknown(true, "file", c.Text)
		}
	}
	if g.hides != "" {
		f.unknown(true, Cause(g.hides), c.Text)
	}
	for _, d := range inner.out.Doubts {
		f.doubt(d)
	}
	for _, p := range inner.out.All {
		f.out.Maybe = append(f.out.Maybe, Maybe{Name: p.Name, By: c.Name, Writes: p.Writes,
			Pattern: p.Pattern, Below: p.Below, Only: p.Only})
	}
	f.out.Maybe = append(f.out.Maybe, inner.out.Maybe...)
}
