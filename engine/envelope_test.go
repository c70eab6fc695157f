package engine_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// TestEnvelopeRows: each field of an envelope has its own key, and an event with a full envelope
// has all keys.
func TestEnvelopeRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	full := &event.Envelope{Branch: func() string { return "main" },
		Window: func() map[string]any { return map[string]any{} },
		Cost:   func() float64 { return 1 }}
	v := reflect.ValueOf(full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Int:
			f.SetInt(int64(100 + i))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Func:
		default:
			t.Fatalf("fill in %s", v.Type().Field(i).Name)
		}
	}
	ev := w.Events.Named("tool_batch_end", full, nil)
	if got, want := ev.Keys(), event.EnvelopeKeys(); !slices.Equal(got, want) {
		t.Errorf("got the keys %v, want %v", got, want)
	}
	values := map[any]string{}
	for _, key := range ev.Keys() {
		value, ok := ev.Get(key)
		if !ok || key == "window" {
			if !ok {
				t.Errorf("the key %s is missing", key)
			}
			continue
		}
		if other := values[value]; other != "" {
			t.Errorf("%s and %s are both %v", key, other, value)
		}
		values[value] = key
	}
	const ofEvents = 3 // event, id, time
	if got := len(event.EnvelopeKeys()) - ofEvents; got != v.NumField() {
		t.Errorf("got %d keys for %d fields, want one row for each field", got, v.NumField())
	}
	for _, key := range full.Keys() {
		value, _ := full.Get(key)
		var made event.Envelope
		if !made.Set(key, value) {
			t.Errorf("%s cannot be set to %v", key, value)
		}
		if got, _ := made.Get(key); !reflect.DeepEqual(got, value) {
			t.Errorf("set %s to %v, got %v", key, value, got)
		}
		if made.Set(key, []string{}) {
			t.Errorf("%s can be set to a list", key)
		}
	}
	for _, key := range []string{"event", "id", "time", "nothing"} {
		if full.Set(key, "x") {
			t.Errorf("%s can be set, but is not a key of an envelope", key)
		}
	}
	empty := w.Events.Named("tool_batch_end", &event.Envelope{}, nil)
	if got, want := empty.Keys(), []string{"event", "id", "time", "depth",
		"interactive"}; !slices.Equal(got, want) {
		t.Errorf("an empty envelope has %v, want %v", got, want)
	}
}
