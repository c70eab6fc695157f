// This file implements ext.tools: access of scripts to tools.

package host

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// toolCalls implements ext.tools.
type toolCalls struct{ made atomic.Uint64 }

func (x *toolCalls) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"tools.list": toolsList, "tools.call": x.callTool, "tools.only": toolsOnly,
	}
}

// toolsList lists all tools; the script's header says which of them it may call.
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

// toolsOnly restricts the tools that models may use.
func toolsOnly(c *engine.HostCall) (any, error) {
	fn, _ := c.Args[0].(engine.Func)
	c.Gen.OnlyTools(fn, c.Pos.Line)
	return nil, nil
}

// callTool dispatches a call. Every outcome is a result, in the form that a tool's run may return.
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

// resultValue converts a result for scripts, in the form that a tool may return.
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
