// This file holds ext.ui.panel: what a script draws and whose keys it hears, until it or the user
// closes it.

package host

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// keysWaiting is how many keys wait for a script that is not done with those before: more than
	// anybody types ahead.
	keysWaiting = 64
	// escPatience is how long a script may take to say what it makes of Esc: then the panel is
	// closed, for the user must get out of it; ctrl+c closes it at once.
	escPatience = 3 * time.Second
	// panelPause is the least time between two drawings of a panel: thirty a second look fluent.
	panelPause = 33 * time.Millisecond
	// usualHeight is how many lines a panel has on a screen that does not say.
	usualHeight = 24
	// mostPanels is how many panels a script can have open: nobody finds a way back through more.
	mostPanels = 20
)

// panel is one panel, from its opening on.
type panel struct {
	gen     *engine.Generation
	label   string // what its functions are called in errors, before their own name
	line    int
	render  engine.Func
	key     engine.Func // nil: it hears no keys
	onClose engine.Func // nil: nobody minds
	refresh time.Duration
	view    engine.PanelView
	leaving sync.Once  // of left
	viewing sync.Mutex // one call of view at a time
	ended   func()     // nil: it never began

	keys  chan keyPress
	dirty chan struct{} // capacity 1: it is to be drawn
	over  chan struct{} // closed when it is
	gone  chan struct{} // closed when it is out of sight
	// closed when the user has left it, or the script has gone: what its functions wait for is
	// given up
	left chan struct{}
	// pending is what has come and is not done with: its opening, keys, ticks, wishes to be drawn.
	pending atomic.Int64

	mu            sync.Mutex
	width, height int
	closed        bool
	value         any
	headless      bool
	failed        map[string]bool // functions whose failure was told
}

type keyPress struct {
	name, text string
	heard      *atomic.Bool
}

func (x *screen) openPanel(c *engine.HostCall) (any, error) {
	m := table(c.Args[0])
	p := &panel{gen: c.Gen, label: c.Name("ui.panel"), line: c.Pos.Line, width: usualWidth,
		height: usualHeight, keys: make(chan keyPress, keysWaiting), dirty: make(chan struct{}, 1),
		over: make(chan struct{}), gone: make(chan struct{}), left: make(chan struct{}),
		failed: map[string]bool{}}
	var err error
	if p.refresh, err = refresh(c.Name("ext.ui.panel")+": refresh", m["refresh"]); err != nil {
		return nil, err
	}
	p.render, _ = m["render"].(engine.Func)
	p.key, _ = m["key"].(engine.Func)
	p.onClose, _ = m["on_close"].(engine.Func)
	s := c.Gen.Engine().Screen.Surface()
	if s == nil || s.Open == nil {
		p.headless, p.onClose = true, nil
		p.quit()
		return p.handle(), nil
	}
	if !x.panels.addCount(c.Gen, 1, mostPanels) {
		return nil, fmt.Errorf("%s: the script has %d of them open already", c.Name("ext.ui.panel"),
			mostPanels)
	}
	e, title := c.Gen.Engine(), oneLine(text(m["title"]))
	p.mu.Lock()
	stop := c.Gen.Gone(p.quit)
	p.ended = func() {
		stop()
		x.panels.addCount(c.Gen, -1, mostPanels)
	}
	p.mu.Unlock()
	c.Gen.Live(func() {
		x.board.opening(p)
		posted := x.board.courier.post(func() {
			p.view = s.Open(&engine.Panel{Script: c.Gen.Name, Title: e.Mask.Text(title),
				Key:    p.press,
				Resize: p.resize, Close: p.quit})
			go func() {
				p.runPanel()
				x.board.over(p)
			}()
		})
		if !posted {
			p.quit()
			x.board.over(p)
		}
	})
	return p.handle(), nil
}

// handle is the panel for its script.
func (p *panel) handle() map[string]any {
	method := func(name string, waits bool, f engine.HostFunc,
		params ...value.Field) *engine.Builtin {
		return &engine.Builtin{Bare: true, Row: &engine.APIRow{Name: "panel." + name, Waits: waits,
			Params: params}, Func: f}
	}
	return map[string]any{
		"redraw": method("redraw", false, func(*engine.HostCall) (any, error) {
			p.mark()
			return nil, nil
		}),
		"close": method("close", false, func(c *engine.HostCall) (any, error) {
			v, err := value.JSONData("panel.close: value", c.Args[0])
			if err == nil {
				p.close(v)
			}
			return nil, err
		}, value.Field{Name: "value", Type: "any?"}),
		"wait": method("wait", true, p.waitClosed),
	}
}

// waitClosed waits until it is closed, and returns what it was closed with. The wall clock of the
// run stands still meanwhile.
func (p *panel) waitClosed(c *engine.HostCall) (any, error) {
	ctx := c.Run.Context()
	c.Run.OffClock(func() {
		select {
		case <-p.over:
		case <-ctx.Done():
		}
	})
	if err := c.Run.Err(); err != nil {
		p.quit() // nobody is there who wanted to know
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.headless {
		return nil, &engine.WorldError{Code: "headless",
			Message: "panel.wait: there is no screen here"}
	}
	return p.value, nil
}

// mark lets it be drawn soon.
func (p *panel) mark() { p.notice(p.dirty) }

// notice says something once on a channel with room for one; who takes it takes it off pending when
// it is done with.
func (p *panel) notice(c chan<- struct{}) {
	p.pending.Add(1)
	select {
	case c <- struct{}{}:
	default:
		p.pending.Add(-1)
	}
}

func (p *panel) resize(width, height int) {
	p.mu.Lock()
	same := p.width == width && p.height == height
	p.width, p.height = width, height
	p.mu.Unlock()
	if !same {
		p.mark()
	}
}

// press takes a key of the user. Esc closes it if the script does not say in time that it does
// something else then.
func (p *panel) press(name, text string) {
	k := keyPress{name, text, &atomic.Bool{}}
	if name == "esc" {
		if p.key == nil {
			p.quit()
			return
		}
		time.AfterFunc(escPatience, func() {
			if !k.heard.Load() {
				p.quit()
			}
		})
	}
	p.pending.Add(1)
	select {
	case p.keys <- k:
	default: // it is not done with those before
		p.pending.Add(-1)
	}
}

// quit closes it without the script.
func (p *panel) quit() {
	p.close(nil)
	p.leaving.Do(func() { close(p.left) })
}

// close ends it, once.
func (p *panel) close(value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed, p.value = true, value
		close(p.over)
		if p.ended != nil {
			p.ended()
		}
	}
}
