// This file writes JSON, and describes errors in JSON or base64 texts, and in values to be encoded.

package plain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// JSON returns v as JSON, with <, > and & as they are, each level indented by indent; "" = all on
// one line. It does not end with a newline. The errors are those of encoding/json.
func JSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// wanted maps the state messages of encoding/json to what JSON requires there.
var wanted = []struct{ state, want string }{
	{"looking for beginning of value", "want a value"},
	{"looking for beginning of object key string", `want a key in double quotes`},
	{"after object key:value pair", `want "," or "}"`},
	{"after object key", `want ":"`},
	{"after array element", `want "," or "]"`},
	{"after top-level value", "want no more: the value has ended"},
	{"in string literal", "want it escaped: it is in a string"},
	{"in string escape code", `want an escape such as \n or \\`},
	{"hexadecimal character escape", `want four hexadecimal digits after \u`},
	{"in literal true", "want true"},
	{"in literal false", "want false"},
	{"in literal null", "want null"},
	{"numeric literal", "want a digit of a number"},
}

// encoding rewords an error of encoding/json or encoding/base64.
func encoding(err error) (say string, ok bool) {
	switch e := err.(type) {
	case *json.SyntaxError:
		return syntax(e), true
	case *json.UnmarshalTypeError:
		return mismatch(e), true
	case *json.UnsupportedTypeError:
		return "JSON cannot hold a " + e.Type.Kind().String(), true
	case *json.UnsupportedValueError:
		if k := e.Value.Kind(); k == reflect.Float32 || k == reflect.Float64 {
			return "JSON cannot hold the number " + e.Str, true
		}
		return "JSON cannot hold a value that contains itself", true
	case *json.MarshalerError:
		return Error(e.Err), true
	case base64.CorruptInputError:
		return fmt.Sprintf("the character at byte %d does not belong there", int64(e)), true
	}
	return "", false
}

// syntax says where a text is not JSON, and what was expected there.
func syntax(e *json.SyntaxError) string {
	text := e.Error()
	if strings.HasPrefix(text, "unexpected end of JSON input") {
		return "the JSON ends too early"
	}
	got, isChar := strings.CutPrefix(text, "invalid character ")
	if !isChar {
		return fmt.Sprintf("not JSON at byte %d: %s", e.Offset, text)
	}
	for _, w := range wanted {
		if char, _, ok := strings.Cut(got, " "+w.state); ok {
			return fmt.Sprintf("not JSON at byte %d: got %s, %s", e.Offset, charOf(char), w.want)
		}
		if char, rest, ok := strings.Cut(got, " in "); ok && strings.Contains(rest, w.state) {
			return fmt.Sprintf("not JSON at byte %d: got %s, %s", e.Offset, charOf(char), w.want)
		}
	}
	return fmt.Sprintf("not JSON at byte %d: got %s", e.Offset, got)
}

// charOf returns the character that encoding/json names, without the state it was in.
func charOf(text string) string {
	if end := strings.LastIndex(text, "'"); end > 0 {
		return text[:end+1]
	}
	return text
}

// mismatch says which kind of value was expected.
func mismatch(e *json.UnmarshalTypeError) string {
	if n, ok := strings.CutPrefix(e.Value, "number "); ok {
		return n + " is no number that fits here"
	}
	text, k := "got "+e.Value, kindOf(e.Type)
	switch {
	// another decoder, which names the rest of the text
	case k != "" && !slices.Contains(kinds, e.Value):
		text = "want " + k
	case k != "":
		text += ", want " + k
	}
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	return text
}

// kinds are the names of values in encoding/json.
var kinds = []string{"string", "number", "bool", "object", "array"}

// kindOf returns JSON's name of a Go type; "" if it has none.
func kindOf(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 {
		return "a number"
	}
	return ""
}
