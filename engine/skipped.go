package engine

// EmitSkipped tells of a call that does not take the road, as Dispatch does of one that ends on it.
// cause and reason are those of tool_skipped.
func (e *Engine) EmitSkipped(call *Call, cause, reason string) {
	d := &dispatch{e: e, call: call, tool: call.Tool, args: call.Args, snap: e.Scripts.acquire()}
	defer d.snap.release()
	d.skip(cause, reason, nil)
}
