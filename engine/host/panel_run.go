// This file runs panels: it calls their functions, one after the other, and shows the lines they
// return.

package host

import (
	"context"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// runPanel calls the script's functions one after the other until the panel is closed.
func (p *panel) runPanel() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.left:
			cancel()
		case <-ctx.Done():
		}
	}()
	go func() { // a running function must not keep it on the screen
		<-p.over
		p.viewing.Lock()
		defer p.viewing.Unlock()
		p.view.Close()
		close(p.gone)
	}()
	p.mark()
	p.pending.Add(-1) // the opening counts
	tick := make(chan struct{}, 1)
	var clock vm.Timer
	if p.refresh > 0 {
		clock = p.gen.Engine().Clock().AfterFunc(p.refresh, func() { p.notice(tick) })
		defer clock.Stop()
	}
	for !p.isOver() {
		select {
		case <-p.over:
		case k := <-p.keys:
			p.hear(ctx, k)
			p.pending.Add(-1)
		case <-tick:
			if p.gen.Engine().Clock().Now().After(p.rest) {
				p.mark()
			}
			clock.Reset(p.refresh)
			p.pending.Add(-1)
		case <-p.dirty:
			p.draw(ctx)
		}
	}
	<-p.gone
	if p.onClose != nil {
		// the value does not change any more
		p.callFunction(context.Background(), "on_close", p.onClose, p.value)
	}
}

// hear calls the script's key function, and draws the result.
func (p *panel) hear(ctx context.Context, k keyPress) {
	if p.key == nil {
		return
	}
	v, err := p.callFunction(ctx, "key", p.key, k.name, k.text, p.handle())
	k.heard.Store(true)
	if handled := err == nil && v != nil && v != false; k.name == "esc" && !handled {
		p.quit()
		return
	}
	p.mark()
}

// draw calls the script's view function. If it fails, lines say so above the last ones, and it is
// not called at each refresh any more until failurePause is over.
func (p *panel) draw(ctx context.Context) {
	begun, clock := time.Now(), p.gen.Engine().Clock()
	p.mu.Lock()
	w, h := p.width, p.height
	p.mu.Unlock()
	lines, err := callRender(ctx, p.gen, p.label+" render", p.render, float64(w), float64(h))
	switch {
	case ctx.Err() != nil: // the user has left
	case err != nil:
		p.tellFailure("render", err)
		p.rest = clock.Now().Add(failurePause)
		p.show(maskLines(p.gen.Engine(), p.stale(err, w)))
	default:
		p.good, p.rest = lines, time.Time{}
		p.show(maskLines(p.gen.Engine(), lines))
	}
	p.pending.Add(-1)
	select {
	case <-p.over:
	case <-time.After(panelPause - min(panelPause, time.Since(begun))):
	}
}

// stale returns what is shown after the view function has failed: the failure, how to leave, and
// the last lines.
func (p *panel) stale(err error, width int) (out []ui.Line) {
	se := p.gen.Describe(err, p.label, p.line)
	for _, span := range failureLine(p.gen, "panel", err, p.line) {
		for l := range strings.SplitSeq(ansi.Wrap(span.Text, max(1, width), ""), "\n") {
			out = append(out, ui.Line{{Text: l, Style: span.Style}})
		}
	}
	if se.Excerpt != "" {
		out = append(out, ui.Line{})
		for l := range strings.Lines(fault.FitExcerpt(se.Excerpt, width)) {
			out = append(out, ui.Line{{Text: strings.TrimRight(l, "\n"), Style: "dim"}})
		}
	}
	leave := "esc"
	if p.key != nil { // which may use esc for itself
		leave = "ctrl+c"
	}
	out = append(out, ui.Line{}, ui.Line{{Text: leave + " closes the panel"}})
	if len(p.good) > 0 {
		out = append(out, ui.Line{})
	}
	for _, l := range p.good {
		out = append(out, ui.Line{{Text: l.Text(), Style: "dim"}})
	}
	return out
}

// show shows lines, if the panel is still open.
func (p *panel) show(lines []ui.Line) {
	p.viewing.Lock()
	defer p.viewing.Unlock()
	if !p.isOver() {
		p.view.Draw(lines)
	}
}

func (p *panel) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// callFunction calls the function of that name; its first failure is reported.
func (p *panel) callFunction(ctx context.Context, name string, fn engine.Func, args ...any) (any,
	error) {
	v, err := p.gen.Run(engine.NewRun(ctx, p.gen, vm.KindCommand, p.label+" "+name,
		p.gen.Engine().Events.Envelope(), nil), fn, args...)
	if err != nil && ctx.Err() == nil { // otherwise the user has left, which cancelled it
		p.tellFailure(name, err)
	}
	return v, err
}

func (p *panel) tellFailure(name string, err error) {
	if !p.failed[name] {
		p.failed[name] = true
		p.gen.Failed(err, p.label+" "+name, p.line)
	}
}
