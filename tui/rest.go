package tui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// tick is how often the program writes what has changed to the terminal, while something does.
	tick = time.Second / 60
	// restAfter is how long after the last change it stops looking for one: many ticks, so that the
	// last frame is written for certain.
	restAfter = 250 * time.Millisecond
	// restTick stands for never.
	restTick = 24 * time.Hour
	// keyTick is how often the program writes after a key: it should be seen at once.
	keyTick = time.Millisecond
	// keyFor is how long that goes on: what a key does has been drawn by then.
	keyFor = 10 * time.Millisecond
)

// rest stops the program's ticker while nothing changes, and has it tick faster after a key:
// bubbletea looks for a new frame sixty times a second for as long as it runs, which keeps a
// processor awake for a screen that rests. The ticker is not exported; where it cannot be found,
// because a later version has none of this name, it just ticks on.
type rest struct {
	program *tea.Program

	mu      sync.Mutex
	ticker  *time.Ticker
	looked  bool
	changed time.Time
	timer   *time.Timer
	slow    *time.Timer // ends the ticks that follow a key; nil = none do
}

// wake lets the ticker tick, until nothing has changed for a while. The program's own goroutine
// calls it in each Update, when the program has started and its ticker exists. key says that the
// user waits.
func (r *rest) wake(key bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.looked {
		r.looked, r.ticker = true, ticker(r.program)
	}
	if r.ticker == nil {
		return
	}
	r.changed = time.Now()
	if key && r.slow == nil {
		r.ticker.Reset(keyTick)
		r.slow = time.AfterFunc(keyFor, r.slowDown)
	}
	if r.timer == nil {
		if r.slow == nil {
			r.ticker.Reset(tick)
		}
		r.timer = time.AfterFunc(restAfter, r.sleep)
	}
}

// slowDown ends the ticks that follow a key.
func (r *rest) slowDown() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slow = nil; r.timer != nil {
		r.ticker.Reset(tick)
	} else {
		r.ticker.Reset(restTick) // it sleeps already: this came late
	}
}

// sleep stops the ticker, or looks again later if something has changed meanwhile.
func (r *rest) sleep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := restAfter - time.Since(r.changed); left > 0 {
		r.timer.Reset(left)
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
