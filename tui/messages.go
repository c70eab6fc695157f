// This file shows the messages of the model.

package tui

import (
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// reply is the message that the model is sending, with the reasoning before it and its sources.
// Each of them has entries in the transcript.
type reply struct {
	transcript *transcript

	message  int      // entry of the streaming message, -1 = none
	thought  int      // entry of the streaming reasoning, -1 = none
	thoughts []int    // entries of the same message's earlier reasoning
	sources  []source // named by the model

	// places are entries before a call that the model is writing, for the reasoning and the text of
	// the same message: redactors may hold these back longer than they hold back the call.
	places []int
}

// clearEntries forgets the entries after they were removed.
func (r *reply) clearEntries() {
	r.message, r.thought, r.thoughts, r.sources, r.places = -1, -1, nil, nil, nil
}

// The indexes of places.
const (
	thoughtPlace = iota
	textPlace
)

// reservePlaces is called before the entry of a call is added.
func (r *reply) reservePlaces() {
	if r.finishThought(); r.message < 0 && r.places == nil {
		for range textPlace + 1 {
			i := r.transcript.addEntry(goneBlock{})
			r.transcript.hide(i)
			r.places = append(r.places, i)
		}
	}
}

// addEntry adds an entry of the message, in its place if there is one.
func (r *reply) addEntry(b block, place int) int {
	if r.places == nil || r.places[place] < 0 {
		return r.transcript.addEntry(b)
	}
	i := r.places[place]
	r.places[place] = -1
	r.transcript.showEntry(i, b)
	return i
}

// delta appends to a message, to a tool's output or to the arguments of a call that the model is
// writing.
func (c *conversation) delta(d *feed.Delta) {
	ev := d.Event
	switch {
	case ev.Name() == "tool_output":
		if b := c.updateCall(ev); b != nil {
			b.writeOutput(d.Text)
		}
	case ev.Env().Depth > 0:
	case ev.Name() == "tool_input_delta":
		if b := c.updateCall(ev); b != nil {
			b.writeInput(d.Text)
		}
	default:
		c.reply.writeDelta(ev.Text("kind"), string(d.Text))
	}
}

// messageEnd ends the streaming message. It hides the message if the user must not see it, or if
// the model is going to repeat it.
func (c *conversation) messageEnd(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	defer func() { c.reply.places = nil }()
	text, thought := cells.Clean(ev.Text("text")), cells.Clean(ev.Text("reasoning"))
	if strings.TrimSpace(text+thought) == "" {
		c.reply.hide()
		c.dropUnwritten()
		return
	}
	c.reply.endMessage(text, thought)
	if r := engine.DecodeRewrite(ev.Field("rewritten")); r != nil {
		c.transcript.addEntry(rewrittenNotice(r))
	}
	c.reply.endSources()
}

// writeDelta appends to the message or to the reasoning.
func (r *reply) writeDelta(kind, text string) {
	if kind == "reasoning" {
		if r.thought < 0 {
			r.thought = r.addEntry(&thoughtBlock{}, thoughtPlace)
		}
		r.transcript.entries[r.thought].block.(*thoughtBlock).stream.writePiece(text)
		r.transcript.changed(r.thought)
		return
	}
	r.finishThought()
	if r.message < 0 {
		r.message = r.addEntry(&messageBlock{}, textPlace)
	}
	b := r.transcript.entries[r.message].block.(*messageBlock)
	b.stream.Write(b.cleaner.Add(text))
	r.transcript.changed(r.message)
}

// hide hides the message and its reasoning.
func (r *reply) hide() {
	r.hideMessage()
	r.dropThoughts(r.thought)
	r.thoughts = nil
}

func (r *reply) hideMessage() {
	if r.message >= 0 {
		r.transcript.hide(r.message)
		r.message = -1
	}
}

// endMessage ends the message with its final texts.
func (r *reply) endMessage(text, thought string) {
	if strings.TrimSpace(text) == "" {
		r.hideMessage()
	}
	r.settleThoughts(thought)
	r.finishMessage(text)
	r.thoughts = nil
}

// settleThoughts shows the final reasoning of the message, before the answer if none was shown yet.
func (r *reply) settleThoughts(thought string) {
	r.finishThought()
	var shown strings.Builder
	for _, i := range r.thoughts {
		shown.Write(r.transcript.entries[i].block.(*thoughtBlock).stream.text)
	}
	if strings.TrimSpace(shown.String()) == strings.TrimSpace(thought) {
		return
	}
	if strings.TrimSpace(thought) == "" {
		r.dropThoughts(-1)
		return
	}
	b := &thoughtBlock{finished: true}
	b.stream.writePiece(thought)
	if len(r.thoughts) > 0 {
		r.transcript.replaceEntry(r.thoughts[0], b)
		for _, i := range r.thoughts[1:] {
			r.transcript.hide(i)
		}
		return
	}
	i := r.addEntry(b, thoughtPlace)
	if r.message == i-1 && r.message >= 0 {
		r.transcript.swap(r.message, i)
		r.message = i
	}
}

// finishMessage ends the streaming message; text is the final one.
func (r *reply) finishMessage(text string) {
	r.finishThought()
	if r.message < 0 {
		if strings.TrimSpace(text) == "" {
			return
		}
		r.message = r.addEntry(&messageBlock{}, textPlace)
	}
	b := r.transcript.entries[r.message].block.(*messageBlock)
	b.final, b.finished = text, true
	r.transcript.changed(r.message)
	r.message = -1
}

// settleMessage ends the streaming message as it is, because something follows it.
func (r *reply) settleMessage() {
	if r.message < 0 {
		r.finishThought()
		return
	}
	r.finishMessage(r.transcript.entries[r.message].block.(*messageBlock).stream.Text())
}

func (r *reply) finishThought() {
	if r.thought >= 0 {
		r.transcript.entries[r.thought].block.(*thoughtBlock).finished = true
		r.transcript.changed(r.thought)
		r.thoughts = append(r.thoughts, r.thought)
		r.thought = -1
	}
}

// dropThoughts hides the message's reasoning.
func (r *reply) dropThoughts(streaming int) {
	if streaming >= 0 {
		r.transcript.hide(streaming)
	}
	r.thought = -1
	for _, i := range r.thoughts {
		r.transcript.hide(i)
	}
}

// endSources shows the sources of a message below it, each once.
func (r *reply) endSources() {
	var list []source
	seen := map[source]bool{}
	for _, s := range r.sources {
		if !seen[s] && s != (source{}) {
			list = append(list, s)
		}
		seen[s] = true
	}
	if r.sources = nil; len(list) > 0 {
		r.transcript.addEntry(&sourcesBlock{list})
	}
}
