// This file implements JSON.stringify. A small value can have a text of any size, since values may
// occur in it again and again, and the interpreter's own function cannot be interrupted.

package js

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxIndent is the longest indentation of a level, as in the language.
	maxIndent = 10
	// keptJSON is the largest memory, in bytes, that is kept for the next text.
	keptJSON = 16 << 10
)

// jsonWriter is one call of JSON.stringify.
type jsonWriter struct {
	guards   *guards
	b        []byte
	beyond   int // by how much b is longer in UTF-8 than in UTF-16
	nodes    int
	replacer rawFunc
	chosen   bool         // only keys are written
	keys     []goja.Value // of the list of keys, if chosen
	gap      string       // of each level
	indent   string       // a line break and the gaps of the current level
	holders  []*goja.Object
	first    [8]*goja.Object // memory for holders
}

// stringify implements JSON.stringify(value [, replacer [, space]]).
func (g *guards) stringify(call goja.FunctionCall, _ rawFunc) goja.Value {
	w := &jsonWriter{guards: g, b: g.json[:0]}
	w.holders = w.first[:0]
	g.json = nil // code of the script may call it again
	if len(call.Arguments) > 1 {
		w.setReplacer(call.Argument(1))
		w.setGap(call.Argument(2))
	}
	if s, ok := call.Argument(0).(goja.String); ok {
		g.realm.checkText(float64(quotedLength(s)))
	}
	root := jsonKey{name: g.rt.ToValue("")}
	if w.replacer != nil {
		root.holder = g.rt.NewObject()
		_ = root.holder.Set("", call.Argument(0))
	}
	if !w.writeValue(root, call.Argument(0)) {
		return goja.Undefined()
	}
	g.meter.take(len(w.b))
	out := g.rt.ToValue(string(w.b))
	if cap(w.b) <= keptJSON {
		g.json = w.b
	}
	return out
}

// setReplacer sets what the second argument says: a function, or a list of keys.
func (w *jsonWriter) setReplacer(val goja.Value) {
	list, ok := val.(*goja.Object)
	if !ok {
		return
	}
	if w.replacer = w.guards.realm.function(val); w.replacer != nil || !w.isArray(list) {
		return
	}
	w.chosen = true
	seen := map[string]bool{}
	for i, n := 0, int(min(lengthOf(list), maxItems)); i < n; i++ {
		if i%pollEvery == 0 {
			w.guards.meter.poll()
		}
		val := list.Get(strconv.Itoa(i))
		obj, ok := val.(*goja.Object)
		if ok {
			ok = obj.ClassName() == "String" || obj.ClassName() == "Number"
		} else {
			ok = val != nil && (goja.IsString(val) || goja.IsNumber(val))
		}
		if !ok {
			continue // as in the language
		}
		key := w.guards.realm.text(val)
		if !seen[key.String()] {
			seen[key.String()] = true
			w.keys = append(w.keys, key)
		}
	}
}

// setGap sets the indentation that the third argument gives to each level.
func (w *jsonWriter) setGap(space goja.Value) {
	if obj, ok := space.(*goja.Object); ok {
		switch obj.ClassName() {
		case "Number":
			space = obj.ToNumber()
		case "String":
			space = w.guards.realm.text(obj)
		}
	}
	if s, ok := space.(goja.String); ok {
		w.gap = s.Substring(0, min(s.Length(), maxIndent)).String()
	} else if goja.IsNumber(space) {
		w.gap = strings.Repeat(" ", int(min(max(0, space.ToInteger()), maxIndent)))
	}
	if w.gap != "" {
		w.indent = "\n"
	}
}

// jsonKey is the key of a value that is written.
type jsonKey struct {
	name   goja.Value // nil: index
	index  int
	holder *goja.Object
}

func (w *jsonWriter) keyValue(k jsonKey) goja.Value {
	if k.name != nil {
		return k.name
	}
	return w.guards.rt.ToValue(strconv.Itoa(k.index))
}

// writeValue writes the value val of a key. It returns false if JSON has no such value.
func (w *jsonWriter) writeValue(k jsonKey, val goja.Value) bool {
	w.nodes++
	if w.nodes%pollEvery == 0 {
		w.guards.meter.poll()
	}
	obj, ok := val.(*goja.Object)
	if ok {
		if f := obj.Get("toJSON"); f != nil {
			val = w.convert(k, val, f)
		}
	}
	if w.replacer != nil {
		w.guards.meter.poll()
		val = w.replacer(goja.FunctionCall{This: k.holder,
			Arguments: []goja.Value{w.keyValue(k), orUndefined(val)}})
	}
	if obj, ok = val.(*goja.Object); ok {
		return w.writeObject(obj)
	}
	return w.writePlain(val)
}

// convert returns what the method toJSON of val returns, val if it is no function.
func (w *jsonWriter) convert(k jsonKey, val, method goja.Value) goja.Value {
	f := w.guards.realm.function(method)
	if f == nil {
		return val
	}
	w.guards.meter.poll()
	return f(goja.FunctionCall{This: val, Arguments: []goja.Value{w.keyValue(k)}})
}

func orUndefined(val goja.Value) goja.Value {
	if val == nil {
		return goja.Undefined()
	}
	return val
}

// writePlain writes a value that is no object.
func (w *jsonWriter) writePlain(val goja.Value) bool {
	switch s := val.(type) {
	case nil, *goja.Symbol:
		return false
	case goja.String:
		w.quote(s)
		return true
	}
	if goja.IsUndefined(val) {
		return false
	}
	kind := reflect.Invalid
	if !goja.IsNull(val) {
		kind = val.ExportType().Kind()
	}
	switch kind {
	case reflect.Int64:
		w.b = strconv.AppendInt(w.b, val.ToInteger(), 10)
	case reflect.Bool:
		w.b = strconv.AppendBool(w.b, val.ToBoolean())
	case reflect.Float64:
		if f := val.ToFloat(); f-f != 0 { // infinite, or not a number
			w.b = append(w.b, "null"...)
		} else {
			w.b = append(w.b, val.String()...)
		}
	case reflect.Pointer:
		panic(w.guards.rt.NewTypeError("Do not know how to serialize a BigInt"))
	default:
		w.b = append(w.b, "null"...)
	}
	w.checkSize()
	return true
}

// checkSize throws if the text is too long.
func (w *jsonWriter) checkSize() {
	if len(w.b)-w.beyond > maxText || w.nodes > value.MaxValues {
		w.guards.realm.throwRange("the JSON would be too large")
	}
}

func (w *jsonWriter) writeObject(obj *goja.Object) bool {
	switch obj.ClassName() {
	case "Array":
		w.writeArray(obj)
		return true
	case "Function":
		return false
	case "Number":
		return w.writePlain(obj.ToNumber())
	case "String": // its conversion may make any text
		return w.writePlain(w.guards.realm.text(obj))
	case "Boolean":
		on, _ := obj.Export().(bool)
		return w.writePlain(w.guards.rt.ToValue(on))
	case "RawJSON":
		text := obj.Get("rawJSON").String()
		w.guards.realm.checkText(float64(len(text)))
		w.b = append(w.b, text...)
		w.checkSize()
		return true
	}
	if obj.ExportType() == proxyType && w.isArray(obj) {
		w.writeArray(obj)
		return true
	}
	w.guards.lists.checkKeys(obj)
	w.writeTable(obj)
	return true
}

func (w *jsonWriter) isArray(obj *goja.Object) bool {
	return w.guards.lists.isArray(goja.FunctionCall{Arguments: []goja.Value{obj}}).ToBoolean()
}

// openObject notes that the values of obj are written next. closeObject must be called after them,
// with what it returns.
func (w *jsonWriter) openObject(obj *goja.Object, bracket byte) (indent string) {
	if slices.Contains(w.holders, obj) {
		panic(w.guards.rt.NewTypeError("Converting circular structure to JSON"))
	}
	if len(w.holders) >= maxJSONNesting {
		w.guards.realm.throwRange(fmt.Sprintf("JSON nests deeper than %d levels", maxJSONNesting))
	}
	w.holders = append(w.holders, obj)
	w.b = append(w.b, bracket)
	indent = w.indent
	w.indent += w.gap
	return indent
}

// closeObject ends the text of an object; empty: no value was written.
func (w *jsonWriter) closeObject(indent string, bracket byte, empty bool) {
	w.holders = w.holders[:len(w.holders)-1]
	w.indent = indent
	if !empty {
		w.b = append(w.b, indent...)
	}
	w.b = append(w.b, bracket)
	w.checkSize()
}

func (w *jsonWriter) writeArray(obj *goja.Object) {
	n := int(w.guards.lists.checkItems(obj))
	before := w.openObject(obj, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, w.indent...)
		var item goja.Value
		if items, ok := itemsOf(obj); ok && i < len(items) {
			item = items[i]
		} else {
			item = obj.Get(strconv.Itoa(i))
		}
		if !w.writeValue(jsonKey{index: i, holder: obj}, item) {
			w.b = append(w.b, "null"...)
		}
	}
	w.closeObject(before, ']', n == 0)
}

func (w *jsonWriter) writeTable(obj *goja.Object) {
	keys := w.keys
	if !w.chosen {
		list := w.guards.keysOf(goja.FunctionCall{Arguments: []goja.Value{obj}})
		keys, _ = itemsOf(list.(*goja.Object))
	}
	before, empty := w.openObject(obj, '{'), true
	for _, key := range keys {
		start, beyond := len(w.b), w.beyond
		if !empty {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, w.indent...)
		name := key.(goja.String)
		w.quote(name)
		w.b = append(w.b, ':')
		if w.gap != "" {
			w.b = append(w.b, ' ')
		}
		if w.writeValue(jsonKey{name: name, holder: obj}, obj.Get(name.String())) {
			empty = false
		} else {
			w.b, w.beyond = w.b[:start], beyond
		}
	}
	w.closeObject(before, '}', empty)
}

// quote writes a text in quotes.
func (w *jsonWriter) quote(s goja.String) {
	if quotedLength(s) > maxText-len(w.b)+w.beyond {
		w.guards.realm.throwRange("the JSON would be too large")
	}
	w.b = append(w.b, '"')
	if !wide(s) {
		w.quoteUTF8(s.String())
	} else {
		w.quoteUTF16(s)
	}
	w.b = append(w.b, '"')
	w.checkSize()
}

// escapes are the characters that have a short escape in JSON.
const escapes = "\bb\tt\nn\ff\rr\"\"\\\\"

func (w *jsonWriter) quoteUTF8(s string) {
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		w.b = append(w.b, s[from:i]...)
		size := 1
		if c < utf8.RuneSelf {
			w.escape(c)
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			w.rune(r)
		}
		i += size
		from = i
	}
	w.b = append(w.b, s[from:]...)
}

// escape writes a character that needs an escape.
func (w *jsonWriter) escape(c byte) {
	if i := strings.IndexByte(escapes, c); i >= 0 {
		w.b = append(w.b, '\\', escapes[i+1])
		return
	}
	w.unit(uint16(c))
}

// unit writes a 16-bit unit as an escape.
func (w *jsonWriter) unit(c uint16) {
	const digits = "0123456789abcdef"
	w.b = append(w.b, '\\', 'u', digits[c>>12], digits[c>>8&15], digits[c>>4&15],
		digits[c&15])
}

func (w *jsonWriter) rune(r rune) {
	before := len(w.b)
	w.b = utf8.AppendRune(w.b, r)
	w.beyond += len(w.b) - before - utf16.RuneLen(r)
}

func (w *jsonWriter) quoteUTF16(s goja.String) {
	n := s.Length()
	for i := 0; i < n; i++ {
		c := s.CharAt(i)
		r := rune(c)
		switch {
		case c < utf8.RuneSelf:
			if c < ' ' || c == '"' || c == '\\' {
				w.escape(byte(c))
			} else {
				w.b = append(w.b, byte(c))
			}
			continue
		case utf16.IsSurrogate(r):
			if i+1 < n {
				r = utf16.DecodeRune(r, rune(s.CharAt(i+1)))
			} else {
				r = utf8.RuneError
			}
			if r == utf8.RuneError {
				w.unit(c)
				continue
			}
			i++
		}
		w.rune(r)
	}
}

// quotedLength returns the length of a string in JSON, at most. It scans only long strings.
func quotedLength(s goja.String) int {
	const longest = len(`\u0000`)
	if s.Length() <= maxText/longest {
		return s.Length()
	}
	n, text := s.Length(), s.String()
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			n += longest - 1
		}
	}
	return n
}
