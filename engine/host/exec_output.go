// This file receives the output of a program: it keeps a bounded part, and delivers lines.

package host

import (
	"fmt"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// outputKept is how many bytes of each end of a stream are kept: far more than anyone reads,
	// and little enough for ext.regex to search both together.
	outputKept = 1_000_000
	// lineBytes is the longest line that is delivered whole: longer ones are not text lines.
	lineBytes = 64 << 10
	// linesWaiting is how many bytes of lines may wait for a slow on_line before the program is
	// blocked.
	linesWaiting = 256 << 10
	// linesLate is how many bytes may wait once the program has ended: the content of a full pipe
	// still fits.
	linesLate = 2 << 20
)

// output is the output of a program.
type output struct {
	mu      sync.Mutex
	more    *sync.Cond // output was added, or taken
	lines   bool       // are requested
	kept    [2]ends
	part    [2]string // of an incomplete line
	queue   []outLine
	waiting int // bytes in queue
	quit    bool
	over    bool
}

type outLine struct{ text, stream string }

func newOutput(lines bool) *output {
	o := &output{lines: lines}
	o.more = sync.NewCond(&o.mu)
	return o
}

var streamNames = [2]string{"stdout", "stderr"}

// addOutput adds a chunk; see process.Command. It waits while too much waits for on_line.
func (o *output) addOutput(chunk string, stderr bool) {
	i := 0
	if stderr {
		i = 1
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return
	}
	o.kept[i].addBytes(chunk)
	if !o.lines {
		return
	}
	for chunk = o.part[i] + chunk; ; {
		line, rest, whole := strings.Cut(chunk, "\n")
		if n := len(line); n > lineBytes {
			n = len(plain.Head(line, lineBytes))
			line, rest, whole = line[:n], chunk[n:], true
		}
		if !whole {
			break
		}
		o.push(line, i)
		chunk = rest
	}
	o.part[i] = chunk
	for o.waiting > linesWaiting && !o.quit {
		o.more.Wait()
	}
}

// push queues a line. Under o.mu.
func (o *output) push(line string, stream int) {
	if o.quit && o.waiting > linesLate {
		return
	}
	o.queue = append(o.queue, outLine{strings.TrimSuffix(line, "\r"), streamNames[stream]})
	o.waiting += len(line) + 1
	o.more.Broadcast()
}

// ended reports that the program has ended: the rest of its pipes is read without waiting.
func (o *output) ended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.quit = true
	o.more.Broadcast()
}

// endOutput reports that no more output comes.
func (o *output) endOutput() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, part := range o.part {
		if part != "" {
			o.push(part, i)
		}
	}
	o.over = true
	o.more.Broadcast()
}

// nextLine waits for the next line; false if there are no more.
func (o *output) nextLine() (outLine, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.over {
		o.more.Wait()
	}
	if len(o.queue) == 0 {
		return outLine{}, false
	}
	l := o.queue[0]
	o.queue = o.queue[1:]
	o.waiting -= len(l.text) + 1
	o.more.Broadcast()
	return l, true
}

// waitOutput waits until no more output comes.
func (o *output) waitOutput() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.over {
		o.more.Wait()
	}
}

// result returns what the script gets. It is called when the output has ended.
func (o *output) result(code int, timedOut bool) map[string]any {
	stdout, left := o.kept[0].text()
	stderr, more := o.kept[1].text()
	r := map[string]any{"code": code, "stdout": stdout, "stderr": stderr, "timed_out": timedOut}
	if left+more > 0 {
		r["left_out"] = left + more
	}
	return r
}

// ends keeps the beginning and the end of a text.
type ends struct {
	head, tail []byte
	bytes      int // of the text
}

func (e *ends) addBytes(chunk string) {
	e.bytes += len(chunk)
	if n := min(len(chunk), outputKept-len(e.head)); n > 0 {
		e.head = append(e.head, chunk[:n]...)
		chunk = chunk[n:]
	}
	e.tail = plain.AppendTail(e.tail, chunk, outputKept)
}

// text returns the kept text, with a line that says how many bytes are missing.
func (e *ends) text() (text string, left int) {
	head, tail := e.head, plain.Tail(e.tail, outputKept)
	if len(head)+len(tail) == e.bytes {
		return string(head) + string(tail), 0
	}
	head = head[:len(head)-plain.Unfinished(head)]
	left = e.bytes - len(head) - len(tail)
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", head, left, tail), left
}
