// This file loads files concurrently, each in its own goroutine, and puts the results in force.

package load

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// gatherFor is how long the versions of one scan wait for each other, so that files that were
	// saved together come into force together: ten times the load time of a script, and not
	// noticeable after the debounce.
	gatherFor = 10 * time.Millisecond
	// laneFor is how long a script may delay the next one when all scripts load: after that time it
	// no longer occupies a lane.
	laneFor = 10 * time.Millisecond
)

// loading is one version of a script that is being loaded. No lock is held while it loads.
type loading struct {
	entry *entry
	tried string
	// run loads, in its own goroutine, and must not access the entry. apply puts the result in
	// force, under l.mu; drop frees it instead if there is a newer version.
	run   func(ctx context.Context, n numbers)
	apply func(ctx context.Context, b *batch)
	drop  func()

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed after apply or drop
}

// numbers are the numbers of the generations of one loading. They follow the order of the scan, not
// the order in which scripts finish loading.
type numbers struct {
	own int
	// for the last good version; reserved for the whole wave when the first one is restored
	restored func() int
}

// begin makes j the version of its script that is being loaded, replacing an earlier version that
// is not ready yet. Loading starts at the end of the scan.
func (b *batch) begin(ctx context.Context, j *loading) {
	j.entry.abandon()
	j.ctx, j.cancel = context.WithCancel(ctx)
	j.done = make(chan struct{})
	j.entry.loading = j
	b.wave = append(b.wave, j)
}

// abandon cancels the version that is being loaded. Under l.mu.
func (e *entry) abandon() {
	if e.loading != nil {
		e.loading.cancel()
		e.loading = nil
	}
}

// launch starts loading the versions that a scan found. Under l.mu, and not after Close.
func (l *Loader) launch(b *batch) {
	wave := b.wave
	if len(wave) == 0 {
		return
	}
	enter := func() (leave func()) { return func() {} }
	if b.cause == "start" || b.force { // everything at once, not only what was just saved
		enter = make(lanes, runtime.GOMAXPROCS(0)).enter
	}
	ready := make(chan int, len(wave))
	first := l.eng.Scripts.ReserveNumbers(len(wave))
	restored := sync.OnceValue(func() int { return l.eng.Scripts.ReserveNumbers(len(wave)) })
	l.busy.Add(len(wave) + 1)
	for i, j := range wave {
		go func() {
			defer l.busy.Done()
			defer enter()()
			j.run(j.ctx, numbers{own: first + i, restored: func() int { return restored() + i }})
			ready <- i
		}()
	}
	cause := b.cause
	go func() {
		defer l.busy.Done()
		l.collect(wave, ready, cause)
	}()
}

// collect puts the results of one scan in force: in the order of the scan if they are ready at
// about the same time, otherwise each as soon as it is ready. At the start, no script comes into
// force before all are ready.
func (l *Loader) collect(wave []*loading, ready <-chan int, cause string) {
	var late <-chan time.Time
	if cause != "start" {
		late = time.After(gatherFor)
	}
	var results []int
	overdue := false
	for open := len(wave); open > 0; {
		select {
		case i := <-ready:
			results = append(results, i)
			open--
		case <-late:
			overdue, late = true, nil
		}
		if len(results) > 0 && (overdue || open == 0) {
			slices.Sort(results)
			l.settleWave(wave, results, cause)
			results = nil
		}
	}
}

// settleWave puts the results of a wave in force that are still current.
func (l *Loader) settleWave(wave []*loading, results []int, cause string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &batch{cause: cause, now: time.Now()}
	for _, i := range results {
		j := wave[i]
		if l.closed || j.entry.loading != j {
			j.drop()
		} else {
			j.entry.loading = nil
			j.apply(j.ctx, b)
		}
		j.cancel()
		defer close(j.done)
	}
	if l.closed {
		return
	}
	l.commit(b)
	if l.follow() {
		l.watcher.kick()
	}
}

// tryVersion is the result of loading a version.
type tryVersion struct {
	header scriptfile.Header
	gen    *engine.Generation
	err    *fault.ScriptError
	// the last good version from disk, if this one fails and nothing is in force
	old *engine.Generation
}

// try loads content. On failure the version in force stays; without one, the last good version from
// disk is loaded; without that, a shadow protects the calls that the file would have guarded.
func (l *Loader) try(ctx context.Context, b *batch, e *entry, f *found, c *content, tried string) {
	if e.at.path == "" {
		e.at = *f
	}
	v, readAt, bare, k := &tryVersion{}, b.now, e.gen == nil, l.memory.roll.at(f.path)
	run := func(ctx context.Context, n numbers) {
		var mistakes []HeaderError
		v.header, mistakes = l.builder.header(f.name, c.bytes)
		v.gen, v.err = l.builder.load(ctx, f, c, v.header, mistakes, n.own)
		if v.err != nil && ctx.Err() == nil && bare {
			v.old = l.restore(ctx, f, c.hash, k, n.restored)
		}
	}
	apply := func(ctx context.Context, b *batch) {
		if v.err != nil && ctx.Err() != nil { // cancellation proves nothing about the file
			l.builder.discard(v.old)
			return
		}
		e.info, e.readAt = c.info, readAt
		e.at, e.tried, e.header, e.hash = *f, tried, v.header, c.hash
		l.settleTry(b, e, c, v)
	}
	b.begin(ctx, &loading{entry: e, tried: tried, run: run, apply: apply,
		drop: func() { l.builder.discard(v.gen, v.old) }})
}

// settleTry puts v in force, or handles its failure.
func (l *Loader) settleTry(b *batch, e *entry, c *content, v *tryVersion) {
	if v.err == nil {
		b.load(e, v.gen)
		b.record(e)
		return
	}
	if v.old != nil && e.gen == nil {
		b.load(e, v.old)
	} else {
		l.builder.discard(v.old)
	}
	b.fail(e, notInForce(v.err, e, c))
	e.shadow = nil
	// a version that waits removes nothing, unless the previous version is lost
	if c.trouble == nil || !c.trouble.held || c.trouble.moved ||
		e.gen == nil && l.memory.roll.at(e.at.path) != nil {
		e.shadow = l.shadowOf(e, c)
	}
}

// restore loads the last good version of f from disk. It returns nil if there is none, if it is the
// version that just failed, or if it is not the known one.
func (l *Loader) restore(ctx context.Context, f *found, failed string, k *known,
	number func() int) *engine.Generation {
	if f.source == scriptfile.SourceBuiltin || f.source == scriptfile.SourceProject {
		return nil // an earlier version of a project's script is no longer trusted
	}
	r := l.memory.good.getRecord(f.path)
	if r == nil || r.Hash == failed || k != nil && k.SHA256 != r.Hash {
		return nil
	}
	header, mistakes := l.builder.header(f.name, r.bytes)
	g, err := l.builder.load(ctx, f, &content{bytes: r.bytes, hash: r.Hash,
		library: r.library()}, header, mistakes, number())
	if err != nil {
		return nil
	}
	return g
}

// discard frees generations that do not come into force; nil ones are ignored.
func (x *builder) discard(gens ...*engine.Generation) {
	for _, g := range gens {
		if g != nil {
			x.eng.Scripts.Discard(g)
		}
	}
}

// Replace loads the bytes of g again, because g's VM hangs and was abandoned
// (engine.Options.Wedged). If that fails, g stays: its guards then fail, so that calls ask. Replace
// does nothing if g is not current any more.
func (l *Loader) Replace(g *engine.Generation) {
	l.mu.Lock()
	e := l.entries[g.Name]
	for ; e != nil && e.gen == g && e.loading != nil && !l.closed; e = l.entries[g.Name] {
		done := e.loading.done // a newer version is loading; if it fails, g must still be replaced
		l.mu.Unlock()
		<-done
		l.mu.Lock()
	}
	if l.closed || e == nil || e.gen != g {
		l.mu.Unlock()
		return
	}
	var fresh *engine.Generation
	var err *fault.ScriptError
	b, at := &batch{cause: "manual", now: time.Now()}, e.at
	b.begin(l.life, &loading{entry: e, tried: e.tried,
		run: func(ctx context.Context, n numbers) {
			fresh, err = l.builder.load(ctx, &at, &content{bytes: g.Bytes, hash: g.Hash,
				library: g.Library}, g.Header, nil, n.own)
		},
		apply: func(_ context.Context, b *batch) {
			if err != nil {
				b.fail(e, err)
			} else {
				b.load(e, fresh)
			}
			if l.builder.format(g.Name) == nil { // the end of a program is reported as an error
				b.say(g.Name + " " + whyReplaced(g) +
					", and was reloaded: its variables are lost")
			}
		},
		drop: func() { l.builder.discard(fresh) }})
	l.launch(b)
	done := e.loading.done
	l.mu.Unlock()
	<-done
}

// whyReplaced returns the reason why g's VM was abandoned.
func whyReplaced(g *engine.Generation) string {
	if _, ok := g.GivenUp().(*vm.LimitError); ok {
		return "kept too much memory"
	}
	return "hung in something that cannot be interrupted"
}

// lanes limits how many scripts load at once, so that starting with many scripts takes no longer
// than loading them in sequence.
type lanes chan struct{}

// enter waits for a lane. leave releases it; after laneFor it is released anyway.
func (s lanes) enter() (leave func()) {
	s <- struct{}{}
	var once sync.Once
	free := func() { once.Do(func() { <-s }) }
	timer := time.AfterFunc(laneFor, free)
	return func() { timer.Stop(); free() }
}
