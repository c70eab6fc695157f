package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

// The error codes. Source: JSON-RPC 2.0, "Error object"; ApplicationError is the first of those for
// servers.
const (
	ParseError       = -32700
	InvalidRequest   = -32600
	MethodNotFound   = -32601
	InvalidParams    = -32602
	InternalError    = -32603
	ApplicationError = -32000
)

// Error is an error for the client.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func asError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: ApplicationError, Message: plain.Error(err)}
}

// message is an outgoing message: a notification, a request to the client, or an answer.
type message struct {
	Method string
	Params any
	ID     json.RawMessage
	Result any
	Error  *Error
}

// encodeLine returns the message as one line.
func (m message) encodeLine() ([]byte, error) {
	b := []byte(`{"jsonrpc":"2.0"`)
	add := func(key string, v any) error {
		j, err := json.Marshal(v)
		b = append(append(b, `,"`+key+`":`...), j...)
		return err
	}
	var err error
	switch {
	case m.Method != "":
		if m.ID != nil { // a Call
			b = append(append(b, `,"id":`...), m.ID...)
		}
		if err = add("method", m.Method); err == nil {
			err = add("params", m.Params)
		}
	case m.Error != nil:
		b = append(append(b, `,"id":`...), m.ID...)
		err = add("error", m.Error)
	default:
		b = append(append(b, `,"id":`...), m.ID...)
		err = add("result", m.Result)
	}
	return append(b, '}', '\n'), err
}

var null = []byte("null")

// keys are the fields of a request.
var keys = []string{"jsonrpc", "id", "method", "params"}

// parseRequest parses a request. An invalid one is returned with its id if that is valid.
func parseRequest(line []byte) (*Request, *Error) {
	r := &Request{}
	switch {
	case !utf8.Valid(line):
		return r, Errorf(ParseError, "parse error: the line is not UTF-8")
	case !json.Valid(line):
		var v any
		return r, Errorf(ParseError, "parse error: %s", plain.Error(json.Unmarshal(line, &v)))
	case line[0] == '[':
		return r, Errorf(InvalidRequest, "batches are not supported: send one request per line")
	case line[0] != '{':
		return r, Errorf(InvalidRequest, "invalid request: got %.40s, want an object", line)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return r, Errorf(ParseError, "parse error: %s", plain.Error(err))
	}
	return r, r.readFields(fields)
}

// readFields sets the fields of the request.
func (r *Request) readFields(fields map[string]json.RawMessage) *Error {
	wrong := func(format string, args ...any) *Error {
		return Errorf(InvalidRequest, "invalid request: "+format, args...)
	}
	_, answered := fields["result"]
	answered = answered || fields["error"] != nil
	if id, given := fields["id"]; given {
		if !isID(id) && !answered {
			return wrong("id: got %.40s, want a string or a number; without an id it is a "+
				"notification", id)
		}
		r.id = id
	}
	if answered {
		var err *Error
		r.answer, err = readAnswer(fields)
		return err
	}
	for k := range fields {
		if !slices.Contains(keys, k) {
			return wrong("unknown key %.40q; there is %s", k, strings.Join(keys, ", "))
		}
	}
	if version := fields["jsonrpc"]; string(version) != `"2.0"` {
		return wrong(`jsonrpc: got %.40s, want "2.0"`, or(version, "nothing"))
	}
	if err := json.Unmarshal(fields["method"], &r.Method); err != nil || r.Method == "" {
		return wrong("method: got %.40s, want the name of a method",
			or(fields["method"], "nothing"))
	}
	switch params := fields["params"]; {
	case params == nil || bytes.Equal(params, null):
	case params[0] != '{':
		return Errorf(InvalidParams, "%s: params: got %.40s, want an object: parameters have names",
			r.Method, params)
	default:
		r.Params = params
	}
	return nil
}

func isID(id json.RawMessage) bool {
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

func or(text json.RawMessage, otherwise string) string {
	if len(text) == 0 {
		return otherwise
	}
	return string(text)
}
