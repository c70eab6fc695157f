// This file finds tools that only run as tasks, which the SDK does not report, by reading the
// answers in parallel.

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine/plain"
)

// noteTasks records the tools in an answer that only run as tasks, which cannot be called here.
func (c *connection) noteTasks(result []byte) {
	if !bytes.Contains(result, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Tools []struct {
			Name      string `json:"name"`
			Execution struct {
				TaskSupport string `json:"taskSupport"`
			} `json:"execution"`
		} `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range list.Tools {
		c.tasks = slices.DeleteFunc(c.tasks, func(name string) bool { return name == t.Name })
		if t.Execution.TaskSupport == "required" {
			c.tasks = append(c.tasks, t.Name)
		}
	}
}

// withoutTasks removes the tools that only run as tasks, and reports them.
func (c *connection) withoutTasks(tools []*sdk.Tool) []*sdk.Tool {
	c.mu.Lock()
	tasks := slices.Clone(c.tasks)
	c.mu.Unlock()
	kept := slices.DeleteFunc(tools, func(t *sdk.Tool) bool {
		return t != nil &&
			slices.Contains(tasks, t.Name)
	})
	if len(kept) < len(tools) {
		c.s.notifyChange("warn", "left out, as they only run as tasks, which is not supported: %s",
			plain.Clip(fmt.Sprintf("%q", tasks), shownTasks))
	}
	return kept
}

// shownTasks limits the names in that report, in bytes.
const shownTasks = 300

// ear reads the messages in the body of an HTTP answer while tools are being listed. The SDK reads
// the body itself.
type ear struct {
	listening *atomic.Int32 // > 0: tools are being listed
	stream    bool          // a stream of events; otherwise one message
	heard     func(result []byte)

	line, data []byte
}

// hear handles the next piece of the body.
func (e *ear) hear(piece []byte) {
	if e.listening.Load() == 0 || len(e.line)+len(e.data) > maxMessage {
		e.line, e.data = nil, nil
		return
	}
	if !e.stream {
		e.data = append(e.data, piece...)
		return
	}
	for {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			e.line = append(e.line, piece...)
			return
		}
		line := bytes.TrimSuffix(append(e.line, piece[:end]...), []byte("\r"))
		e.line, piece = nil, piece[end+1:]
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			e.data = append(e.data, text...)
		} else if len(line) == 0 {
			e.reportFailure()
		}
	}
}

// reportFailure is called at the end of a message.
func (e *ear) reportFailure() {
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(e.data, &m) == nil && m.Result != nil {
		e.heard(m.Result)
	}
	e.data = nil
}
