// This file holds ext.tools: the tools, for scripts.

package host

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// toolCalls holds ext.tools.
type toolCalls struct{ made atomic.Uint64 }

func (x *toolCalls) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"tools.list": toolsList, "tools.call": x.callTool, "tools.only": toolsOnly,
	}
}

// toolsList lists what there is; which of them the script may call is in its header.
func toolsList(c *engine.HostCall) (any, error) {
	list := []any{}
	snap := c.Gen.Engine().Scripts.Snapshot()
	for _, name := range snap.ToolNames() {
		t := snap.Tool(name)
		list = append(list, chat.ToolSpec{Name: t.Name, Description: t.Description,
			Schema: t.Schema, Kind: t.Kind, ReadOnly: t.ReadOnly, Source: t.Source}.Value())
	}
	return list, nil
}

// toolsOnly says which tools models may have.
func toolsOnly(c *engine.HostCall) (any, error) {
	fn, _ := c.Args[0].(engine.Func)
	c.Gen.OnlyTools(fn, c.Pos.Line)
	return nil, nil
}

// callTool takes a call down the whole road. Whatever comes of it is a result, as a tool's run may
// return it.
func (x *toolCalls) callTool(c *engine.HostCall) (any, error) {
	const name = "ext.tools.call"
	args, err := value.JSONData(name+": args", c.Args[1])
	if err != nil {
		return nil, err
	}
	ctx, depth, err := c.Run.Cause()
	if err != nil {
		return resultValue(
			engine.ErrorResult(fmt.Sprintf("refused: tool calls of scripts nest at most %d deep",
				engine.MaxCallDepth))), nil
	}
	call := &engine.Call{ID: "script-" + strconv.FormatUint(x.made.Add(1), 10),
		Tool: c.Args[0].(string), Args: table(args), Origin: source(c), Env: c.Run.Env,
		Depth: depth}
	r := c.Gen.Engine().Dispatch(ctx, call)
	if err := c.Run.Err(); err != nil {
		return nil, err
	}
	return resultValue(r), nil
}

// resultValue is a result as scripts read it, and as a tool may return it.
func resultValue(r *engine.Result) map[string]any {
	v := map[string]any{"content": chat.BlockValues(r.Content), "is_error": r.IsError}
	if r.Details != nil {
		v["details"] = r.Details
	}
	if r.ForUser != "" {
		v["for_user"] = r.ForUser
	}
	if r.Silent {
		v["silent"] = true
	}
	if d := r.Display; d != nil {
		display := map[string]any{}
		for key, text := range map[string]string{"title": d.Title, "kind": d.Kind, "lang": d.Lang,
			"text": d.Text} {
			if text != "" {
				display[key] = text
			}
		}
		v["display"] = display
	}
	return v
}
