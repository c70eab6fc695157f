package terminal

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// Tick is how often the program writes what has changed to the terminal, while something does.
	Tick = time.Second / 60
	// A look is when rest looks whether something has changed. After restLooks looks that found
	// nothing the ticker stops: many ticks after the last change. Looks are counted, and not the
	// time that has passed: where this process, or a slow terminal, stands still for a second, no
	// frame is written in that second.
	restLook  = 50 * time.Millisecond
	restLooks = 5
	// restTick stands for never.
	restTick = 24 * time.Hour
	// keyTick is how often the program writes after a key: it should be seen at once.
	keyTick = time.Millisecond
	// keyFor is how long that goes on: what a key does has been drawn by then.
	keyFor = 10 * time.Millisecond
)

// Rest stops the program's ticker while nothing changes, and has it tick faster after a key:
// bubbletea looks for a new frame sixty times a second for as long as it runs, which keeps a
// processor awake for a screen that rests. The ticker is not exported; where it cannot be found,
// because a later version has none of this name, it just ticks on.
type Rest struct {
	program *tea.Program
	writing func() bool // a frame is being written now

	mu     sync.Mutex
	ticker *time.Ticker
	looked bool
	quiet  int         // looks since the last change
	timer  *time.Timer // the next look; nil = the ticker rests
	slow   *time.Timer // ends the ticks that follow a key; nil = none do
}

// NewRest returns a Rest of a program. writing tells whether a frame is being written.
func NewRest(p *tea.Program, writing func() bool) *Rest {
	return &Rest{program: p, writing: writing}
}

// Wake lets the ticker tick, until nothing has changed for a while. The program's own goroutine
// calls it before and after each Update, when the program has started and its ticker exists. key
// says that the user waits.
func (r *Rest) Wake(key bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
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

// slowDown ends the ticks that follow a key.
func (r *Rest) slowDown() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slow = nil; r.timer != nil {
		r.ticker.Reset(Tick)
	} else {
		r.ticker.Reset(restTick) // it sleeps already: this came late
	}
}

// look stops the ticker, or looks again later if something has changed lately.
func (r *Rest) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writing() {
		r.quiet = 0
	}
	if r.quiet++; r.quiet < restLooks {
		r.timer.Reset(restLook)
		return
	}
	r.ticker.Reset(restTick)
	r.timer = nil
}

// ticker is the program's ticker, nil if it has none by that name.
func ticker(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
