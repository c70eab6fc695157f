// This file decodes and encodes the JSON of the three APIs. Many servers are only roughly
// compatible: a field of an unexpected type must not invalidate the rest of an event.

package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/plain"
)

// decodeObject decodes the JSON object data into v. It skips fields whose values have the wrong
// type. An error means that data is not JSON, or neither an object nor null.
func decodeObject(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" { // the decoder has read the other fields
		return nil
	}
	return err
}

// encodeJSON encodes v as JSON without escaping <, > and &, which are frequent in source code.
func encodeJSON(v any) ([]byte, error) {
	return plain.JSON(v, "")
}

// encodeWith encodes v, a struct with fields, as JSON, with additional fields.
func encodeWith(v any, more map[string]any) ([]byte, error) {
	object, err := encodeJSON(v)
	if err != nil || len(more) == 0 {
		return object, err
	}
	rest, err := encodeJSON(more)
	if err != nil {
		return nil, err
	}
	object[len(object)-1] = ','
	return append(object, rest[1:]...), nil
}

// withList adds a list of items, which are JSON, to object, which is JSON and has at least one
// field. An empty list is omitted.
func withList(object []byte, name string, items [][]byte) []byte {
	pieces := make([][]byte, 0, 2*len(items))
	for i, item := range items {
		if i > 0 {
			pieces = append(pieces, jsonComma)
		}
		pieces = append(pieces, item)
	}
	return withPieces(object, name, pieces)
}

// withPieces is like withList, for a list in pieces, which together are the items with their
// commas.
func withPieces(object []byte, name string, pieces [][]byte) []byte {
	if len(pieces) == 0 || len(object) == 0 { // nothing, or it could not be encoded
		return object
	}
	size := len(object) + len(name) + len(`,"":[]`)
	for _, piece := range pieces {
		size += len(piece)
	}
	out := append(make([]byte, 0, size), object[:len(object)-1]...)
	out = append(append(append(out, `,"`...), name...), `":[`...)
	for _, piece := range pieces {
		out = append(out, piece...)
	}
	return append(out, "]}"...)
}

// present reports whether a field exists and is not null.
func present(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }

// wireText is a field that should be a string. Any other value is kept as JSON text: some servers
// send a number as an id, and an object as the arguments of a call.
type wireText string

func (t *wireText) UnmarshalJSON(data []byte) error {
	*t = wireText(textIn(data))
	return nil
}

// textIn returns the text in a field that should be a string; "" if it is missing or null.
func textIn(field json.RawMessage) string {
	if s, ok := quotedText(field); ok {
		return s
	}
	if !present(field) {
		return ""
	}
	return string(field)
}

// quotedText returns the string that a field holds; ok is false if it holds something else.
func quotedText(field json.RawMessage) (s string, ok bool) {
	if len(field) == 0 || field[0] != '"' {
		return "", false
	}
	return unquote(field), true
}

// unquote returns the text of a JSON string. It keeps invalid UTF-8, which encoding/json would
// replace: a server may end an event in the middle of a character, and the rest of it follows.
func unquote(data []byte) string {
	rest := data[1 : len(data)-1]
	if bytes.IndexByte(rest, '\\') < 0 {
		return string(rest)
	}
	var b strings.Builder
	for len(rest) > 0 {
		n := 0
		for n < len(rest) {
			r, size := utf8.DecodeRune(rest[n:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			n += size
		}
		var s string
		// data is valid JSON, and no escape is cut, because escapes are ASCII
		_ = json.Unmarshal([]byte(`"`+string(rest[:n])+`"`), &s)
		b.WriteString(s)
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return b.String()
}

// wireNumber is a field that should be an integer. It may be a string of digits, or have a fraction
// of 0.
type wireNumber int64

// mostNumber bounds numbers, which are tokens or indexes: a float64 holds all integers up to it.
const mostNumber = 1 << 53

func (n *wireNumber) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err != nil || math.IsNaN(f) {
		*n = 0
		return nil
	}
	*n = wireNumber(max(-mostNumber, min(f, mostNumber)))
	return nil
}

// wireList is a field that should be a list of objects. It is empty if the value is not one.
type wireList[T any] []T

func (l *wireList[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	var raw []json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	out := make([]T, len(raw))
	for i := range raw {
		if decodeObject(raw[i], &out[i]) != nil {
			return nil
		}
	}
	*l = out
	return nil
}
