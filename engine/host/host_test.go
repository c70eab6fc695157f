// This file tests API functions without an interpreter.

package host

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

type object = map[string]any

func TestShortForm(t *testing.T) {
	tests := []struct {
		in   object
		want string // JSON, or part of the error
	}{
		{nil, `{"properties":{},"type":"object"}`},
		{object{}, `{"additionalProperties":false,"properties":{},"required":[],"type":"object"}`},
		{object{"city": "string: name of the city", "days": "integer?: how many",
			"unit": "c|f?: scale", "tags": "string[]?", "x": "any"},
			`{"additionalProperties":false,"properties":{"city":{"description":"name of the ` +
				`city","type":"string"},"days":{"description":"how many","type":"integer"},` +
				`"tags":{"items":{"type":"string"},"type":"array"},"unit":{"description":"scale",` +
				`"enum":["c","f"],"type":"string"},"x":{}},` +
				`"required":["city","x"],"type":"object"}`},
		{object{"at": object{"lat": "number"}},
			`{"additionalProperties":false,"properties":{"at":{"additionalProperties":false,` +
				`"properties":{"lat":{"type":"number"}},"required":["lat"],"type":"object"}},` +
				`"required":["at"],"type":"object"}`},
		{object{"n": object{"type": "integer", "minimum": 1.0}},
			`{"additionalProperties":false,"properties":{"n":{"minimum":1,"type":"integer"}},` +
				`"required":["n"],"type":"object"}`},
		{object{"type": "object", "required": object{},
			"properties": object{"required": object{},
				"list": object{"anyOf": []any{object{"enum": object{}}}}}},
			`{"properties":{"list":{"anyOf":[{"enum":[]}]},"required":{}},` +
				`"required":[],"type":"object"}`},
		{object{"a": "strnig"}, `a: unknown type "strnig"; did you mean "string"?`},
		{object{"a": ""}, `a: got "", want text like`},
		{object{"a": 5.0}, `a: got number, want text like`},
		{object{"a": object{"b": true}}, `a: b: got boolean`},
	}
	for _, tt := range tests {
		schema, err := schemas.Full(tt.in)
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v: got %v, want %s", tt.in, err, tt.want)
			}
			continue
		}
		got, _ := json.Marshal(schema)
		if string(got) != tt.want {
			t.Errorf("%v: got\n%s\nwant\n%s", tt.in, got, tt.want)
		}
		if _, err := (schemas.Compiler{}).Compile(schema); err != nil &&
			!strings.Contains(tt.want, `"enum":[]`) {
			t.Errorf("%v: does not compile: %v", tt.in, err)
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	schema, err := schemas.Full(object{"city": "string", "days": "integer?", "unit": "c|f?"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := schemas.Compiler{}.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args object
		want []string // parts of the error; none: the arguments are valid
	}{
		{object{"city": "x", "days": 2.0}, nil},
		{object{}, []string{"city"}},
		{object{"city": 1.0, "days": 1.5}, []string{"city: got number, want string", "days: "}},
		{object{"city": "x", "town": "y"}, []string{"town"}},
		{object{"city": "x", "d": 1.0, "b": 1.0, "a": 1.0, "c": 1.0},
			[]string{"additional properties 'a', 'b', 'c', 'd' not allowed"}},
		{object{"city": "x", "unit": "k"}, []string{"unit: "}},
	}
	for _, tt := range tests {
		err := v.Validate(tt.args)
		if (err == nil) != (tt.want == nil) {
			t.Errorf("%v: %v", tt.args, err)
		}
		for _, part := range tt.want {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%v: got %v, want %s in it", tt.args, err, part)
			}
		}
	}
	for _, bad := range []object{{"type": "objct"}, {"type": "object", "required": "city"},
		{"$ref": "file:///etc/passwd"}, {"$ref": "http://localhost/x"}} {
		if _, err := (schemas.Compiler{}).Compile(bad); err == nil {
			t.Errorf("%v compiles", bad)
		}
	}
}

// TestSchemaBounds: the error about a value out of bounds names the bound.
func TestSchemaBounds(t *testing.T) {
	v, err := schemas.Compiler{}.Compile(object{"type": "object",
		"properties": object{"from": object{"minimum": 1.0}, "to": object{"maximum": 9.0},
			"above": object{"exclusiveMinimum": 0.0}, "below": object{"exclusiveMaximum": 0.5},
			"some": object{"minItems": 1.0, "maxItems": 2.0}}})
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string]object{
		"from: got -1, want at least 1":          {"from": -1.0},
		"to: got 9.5, want at most 9":            {"to": 9.5},
		"above: got 0, want more than 0":         {"above": 0.0},
		"below: got 0.5, want less than 0.5":     {"below": 0.5},
		"some: got a list of 0, want at least 1": {"some": []any{}},
		"some: got a list of 3, want at most 2":  {"some": []any{1.0, 2.0, 3.0}},
	} {
		if err := v.Validate(args); err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", args, err, want)
		}
	}
}

// TestInvalidSchema: errors about invalid schemas name the place.
func TestInvalidSchema(t *testing.T) {
	for want, schema := range map[string]object{
		"properties: got number, want object": {"type": "object", "properties": 5.0},
		"properties/a/type: ": {"type": "object",
			"properties": object{"a": object{"type": "strng"}}},
	} {
		if _, err := (schemas.Compiler{}).Compile(schema); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestEveryRowHasAFunction(t *testing.T) {
	funcs := New(Options{}).Funcs()
	for _, row := range spec.API() {
		if f := funcs[row.Name]; (f == nil) != row.Fact {
			t.Errorf("ext.%s: fact %v, function %v", row.Name, row.Fact, f != nil)
		}
		delete(funcs, row.Name)
	}
	for name := range funcs {
		t.Errorf("ext.%s has no row", name)
	}
	seen := map[string]bool{}
	for _, family := range New(Options{}).families() {
		for name := range family {
			if seen[name] {
				t.Errorf("ext.%s is in two families", name)
			}
			seen[name] = true
		}
	}
}

// call calls a host function in a run without a script.
func call(f engine.HostFunc, args ...any) (any, error) {
	run := engine.NewRun(context.Background(), nil, vm.KindCommand, "test", &event.Envelope{},
		nil)
	defer run.End()
	return f(&engine.HostCall{Run: run, Args: args})
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		v    any
		opts any
		want string
	}{
		{object{"b": 1.0, "a": []any{true, nil, "<x>"}}, nil, `{"a":[true,null,"<x>"],"b":1}`},
		{[]any{}, nil, `[]`}, {object{}, nil, `{}`}, {1e21, nil, `1e+21`}, {nil, nil, `null`},
		{object{"a": 1.0}, object{"indent": 2.0}, "{\n  \"a\": 1\n}"},
	} {
		got, err := call(jsonEncode, tt.v, tt.opts)
		if err != nil || got != tt.want {
			t.Errorf("%v: got %v, %v", tt.v, got, err)
		}
	}
	var deep any = 1.0
	for range value.MaxDepth + 2 {
		deep = []any{deep}
	}
	if _, err := call(jsonEncode, deep, nil); err == nil ||
		!strings.Contains(err.Error(), "ext.json.encode: value: nested deeper") {
		t.Errorf("too deep: %v", err)
	}
	if v, err := call(jsonDecode, `{"a":[1,null]}`); err != nil ||
		len(v.(object)["a"].([]any)) != 2 {
		t.Errorf("decode: %v, %v", v, err)
	}
	var world *fault.WorldError
	for _, bad := range []string{"", "{", "[1] 2", "nul", strings.Repeat("[", 100_000),
		strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if _, err := call(jsonDecode, bad); !errors.As(err, &world) || world.Code != "invalid" {
			t.Errorf("%.10q: %v", bad, err)
		}
	}
}

func TestLog(t *testing.T) {
	home := t.TempDir()
	table := New(Options{Home: home})
	write := func(args ...any) { table.logs.write("../evil.lua", "info", words(args)) }
	write("one")
	write(object{"a": 1.0}, "two\nlines")
	write(nil)
	path := filepath.Join(home, "logs", "..-evil.lua.log") // inside of logs
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(string(text), "info  null\n") ||
		!strings.Contains(string(text), `info  {"a":1} two`+"\n    lines\n") {
		t.Errorf("the log is %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the log: %v, %v", info.Mode(), err)
	}
	write(strings.Repeat("x", logSize))
	write("new file")
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("a full log is not renamed: %v", err)
	}
	if text, _ := os.ReadFile(path); len(text) > 100 {
		t.Errorf("the new log has %d bytes", len(text))
	}
	table.Close()
	New(Options{}).logs.write("x", "info", "nowhere to go")
}

// answer is a function of a script that returns after all functions have been called.
type answer struct {
	wg  *sync.WaitGroup
	v   any
	err error
}

// IsFunction implements engine.Func.
func (answer) IsFunction() {}

func (a answer) Call(*engine.Run, ...any) (any, error) {
	a.wg.Done()
	a.wg.Wait()
	if a.v == "panic" {
		panic("boom")
	}
	return a.v, a.err
}

func TestAllRunsConcurrently(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wg sync.WaitGroup
		wg.Add(3)
		got, err := call(all, []any{answer{&wg, 1.0, nil}, answer{&wg, nil, nil},
			answer{&wg, "x", nil}})
		if l, _ := got.([]any); err != nil || len(l) != 3 || l[0] != 1.0 || l[2] != "x" {
			t.Errorf("got %v, %v", got, err)
		}
		boom := errors.New("boom")
		wg.Add(3)
		if _, err := call(all, []any{answer{&wg, 1.0, nil}, answer{&wg, nil, boom},
			answer{&wg, "panic", nil}}); err != boom {
			t.Errorf("got %v, want the first error", err)
		}
		wg.Add(1)
		if _, err := call(all, []any{answer{&wg, "panic", nil}}); err == nil ||
			!strings.Contains(err.Error(), "functions[1]: internal error: boom") {
			t.Errorf("got %v", err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the functions do not run concurrently")
	}
	if _, err := call(all, []any{5.0}); err == nil ||
		!strings.Contains(err.Error(), "functions[1]: got number, want function") {
		t.Errorf("got %v", err)
	}
	if _, err := call(all, make([]any, maxTogether+1)); err == nil {
		t.Error("too many functions ran")
	}
}

func TestFailKeepsItsFields(t *testing.T) {
	_, err := call(fail, object{"message": "busy", "status": 429.0, "retryable": true,
		"retry_after": 1.5})
	var f *fault.FailError
	if !errors.As(err, &f) || f.Status != 429 || !f.Retryable || f.RetryAfter != 1.5 ||
		f.Error() != "busy" {
		t.Errorf("got %#v", err)
	}
}

func TestSleepEndsWithItsRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	run := engine.NewRun(ctx, nil, vm.KindCommand, "test", nil, nil)
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := sleep(&engine.HostCall{Run: run, Args: []any{3600.0}}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []float64{-1, 1e300} {
		if _, err := call(sleep, bad); err == nil {
			t.Errorf("slept for %v seconds", bad)
		}
	}
}
