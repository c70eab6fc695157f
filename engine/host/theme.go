// This file implements ext.ui.theme: colours of the screen that a script brings.

package host

import (
	"fmt"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/ui"
)

// mostThemes is how many themes a script can have: more than a person picks from.
const mostThemes = 20

// themeName matches names that are easy to type after /theme.
var themeName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// themes are the themes of scripts, with the generation that has set each.
type themes struct {
	mu    sync.Mutex
	owner map[themeKey]*engine.Generation
}

type themeKey struct{ script, name string }

func (x *screen) theme(c *engine.HostCall) (any, error) {
	const name = "ext.ui.theme"
	opts := table(c.Args[2])
	t := ui.Theme{Script: c.Gen.Name, Name: text(c.Args[0]), Base: text(opts["base"]),
		Use: truth(opts["use"])}
	if !named(themeName(), t.Name) {
		return nil, fmt.Errorf("%s: name: got %.80q, want a-z, 0-9, - and _", name, t.Name)
	}
	if c.Args[1] != nil {
		t.Colors = table(c.Args[1])
	}
	s := c.Gen.Engine().Screen.Surface()
	if s == nil || s.SetTheme == nil {
		return nil, nil
	}
	if t.Colors != nil {
		if err := s.CheckTheme(t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if !x.themes.count(t) {
		return nil, fmt.Errorf("%s: the script already has %d themes", name, mostThemes)
	}
	c.Gen.Live(func() { x.board.courier.post(func() { x.setTheme(s, c.Gen, t) }) })
	c.Gen.Gone(func() {
		x.board.courier.post(func() {
			t.Colors, t.Use = nil, false
			x.setTheme(s, c.Gen, t)
		})
	})
	return nil, nil
}

// setTheme shows a theme of g, or removes it if no other generation has set it since.
func (x *screen) setTheme(s *ui.Surface, g *engine.Generation, t ui.Theme) {
	key := themeKey{t.Script, t.Name}
	x.themes.mu.Lock()
	owner := x.themes.owner[key]
	switch {
	case t.Colors != nil && !g.Retired():
		x.themes.owner[key] = g
	case t.Colors == nil && owner == g:
		delete(x.themes.owner, key)
	default:
		s = nil
	}
	x.themes.mu.Unlock()
	if s != nil {
		s.SetTheme(t)
	}
}

// count reports whether a script may have this theme too.
func (x *themes) count(t ui.Theme) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.owner == nil {
		x.owner = map[themeKey]*engine.Generation{}
	}
	n := 0
	for key := range x.owner {
		if key.script == t.Script && key.name != t.Name {
			n++
		}
	}
	return n < mostThemes
}
