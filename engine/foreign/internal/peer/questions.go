// This file matches the answers of a program with what waits for them.

package peer

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/agentscripts/agent/engine"
)

// Questions are what a program has not answered, by id. The zero value has none.
type Questions[A any] struct {
	mu      sync.Mutex
	waiting map[int]*question[A]
	last    int // id
}

// question is what the program has not answered yet.
type question[A any] struct {
	run    *engine.Run // which waits
	answer chan A      // capacity 1
	wrong  error       // see Misread
}

// Expect returns the id of a new question, and where its answer arrives.
func (q *Questions[A]) Expect(run *engine.Run) (id int, answer <-chan A) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == nil {
		q.waiting = map[int]*question[A]{}
	}
	q.last++
	asked := &question[A]{run: run, answer: make(chan A, 1)}
	q.waiting[q.last] = asked
	return q.last, asked.answer
}

// take removes a question; nil if the program has answered it, or never got it.
func (q *Questions[A]) take(id int) *question[A] {
	q.mu.Lock()
	defer q.mu.Unlock()
	asked := q.waiting[id]
	delete(q.waiting, id)
	return asked
}

// Ask sends a question, which send writes with the id that it gets, and returns the answer. If the
// run ends first, it returns the cause, with what Misread has reported meanwhile, and the id of the
// question that is no longer waited for.
func (q *Questions[A]) Ask(run *engine.Run, p *Peer, send func(id int) error) (A, int, error) {
	var none A
	ctx := run.Context()
	id, answer := q.Expect(run)
	defer q.take(id)
	if err := send(id); err != nil {
		return none, 0, err
	}
	p.asked.Add(1)
	for {
		select {
		case a := <-answer:
			return a, 0, nil
		default:
		}
		select {
		case a := <-answer:
			return a, 0, nil
		case <-ctx.Done():
			err := context.Cause(ctx)
			if asked := q.take(id); asked != nil && asked.wrong != nil {
				err = fmt.Errorf("%w; it wrote meanwhile what is not understood: %w", err,
					asked.wrong)
			}
			return none, id, err
		case <-p.Dead():
			select { // it may have answered before its end
			case a := <-answer:
				return a, 0, nil
			default:
			}
			return none, 0, p.Err()
		case <-p.token:
			awaitAnswer(ctx, p, answer)
		}
	}
}

// Answer passes an answer to what waits for it; false if nothing does. The first answer counts.
func (q *Questions[A]) Answer(id int, a A) bool {
	asked := q.take(id)
	if asked == nil {
		return false
	}
	asked.answer <- a
	return true
}

// Misread notes why a line of the program is not understood: it may have been meant as the answer
// to what waits.
func (q *Questions[A]) Misread(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, asked := range q.waiting {
		asked.wrong = err
	}
}

// Cause returns the context of what the program does by itself, for the question with the id
// parent. A line that names none may be for any question: it counts as caused by the one that is
// the end of the longest chain of actions, so that no circle is endless. The error reports a
// circle.
func (q *Questions[A]) Cause(parent string) (context.Context, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if id, err := strconv.Atoi(parent); err == nil && q.waiting[id] != nil {
		ctx, _, err := q.waiting[id].run.Cause() // it ends with what it is for
		return ctx, err
	}
	var last *engine.Run
	most := 0
	for _, asked := range q.waiting {
		_, depth, err := asked.run.Cause()
		if err != nil {
			return nil, err
		}
		if depth > most {
			last, most = asked.run, depth
		}
	}
	if last == nil {
		return context.Background(), nil
	}
	return last.CauseBeyond()
}
