// This file says what shows the effect of each key that a handler of a tool's or a sub-agent's event may return.

package main

var toolEffects = map[string]scenario{
	"tool_call.args":  {returns: m{"args": m{"command": "echo rewritten"}}, sees: []string{`model2: rewritten\\n`, `-model2: out of the tool\\n`, "file: rewritten", `json: "event":"tool_start".*rewritten`}},
	"tool_call.tool":  {returns: m{"tool": "ls"}, does: []any{plays("call list {}", "say ok")}, files: map[string]string{"here/marker.txt": "x"}, sees: []string{"model2: here/", "-model2: unknown tool", "file: \"ran_tool\":\"ls\""}},
	"tool_call.block": {returns: m{"block": true, "reason": "not that"}, sees: []string{"model2: not that", "user: not that", "file: not that", `-json: "event":"tool_start"`, "resumed: not that"}},
	"tool_call.ask": {returns: m{"ask": "really?", "reason": "who knows", "detail": m{"why": "to be sure"}}, user: &user{no: true},
		sees: []string{"asked: really\\?", "asked: who knows", "asked: to be sure", "model2: the user says no", `-json: "event":"tool_start"`}},
	"tool_call.allow":   {returns: m{"allow": true}, grant: "permission.allow", args: []string{"--permission", "default"}, sees: []string{`model2: out of the tool\\n`, `json: "event":"tool_approval".*"source":"script"`}},
	"tool_call.respond": {returns: m{"respond": "I know that myself"}, sees: []string{"model2: I know that myself", `-json: "event":"tool_start"`, "file: I know that myself", "resumed: I know that myself"}},
	"tool_call.context": {returns: m{"context": "mind the gap"}, does: []any{plays(echo, "say ok"), "second prompt"}, sees: []string{"model2: mind the gap", "-model3: mind the gap", "-resumed: mind the gap"}},
	"tool_call.abort":   {returns: m{"abort": "prompt", "reason": "too much"}, sees: []string{"-model2: .", "status: error", "user: too much", `-json: "event":"tool_start"`}},
	"guard.block":       {returns: m{"block": true, "reason": "not that"}, sees: []string{"model2: not that", "user: not that", `-json: "event":"tool_start"`}},
	"guard.ask":         {returns: m{"ask": "really?", "detail": m{"why": "to be sure"}}, user: &user{}, sees: []string{"asked: really\\?", "asked: to be sure", `model2: out of the tool\\n`}},
	"tool_permission.allow": {returns: m{"allow": true}, grant: "permission.allow", args: []string{"--permission", "default"}, does: []any{plays(echo)},
		sees: []string{`model2: out of the tool\\n`}},
	"tool_permission.block": {returns: m{"block": true, "reason": "not that"}, files: fires["tool_permission"].files, user: &user{},
		sees: []string{"model2: not that", "-asked: .", `-json: "event":"tool_start"`}},
	"tool_permission.detail": {returns: m{"detail": m{"risk": "none at all"}}, files: fires["tool_permission"].files, user: &user{}, sees: []string{"asked: none at all", `model2: out of the tool\\n`}},
	"tool_result.content":    {returns: m{"content": "nothing to see"}, sees: []string{"model2: nothing to see", `-model2: out of the tool\\n`, "file: nothing to see", "resumed: nothing to see", `-resumed: out of the tool\\n`}},
	"tool_result.is_error":   {returns: m{"is_error": true}, sees: []string{`model2: "is_error":true`, `file: "is_error":true`, `resumed: "is_error":true`}},
	"tool_result.details":    {returns: m{"details": m{"seen": "by me"}}, sees: []string{`file: "seen":"by me"`}},
	"tool_result.for_user":   {returns: m{"for_user": "look here"}, sees: []string{`file: "for_user":"look here"`, `json: "for_user":"look here"`, "-model2: look here"}},
	"tool_result.silent":     {returns: m{"silent": true}, sees: []string{`file: "silent":true`, `json: "silent":true`, `model2: out of the tool\\n`}},
	"tool_result.context":    {returns: m{"context": "mind the gap"}, does: []any{plays(echo, "say ok"), "second prompt"}, sees: []string{"model2: mind the gap", "-model3: mind the gap"}},
	"tool_result.stop":       {returns: m{"stop": true, "reason": "that is all"}, sees: []string{"-model2: .", "status: stopped", "user: that is all", `file: out of the tool\\n`}},
	"tool_result.abort":      {returns: m{"abort": "prompt"}, sees: []string{"-model2: .", "status: error"}},
	"tool_batch_end.stop":    {returns: m{"stop": true, "reason": "that is all"}, sees: []string{"-model2: .", "status: stopped", "user: that is all"}},
	"tool_batch_end.context": {returns: m{"context": "mind the gap"}, does: []any{plays(echo, "say ok"), "second prompt"}, sees: []string{"model2: mind the gap", "-model3: mind the gap"}},
	"loop_detected.block":    {returns: m{"block": true, "reason": "round and round"}, sees: []string{"user: round and round", "model: round and round|^", "-model12: ."}},
	"loop_detected.ask":      {returns: m{"ask": "go on like that?"}, user: &user{no: true}, sees: []string{"asked: go on like that\\?", "-model12: ."}},
}

var otherEffects = map[string]scenario{
	"subagent_start.task": {returns: m{"task": "play\nsay something else"},
		sees: []string{"model3: something else", `-json: "event":"tool_start".*"tool":"bash".*echo below`}},
	"subagent_start.model":  {returns: m{"model": "played/other"}, sees: []string{`model2: "model":"other"`, `model1: "model":"m"`}},
	"subagent_start.tools":  {returns: m{"tools": []any{"ls"}}, sees: []string{`model2: "name":"ls"`, `-model2: "name":"bash"`, `model1: "name":"bash"`}},
	"subagent_start.block":  {returns: m{"block": true, "reason": "do it yourself"}, sees: []string{"model2: do it yourself", `-model: "purpose":"subagent"`}},
	"subagent_end.response": {returns: m{"response": "in other words"}, sees: []string{`model4: in other words`, `-model4: "call_id":"[^"]*","content":\[\{"text":"[^"]*done below`, "file: in other words"}},
}
