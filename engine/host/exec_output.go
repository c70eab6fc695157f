// This file takes what a program writes: it keeps a bounded part, and hands on lines.

package host

import (
	"strconv"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// outputKept is how much of each end of a stream is kept, in bytes: far more than is read; both
	// together can be searched by ext.regex.
	outputKept = 1_000_000
	// lineBytes is the longest line that is handed on as one: what writes longer ones does not mean
	// lines.
	lineBytes = 64 << 10
	// linesWaiting is how many bytes of lines may wait for a slow on_line before the program is
	// held up.
	linesWaiting = 256 << 10
	// linesLate is how many may once the program has ended: what a pipe can hold still comes.
	linesLate = 2 << 20
)

// output is what a program writes.
type output struct {
	mu      sync.Mutex
	more    *sync.Cond // something came, or was taken
	lines   bool       // are wanted
	kept    [2]ends
	part    [2]string // of a line that is not whole
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

// addOutput takes what came; see process.Command. It waits while too much waits for on_line.
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
			n = lineBytes - plain.Unfinished(line[:lineBytes])
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

// push hands on a line. Under o.mu.
func (o *output) push(line string, stream int) {
	if o.quit && o.waiting > linesLate {
		return
	}
	o.queue = append(o.queue, outLine{strings.TrimSuffix(line, "\r"), streamNames[stream]})
	o.waiting += len(line) + 1
	o.more.Broadcast()
}

// ended says that the program has ended: what it left in its pipes is taken without waiting.
func (o *output) ended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.quit = true
	o.more.Broadcast()
}

// endOutput says that nothing more comes.
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

// nextLine waits for the next line; false: there are no more.
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

// waitOutput waits until nothing more comes.
func (o *output) waitOutput() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.over {
		o.more.Wait()
	}
}

// result is what the script gets. Once over.
func (o *output) result(code int, timedOut bool) map[string]any {
	r := map[string]any{"code": code, "stdout": o.kept[0].text(), "stderr": o.kept[1].text(),
		"timed_out": timedOut}
	if n := o.kept[0].left + o.kept[1].left; n > 0 {
		r["left_out"] = n
	}
	return r
}

// ends are the beginning and the end of a text.
type ends struct {
	head, tail []byte
	left       int // bytes between them that were left out
}

func (e *ends) addBytes(chunk string) {
	if n := min(len(chunk), outputKept-len(e.head)); n > 0 {
		e.head = append(e.head, chunk[:n]...)
		chunk = chunk[n:]
	}
	e.tail = append(e.tail, chunk...)
	if len(e.tail) > 2*outputKept { // not each time: it moves a megabyte
		e.cut()
	}
}

// cut leaves no more of the tail than is kept.
func (e *ends) cut() {
	if n := len(e.tail) - outputKept; n > 0 {
		e.left += n
		e.tail = append(e.tail[:0], e.tail[n:]...)
	}
}

// text is what was kept, with a line that says what is missing.
func (e *ends) text() string {
	e.cut()
	if e.left == 0 {
		return string(e.head) + string(e.tail)
	}
	head := strings.ToValidUTF8(string(e.head), "")
	tail := strings.ToValidUTF8(string(e.tail), "")
	e.left += len(e.head) - len(head) + len(e.tail) - len(tail)
	return head + "\n[" + strconv.Itoa(e.left) + " bytes left out]\n" + tail
}
