// This file sends a client's prompts and reports their ends.

package remote

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/chat"
)

// Ended reports the end of the prompt with the id. The function that it returns is called when the
// prompt does not count as Prompting any more: it lets the client send the next one.
type Ended func(id string, end agent.End) (answer func())

// prompts are a client's prompts whose end has not been reported.
type prompts struct {
	mu   sync.Mutex
	open map[string]Ended // by id
	many atomic.Int32     // those open or being reported
}

// take removes and returns a prompt; nil: it is not open.
func (p *prompts) take(id string) Ended {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := p.open[id]
	delete(p.open, id)
	return end
}

// list returns the sorted ids.
func (p *prompts) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.open))
}

// Send sends the client's input to the agent, and returns its id. end is called once, when the
// input has ended, after all its events.
func (s *Session) Send(in agent.Input, end Ended) (id string, err error) {
	a := s.Program().Agent
	s.prompts.mu.Lock() // until the agent has it: otherwise endLost would end it
	defer s.prompts.mu.Unlock()
	if s.life.Err() != nil {
		return "", ErrEnding
	}
	in.Source, in.ID = "rpc", a.Session().NewID()
	if err := a.Send(in); err != nil {
		return "", err
	}
	s.prompts.open[in.ID] = end
	s.prompts.many.Add(1)
	return in.ID, nil
}

// Prompting reports whether a prompt of the client has not ended. It does not block.
func (s *Session) Prompting() bool { return s.prompts.many.Load() > 0 }

// Interrupt stops the current work: "graceful" lets the tool calls finish, "hard" cancels at once
// and empties the queue. It returns the ids of the client's prompts that had not begun.
func (s *Session) Interrupt(kind string) (dropped []string) {
	for _, in := range s.Program().Agent.Interrupt(kind) {
		if in.ID != "" {
			dropped = append(dropped, in.ID)
		}
	}
	s.finish(dropped, agent.End{Status: agent.Cancelled})
	return dropped
}

// Flush waits, for a limited time, until the earlier events have reached the Wire: redactors may
// delay them.
func (s *Session) Flush(ctx context.Context) {
	if p := s.Program(); p != nil {
		ctx, cancel := context.WithTimeout(ctx, TellWait)
		defer cancel()
		p.Engine.Stream.Flush(ctx)
	}
}

// ended is called at the end of each input.
func (s *Session) ended(in agent.Input, end agent.End) {
	if end.Insert != "" {
		end.Insert = s.Mask(end.Insert)
	}
	if end.Insert != "" && s.wire.Insert != nil {
		s.Flush(context.WithoutCancel(s.life))
		s.wire.Insert(end.Insert)
	}
	if in.ID != "" {
		s.finish([]string{in.ID}, end)
	}
}

// finish reports the end of those prompts whose end was not reported yet.
func (s *Session) finish(ids []string, end agent.End) {
	if len(ids) > 0 {
		s.Flush(context.WithoutCancel(s.life))
	}
	for _, id := range ids {
		if tell := s.prompts.take(id); tell != nil {
			answer := tell(id, end)
			s.prompts.many.Add(-1)
			answer()
		}
	}
}

// endLost ends prompts that are gone without having been processed, because a script has emptied
// the queue.
func (s *Session) endLost() {
	s.prompts.mu.Lock()
	lost := maps.Clone(s.prompts.open)
	for _, in := range s.Program().Agent.Waiting() {
		delete(lost, in.ID)
	}
	s.prompts.mu.Unlock()
	s.finish(slices.Sorted(maps.Keys(lost)), agent.End{Status: agent.Cancelled})
}

// Empty reports whether an input is empty for a model.
func Empty(in agent.Input) bool { return strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 }

// ImageTypes returns the types of images that providers accept.
func ImageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }

// Image decodes an image in base64 from the client. The bytes determine its type.
func Image(data string) (chat.Block, error) {
	return tool.PictureOf(chat.Block{Data: data})
}
