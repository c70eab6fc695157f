// This file defines plain data: the only kind of value that crosses between Go and a script.

package value

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync"
	"unicode/utf8"
)

// A value that crosses the boundary is one of
//
//	nil, bool, string, float64 (Go's own integers are accepted when a script reads)
//	[]any, map[string]any   plain data: scripts get read-only views of it in events, and copies
//	                        of it as results of functions
//	Object, List            lazy data: each field is converted when it is read
//	*Secret                 a text that a script can use and not read
//	Function                a function of a script, or of Go
//
// A map entry whose value is nil is JSON null (ext.null in Lua); an absent entry is absent.

// MaxDepth is how deep plain data may nest when it crosses: deeper data is cyclic or a mistake, and
// unbounded recursion would end the process.
const MaxDepth = 64

// Object is a read-only lazy keyed value. Get must always return the same.
type Object interface {
	Get(key string) (value any, ok bool)
	// Keys lists the keys in the order in which scripts iterate.
	Keys() []string
}

// List is a read-only lazy sequence; At is 0-based.
type List interface {
	Len() int
	At(i int) any
}

// Function is a function, of a script or of Go: it crosses the boundary as itself, and is not plain
// data.
type Function interface{ IsFunction() }

// Lazy is a value computed at the first read and kept.
type Lazy struct {
	once  sync.Once
	f     func() any // nil: source computes it
	value any

	source Source
	part   int
}

// Source computes several values, by number.
type Source interface{ Compute(part int) any }

// NewLazy returns a value that f computes once, when it is first read.
func NewLazy(f func() any) *Lazy { return &Lazy{f: f} }

// Init sets the source of l, which is part of a larger value: a function for each part would be an
// allocation for each. It must be called once, before l is read.
func (l *Lazy) Init(source Source, part int) { l.source, l.part = source, part }

// Value computes the value, or returns the one computed before. It is never lazy itself: a reader
// that has called Value can look at the value's type. Safe for concurrent use.
func (l *Lazy) Value() any {
	l.once.Do(func() {
		if l.source != nil {
			l.value, l.source = l.source.Compute(l.part), nil
		} else {
			l.value, l.f = l.f(), nil
		}
		for inner, ok := l.value.(*Lazy); ok; inner, ok = l.value.(*Lazy) {
			l.value = inner.Value()
		}
	})
	return l.value
}

// SortedKeys returns the keys of m in order: the order in which scripts iterate over maps.
func SortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Plain returns v with every Object, List and Lazy below it turned into maps and slices, and every
// number into float64. It shares nothing with v. Deeper than MaxDepth is an error.
func Plain(v any) (any, error) { return plainValue(v, 0) }

func plainValue(v any, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", MaxDepth)
	}
	switch v := v.(type) {
	case nil, bool, string, float64:
		return v, nil
	case *Secret:
		return v.String(), nil
	case *Lazy:
		return plainValue(v.Value(), depth)
	case Typed:
		return plainValue(v.Value, depth)
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			p, err := plainValue(e, depth+1)
			if err != nil {
				return nil, err
			}
			m[k] = p
		}
		return m, nil
	case Object:
		m := make(map[string]any)
		for _, k := range v.Keys() {
			e, ok := v.Get(k)
			if !ok {
				continue
			}
			p, err := plainValue(e, depth+1)
			if err != nil {
				return nil, err
			}
			m[k] = p
		}
		return m, nil
	case []any:
		return plainList(len(v), func(i int) any { return v[i] }, depth)
	case List:
		return plainList(v.Len(), v.At, depth)
	case []string:
		return plainList(len(v), func(i int) any { return v[i] }, depth)
	case Function:
		return nil, fmt.Errorf("got function, want plain data")
	}
	if n, ok := Number(v); ok {
		return n, nil
	}
	return nil, fmt.Errorf("got %T, want plain data", v)
}

func plainList(n int, at func(int) any, depth int) (any, error) {
	l := make([]any, n)
	for i := range l {
		p, err := plainValue(at(i), depth+1)
		if err != nil {
			return nil, err
		}
		l[i] = p
	}
	return l, nil
}

// JSONData returns v as Plain does, and reports an error for values that JSON cannot represent:
// stored values must be read back unchanged. name is for errors.
func JSONData(name string, v any) (any, error) {
	p, err := Plain(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := CheckJSON(p); err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	if err := checkUTF8(p); err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	return p, nil
}

// CheckJSON reports numbers in plain data that JSON does not have: such data could be neither sent
// to a model nor stored.
func CheckJSON(v any) error {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf(": got %s, which JSON does not have", TypeName(v))
		}
	case map[string]any:
		for _, k := range SortedKeys(v) { // the same error each time
			if err := CheckJSON(v[k]); err != nil {
				return KeyError(k, err)
			}
		}
	case []any:
		for i, e := range v {
			if err := CheckJSON(e); err != nil {
				return fmt.Errorf("[%d]%w", i+1, err)
			}
		}
	}
	return nil
}

// maxText is how many bytes of text a script may give to a model at a time: about the largest
// context that exists. More would make every later request fail.
const maxText = 4 << 20

// CheckSize reports text that is larger than maxText. Images do not count.
func CheckSize(v any) error {
	if n := textSize(v); n > maxText {
		return fmt.Errorf("got %d bytes of text, want at most %d", n, maxText)
	}
	return nil
}

func textSize(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		for _, e := range v {
			n += textSize(e)
		}
	case map[string]any:
		for k, e := range v {
			if k != "data" || v["type"] != "image" {
				n += textSize(e)
			}
		}
	}
	return n
}

// checkUTF8 reports text that JSON would not preserve.
func checkUTF8(v any) error {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return errors.New(": got text that is not UTF-8, which JSON does not have")
		}
	case map[string]any:
		for _, k := range SortedKeys(v) {
			if !utf8.ValidString(k) {
				return errors.New(": got a key that is not UTF-8, which JSON does not have")
			}
			if err := checkUTF8(v[k]); err != nil {
				return KeyError(k, err)
			}
		}
	case []any:
		for i, e := range v {
			if err := checkUTF8(e); err != nil {
				return fmt.Errorf("[%d]%w", i+1, err)
			}
		}
	}
	return nil
}

// Number returns v as a float64 if it is one of Go's numbers.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case int32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float32:
		return float64(v), true
	}
	return 0, false
}

// NumberText formats a number as JSON, and people, do: 123456789, not 1.23456789e+08.
func NumberText(n float64) string {
	const exact = 1e21 // from here on, and below 1e-6, JSON writes it with an exponent
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= exact) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// TypeName names v's type as scripts and error messages do.
func TypeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any, []string, List:
		return "list"
	case map[string]any, Object:
		return "table"
	case Function:
		return "function"
	case *Secret:
		return "secret"
	case *Lazy:
		return TypeName(v.Value())
	}
	if n, ok := Number(v); ok {
		if math.IsNaN(n) {
			return "NaN"
		}
		if math.IsInf(n, 0) {
			return "infinity"
		}
		return "number"
	}
	return fmt.Sprintf("%T", v)
}

// Text returns m[key] if it is a string, else "".
func Text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// Merge merges change into old: tables merge one level deep and null removes a key; other values
// are replaced.
func Merge(old, change any) any {
	c, ok := change.(map[string]any)
	o, ok2 := old.(map[string]any)
	if !ok || !ok2 {
		return change
	}
	m := make(map[string]any, len(o)+len(c))
	for k, v := range o {
		m[k] = v
	}
	for k, v := range c {
		if v == nil {
			delete(m, k)
		} else {
			m[k] = v
		}
	}
	return m
}
