package terminal

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// Tick is the interval at which the program writes changes to the terminal.
	Tick = time.Second / 60
	// Rest checks for changes every restLook. After restLooks checks without a change it stops the
	// ticker: many ticks after the last change. It counts checks and not time: while the process or
	// a slow terminal is stopped, time passes in which no frame is written.
	restLook  = 50 * time.Millisecond
	restLooks = 5
	// restTick is an interval that never ends.
	restTick = 24 * time.Hour
	// keyTick is the interval after a key, whose effect should be visible at once.
	keyTick = time.Millisecond
	// keyFor is how long keyTick is in use: the effect of a key has been drawn by then.
	keyFor = 10 * time.Millisecond
)

// Rest stops the program's ticker while nothing changes, and makes it faster after a key: bubbletea
// looks for a new frame sixty times a second for as long as it runs, which keeps a processor busy
// for an idle screen. The ticker is not exported. If it cannot be found, because a later version
// has no field of this name, it keeps ticking.
type Rest struct {
	program *tea.Program
	writing func() bool // reports whether a frame is being written

	mu     sync.Mutex
	ticker *time.Ticker
	looked bool
	busy   bool        // an Update has begun, and its View has not ended
	quiet  int         // checks since the last change
	timer  *time.Timer // the next check; nil = the ticker is stopped
	slow   *time.Timer // ends the faster ticks after a key; nil = there are none
}

// NewRest returns a Rest of a program. writing reports whether a frame is being written.
func NewRest(p *tea.Program, writing func() bool) *Rest {
	return &Rest{program: p, writing: writing}
}

// Wake starts the ticker, until nothing has changed for a while after Drawn is called. The
// program's own goroutine calls it at the beginning of each Update, when the program has started
// and its ticker exists. key means that the user waits for the effect of a key.
func (r *Rest) Wake(key bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = true
	if !r.looked {
		r.looked, r.ticker = true, ticker(r.program)
	}
	if r.ticker == nil {
		return
	}
	r.quiet = 0
	if key && r.slow == nil {
		r.ticker.Reset(keyTick)
		r.slow = time.AfterFunc(keyFor, r.slowDown)
	}
	if r.timer == nil {
		if r.slow == nil {
			r.ticker.Reset(Tick)
		}
		r.timer = time.AfterFunc(restLook, r.look)
	}
}

// Drawn tells that the change is drawn: View has been called. Between Update and View the program
// waits for another goroutine, perhaps for long on a busy machine.
func (r *Rest) Drawn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy, r.quiet = false, 0
}

// slowDown ends the faster ticks after a key.
func (r *Rest) slowDown() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slow = nil; r.timer != nil {
		r.ticker.Reset(Tick)
	} else {
		r.ticker.Reset(restTick) // the ticker has been stopped meanwhile
	}
}

// look stops the ticker, or schedules another check if something has changed lately.
func (r *Rest) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy || r.writing() {
		r.quiet = 0
	}
	if r.quiet++; r.quiet < restLooks {
		// When the program lends its terminal, it stops the ticker on another goroutine, which may
		// do so after the terminal is back.
		if r.slow == nil {
			r.ticker.Reset(Tick)
		}
		r.timer.Reset(restLook)
		return
	}
	r.ticker.Reset(restTick)
	r.timer = nil
}

// ticker returns the program's ticker, nil if it has none by that name.
func ticker(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
