// This file defines the types of JSON, the equality of values, and the texts of faults.

package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// typeSet is a set of types of JSON.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeNumber
	typeInteger
	typeString
	typeArray
	typeObject
)

func typeNamed(name string) typeSet {
	switch name {
	case "null":
		return typeNull
	case "boolean":
		return typeBoolean
	case "number":
		return typeNumber
	case "integer":
		return typeInteger
	case "string":
		return typeString
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	return 0
}

// String lists the types.
func (t typeSet) String() string {
	var names []string
	for _, name := range [...]string{"null", "boolean", "number", "integer", "string", "array",
		"object"} {
		if t&typeNamed(name) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// typesOf parses the value of the keyword type.
func typesOf(v any) typeSet {
	if name, ok := v.(string); ok {
		return typeNamed(name)
	}
	var t typeSet
	for _, name := range texts(v) {
		t |= typeNamed(name)
	}
	return t
}

// kindOf returns the type of a value, typeNumber for all numbers; 0 if it is not plain data.
func kindOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	default:
		if n, ok := number(v); ok && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return typeNumber
		}
		return 0
	}
}

func number(v any) (float64, bool) {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	return value.Number(v)
}

// takes reports whether v is of one of the types. An integer is a number without a fraction.
func (t typeSet) takes(v any) bool {
	kind := kindOf(v)
	if kind == typeNumber && t&typeInteger != 0 {
		n, _ := number(v)
		return t&typeNumber != 0 || n == math.Trunc(n)
	}
	return t&kind != 0
}

// decimal returns n as it is written: 0.3 is three times 0.1.
func decimal(n float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(n, 'g', -1, 64))
	return r
}

// equal compares plain data.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool, string:
		return a == b
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	}
	m, ok1 := number(a)
	n, ok2 := number(b)
	return ok1 && ok2 && m == n
}

// duplicates returns the first item that equals an earlier one. j is 0 if there is none.
func duplicates(list []any) (i, j int) {
	const few = 20 // hashing pays above
	if len(list) <= few {
		for j := range list {
			for i := range j {
				if equal(list[i], list[j]) {
					return i, j
				}
			}
		}
		return 0, 0
	}
	seed, places := maphash.MakeSeed(), map[uint64][]int{}
	for j, v := range list {
		var h maphash.Hash
		h.SetSeed(seed)
		writeHash(&h, v)
		sum := h.Sum64()
		for _, i := range places[sum] {
			if equal(list[i], v) {
				return i, j
			}
		}
		places[sum] = append(places[sum], j)
	}
	return 0, 0
}

// writeHash hashes plain data so that equal values have the same hash.
func writeHash(h *maphash.Hash, v any) {
	switch v := v.(type) {
	case nil:
		h.WriteByte('n')
	case bool, string:
		maphash.WriteComparable(h, v)
	case []any:
		h.WriteByte('[')
		for _, x := range v {
			writeHash(h, x)
		}
	case map[string]any:
		h.WriteByte('{')
		for _, k := range value.SortedKeys(v) {
			maphash.WriteComparable(h, k)
			writeHash(h, v[k])
		}
	default:
		n, _ := number(v)
		maphash.WriteComparable(h, n+0) // not -0
	}
}

func wrongType(v any, want typeSet) string {
	return fmt.Sprintf("got %s, want %s", kindOf(v), want)
}

func shortList(got, want int) string {
	return fmt.Sprintf("got a list of %d, want at least %d", got, want)
}

func equalItems(i, j int) string { return fmt.Sprintf("items at %d and %d are equal", i, j) }

// outside describes what is wrong with a number.
func outside(got float64, how string, want float64) string {
	return fmt.Sprintf("got %s, want %s %s", value.NumberText(got), how, value.NumberText(want))
}

// valueIs describes which values are allowed.
func valueIs(want []any) string {
	texts := make([]string, len(want))
	for i, v := range want {
		if s, ok := v.(string); ok {
			texts[i] = "'" + s + "'"
		} else if b, err := json.Marshal(v); err == nil {
			texts[i] = string(b)
		}
	}
	if len(texts) == 1 {
		return "value must be " + texts[0]
	}
	return "value must be one of " + strings.Join(texts, ", ")
}

// mostQuoted is how much of a value a fault shows: it is for the model, which knows the value.
const mostQuoted = 200

func quote(s string) string { return quoteAll(plain.Short(s, mostQuoted)) }

func quoteAll(s string) string {
	s = strconv.Quote(s)
	s = strings.ReplaceAll(s, `\"`, `"`)
	return "'" + strings.ReplaceAll(s[1:len(s)-1], "'", `\'`) + "'"
}

// fault is an error at one place.
type fault struct{ at, text string }

func (f fault) String() string {
	if f.at == "" {
		return f.text
	}
	return strings.TrimPrefix(f.at, "/") + ": " + f.text
}

// mostFaults is how many faults an error lists: more do not help a model to correct its call.
const mostFaults = 5

// faultsError lists the faults by place. They were found in maps, in random order, and the same
// mistake must always give the same message.
func faultsError(found []fault) error {
	sort.SliceStable(found, func(i, j int) bool { return found[i].at < found[j].at })
	var texts []string
	for _, f := range slices.Compact(found) {
		if len(texts) < mostFaults {
			texts = append(texts, f.String())
		}
	}
	return errors.New(strings.Join(texts, "; "))
}
