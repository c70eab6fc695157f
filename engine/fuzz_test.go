package engine_test

import (
	"math/rand"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// randomPlain makes plain data that is mostly almost valid.
func randomPlain(r *rand.Rand, keys []string, depth int) any {
	switch r.Intn(9) {
	case 0:
		return nil
	case 1:
		return r.Intn(2) == 0
	case 2:
		return float64(r.Intn(5)) / 2
	case 3:
		return keys[r.Intn(len(keys))]
	case 4:
		return &fakeFunc{}
	case 5:
		l := []any{}
		for range r.Intn(3) {
			l = append(l, randomPlain(r, keys, depth+1))
		}
		return l
	}
	m := map[string]any{}
	if depth < 5 {
		for range r.Intn(4) {
			m[keys[r.Intn(len(keys))]] = randomPlain(r, keys, depth+1)
		}
	}
	return m
}

// FuzzScriptValues decodes random data as every kind of value that scripts pass: the result is a
// value or an error.
func FuzzScriptValues(f *testing.F) {
	var keys []string
	events, api := spec.Events(), spec.API()
	for _, row := range events {
		keys = append(append(keys, row.Returns...), row.Name)
	}
	keys = append(keys, "type", "text", "content", "name", "run", "schema", "level", "x", "")
	for seed := range int64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		r := rand.New(rand.NewSource(seed))
		for range 20 {
			v := randomPlain(r, keys, 0)
			engine.DecodeOutcome(&events[r.Intn(len(events))], v)
			engine.DecodeResult(v)
			row := &api[r.Intn(len(api))]
			if out, err := value.CheckArgs(row.Name, row.Params,
				[]any{v, randomPlain(r, keys, 0), randomPlain(r, keys, 0)}); err == nil &&
				len(out) != len(row.Params) {
				t.Fatalf("%s: %d values for %d parameters", row.Name, len(out), len(row.Params))
			}
			if m, ok := v.(map[string]any); ok {
				event.NewFilter(&events[r.Intn(len(events))], m)
			}
		}
	})
}
