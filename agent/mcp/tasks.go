// This file leaves out tools that run as tasks only, which the SDK does not tell us of: so it reads
// the answers besides.

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

// noteTasks notes the tools in an answer that run as tasks only, which we cannot call: the SDK does
// not read that.
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

// withoutTasks leaves out the tools that run as tasks only, and says so.
func (c *connection) withoutTasks(tools []*sdk.Tool) []*sdk.Tool {
	c.mu.Lock()
	tasks := slices.Clone(c.tasks)
	c.mu.Unlock()
	kept := slices.DeleteFunc(tools, func(t *sdk.Tool) bool {
		return t != nil &&
			slices.Contains(tasks, t.Name)
	})
	if len(kept) < len(tools) {
		c.s.notifyChange("warn", "left out, as they run as tasks only, which are not supported: %s",
			plain.Clip(fmt.Sprintf("%q", tasks), shownTasks))
	}
	return kept
}

// shownTasks bounds the names in that notice, in bytes.
const shownTasks = 300

// ear hears the messages in the body of an answer over HTTP, while somebody listens. The SDK reads
// that body itself.
type ear struct {
	listening *atomic.Int32 // > 0: tools are being listed
	stream    bool          // it is one of events; else one message
	heard     func(result []byte)

	line, data []byte
}

// hear is given the next piece of the body.
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
