// This file implements ext.ui.panel: a panel that a script draws and that gets keys, until the
// script or the user closes it.

package host

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// keysWaiting is how many keys wait for a script that is still handling earlier ones: more than
	// anyone types ahead.
	keysWaiting = 64
	// escPatience is how long a script may take to claim Esc: then the panel is closed, because the
	// user must be able to leave it; ctrl+c closes it at once.
	escPatience = 3 * time.Second
	// panelPause is the least time between two drawings of a panel: thirty a second look smooth.
	panelPause = 33 * time.Millisecond
	// usualHeight is the height of a panel on a screen that does not report one.
	usualHeight = 24
	// mostPanels is how many panels a script can have open: more would confuse any user.
	mostPanels = 20
)

// panel is one panel, from opening to closing.
type panel struct {
	gen     *engine.Generation
	label   string // prefix of its functions' names in errors
	line    int
	render  engine.Func
	key     engine.Func // nil: it gets no keys
	onClose engine.Func // may be nil
	refresh time.Duration
	view    ui.PanelView
	leaving sync.Once  // closes left
	good    []ui.Line  // what render returned last
	rest    time.Time  // after a failure: refreshes before it are left out
	viewing sync.Mutex // one call of view at a time
	ended   func()     // nil: it never began

	keys  chan keyPress
	dirty chan struct{} // capacity 1: it must be drawn
	over  chan struct{} // closed when the panel is closed
	gone  chan struct{} // closed when it is removed from the screen
	// closed when the user has left it, or the script is unloaded: its functions are cancelled
	left chan struct{}
	// pending counts unfinished requests: the opening, keys, ticks, redraws.
	pending atomic.Int64

	mu            sync.Mutex
	width, height int
	closed        bool
	value         any
	headless      bool
	failed        map[string]bool // functions whose failure was reported
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
		return nil, fmt.Errorf("%s: the script already has %d panels open", c.Name("ext.ui.panel"),
			mostPanels)
	}
	e, title := c.Gen.Engine(), joinLines(text(m["title"]))
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
			p.view = s.Open(&ui.Panel{Script: c.Gen.Name, Title: e.Mask.Text(title),
				Overlay: truth(m["overlay"]), Releases: truth(m["releases"]),
				Key: p.press, Resize: p.resize, Close: p.quit})
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

// handle returns the panel's object for its script.
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

// waitClosed waits until the panel is closed, and returns the value given to close. The wall clock
// of the run is stopped meanwhile.
func (p *panel) waitClosed(c *engine.HostCall) (any, error) {
	ctx := c.Run.Context()
	c.Run.OffClock(func() {
		select {
		case <-p.over:
		case <-ctx.Done():
		}
	})
	if err := c.Run.Err(); err != nil {
		p.quit() // the waiting run has ended
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.headless {
		return nil, &fault.WorldError{Code: "headless",
			Message: "panel.wait: there is no screen here"}
	}
	return p.value, nil
}

// mark requests a redraw.
func (p *panel) mark() { p.notice(p.dirty) }

// notice sends on a channel with capacity one, unless it is full; the receiver decrements pending
// when it is done.
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

// press handles a key of the user. Esc closes the panel unless the script claims the key in time.
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
	default: // it is still handling earlier ones
		p.pending.Add(-1)
	}
}

// quit closes the panel without asking the script.
func (p *panel) quit() {
	p.close(nil)
	p.leaving.Do(func() { close(p.left) })
}

// close closes the panel with a value, once.
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
