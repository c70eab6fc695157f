// This file parses the answers of stubs.

package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// answers returns the keys of a stub's answer, by its kind. A plain text stands for the first one.
func answers(kind string) []value.Field {
	failure := []value.Field{{Name: "error", Type: "string?"}, {Name: "message", Type: "string?"}}
	switch kind {
	case "exec":
		return append([]value.Field{{Name: "stdout", Type: "string?"},
			{Name: "stderr", Type: "string?"}, {Name: "code", Type: "integer?"},
			{Name: "timed_out", Type: "boolean?"}}, failure...)
	case "http":
		return append([]value.Field{{Name: "body", Type: "string|list?"},
			{Name: "json", Type: "any?"}, {Name: "status", Type: "integer?"},
			{Name: "headers", Type: "table?"}}, failure...)
	}
	return append([]value.Field{{Name: "text", Type: "string|list?"}, {Name: "data", Type: "any?"},
		{Name: "usage", Type: "table?"}, {Name: "cost", Type: "number?"},
		{Name: "finish_reason", Type: "string?"}}, failure...)
}

// wrong returns the error for a stub's invalid answer.
func (x *stub) wrong(kind string, err error) error {
	return fmt.Errorf("the stub of %s (%s:%d) returned %w", kind, x.file, x.line, err)
}

// UnstubbedError is the error of a function that needs the outside world and has no stub in the
// test.
type UnstubbedError struct {
	Name string // "ext.exec"
	Kind string // of the missing stub
}

func (e *UnstubbedError) Error() string {
	return fmt.Sprintf("%s does nothing in a test: say what it answers with t.stub(%q, function)",
		e.Name, e.Kind)
}

// askStub calls the stub of a kind. The error is the stub's own, or a world error if it answers
// with one.
func (s *stubs) askStub(c *engine.HostCall, kind, name string) (map[string]any, *stub, error) {
	x := s.get(kind)
	if x == nil {
		return nil, nil, &UnstubbedError{name, kind}
	}
	v, err := x.fn.Call(c.Run, request(name, c.Args))
	if err != nil {
		return nil, nil, err
	}
	m, err := x.answerCall(kind, name, v)
	return m, x, err
}

// answerCall parses the return value of a stub.
func (x *stub) answerCall(kind, name string, v any) (map[string]any, error) {
	fields := answers(kind)
	switch given := v.(type) {
	case nil:
		v = map[string]any{}
	case string:
		v = map[string]any{fields[0].Name: given}
	case map[string]any, value.Object:
	default:
		return nil, x.wrong(kind, fmt.Errorf("%s, want text, a table or nothing",
			value.TypeName(v)))
	}
	args, err := value.CheckArgs("", []value.Field{
		{Name: "answer", Type: "table", Fields: fields}}, []any{v})
	if err != nil {
		return nil, x.wrong(kind,
			errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), ": "), "answer: ")))
	}
	m := args[0].(map[string]any)
	if code, ok := m["error"].(string); ok {
		text, _ := m["message"].(string)
		if text == "" {
			text = name + ": " + code
		}
		return nil, &fault.WorldError{Code: code, Message: text}
	}
	return m, nil
}

// pieces parses a text, or a list of its pieces.
func pieces(v any) ([]string, error) {
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("a list with %s in it, want text", value.TypeName(e))
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, nil
}

// runStub answers for a program; it implements host.Outside.Run.
func (s *stubs) runStub(c *engine.HostCall, name string) (host.Ran, error) {
	m, _, err := s.askStub(c, "exec", name)
	if err != nil {
		return host.Ran{}, err
	}
	code, _ := value.Number(m["code"])
	late, _ := m["timed_out"].(bool)
	return host.Ran{Code: int(code), Stdout: value.Text(m, "stdout"),
		Stderr: value.Text(m, "stderr"), TimedOut: late}, nil
}

// sendStub answers for a server; it implements host.Outside.Send.
func (s *stubs) sendStub(c *engine.HostCall, name string, req *http.Request) (*http.Response,
	error) {
	m, x, err := s.askStub(c, "http", name)
	if err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req}
	if n, ok := value.Number(m["status"]); ok {
		resp.StatusCode = int(n)
	}
	headers, _ := m["headers"].(map[string]any)
	for _, key := range value.SortedKeys(headers) {
		val, ok := headers[key].(string)
		if !ok {
			return nil, x.wrong("http", fmt.Errorf("headers.%s: got %s, want string", key,
				value.TypeName(headers[key])))
		}
		resp.Header.Set(key, val)
	}
	parts, err := pieces(m["body"])
	if data, given := m["json"]; given && err == nil {
		if parts != nil {
			err = fmt.Errorf("both body and json, want one of them")
		}
		parts = []string{compact(data)}
	}
	if err != nil {
		return nil, x.wrong("http", err)
	}
	resp.Body = &body{parts}
	return resp, nil
}

// body is a body in pieces: each read returns one, or a part of it.
type body struct{ pieces []string }

func (b *body) Read(into []byte) (int, error) {
	for len(b.pieces) > 0 && b.pieces[0] == "" {
		b.pieces = b.pieces[1:]
	}
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(into, b.pieces[0])
	b.pieces[0] = b.pieces[0][n:]
	return n, nil
}

func (b *body) Close() error { return nil }

// complete implements ext.llm.complete with the stub's answer. It calls the script's on_delta with
// the pieces of the text.
func (s *stubs) complete(c *engine.HostCall) (any, error) {
	const name = "ext.llm.complete"
	m, x, err := s.askStub(c, "llm", name)
	if err != nil {
		return nil, err
	}
	asked, _ := c.Args[0].(map[string]any)
	parts, err := pieces(m["text"])
	if err != nil {
		return nil, x.wrong("llm", err)
	}
	out := map[string]any{"finish_reason": "stop", "usage": chat.Usage{}.Value()}
	maps.Copy(out, m)
	out["text"] = strings.Join(parts, "")
	switch _, given := m["data"]; {
	case given && parts == nil:
		out["text"] = compact(m["data"])
	case !given && asked["schema"] != nil:
		var data any
		if err := json.Unmarshal([]byte(out["text"].(string)), &data); err != nil {
			return nil, x.wrong("llm",
				fmt.Errorf("%.40q, want JSON, or data: the script asks with a schema", out["text"]))
		}
		out["data"] = data
	}
	if fn, ok := asked["on_delta"].(engine.Func); ok {
		for _, part := range parts {
			if _, err := fn.Call(c.Run, part); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// request returns the request for a stub: the function's name as call, and its arguments by name.
// If the keys of a table argument are known, they are added; functions are left out.
func request(name string, args []any) map[string]any {
	name = strings.TrimPrefix(name, "ext.")
	m := map[string]any{"call": name}
	rows := spec.API()
	i := slices.IndexFunc(rows, func(r engine.APIRow) bool { return r.Name == name })
	if i < 0 {
		return m
	}
	for i, p := range rows[i].Params {
		fields, isTable := args[i].(map[string]any)
		if !isTable || len(p.Fields) == 0 {
			fields = map[string]any{p.Name: args[i]}
		}
		for k, v := range fields {
			if _, isFunc := v.(engine.Func); !isFunc && v != nil {
				m[k] = v
			}
		}
	}
	return m
}
