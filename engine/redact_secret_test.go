package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	const key, longer = "sk-ant-0123.*", "sk-ant-0123.*456"
	w := newWorld(t,
		func(o *engine.Options) { o.Secrets = []string{key, longer, key, "short", ""} })
	for _, c := range []struct{ in, want string }{
		{"short and sk-ant-0123456", "short and sk-ant-0123456"},
		{"a " + key + " b", "a [redacted:secret] b"},
		{longer + key, "[redacted:secret][redacted:secret]"},
	} {
		if got := w.Mask.Text(c.in); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	w.script("a.fake", func(l *fakeLoad) { l.redact("key", nil, `sk-\S+`) })
	if got := w.Mask.Text("a " + key + " sk-1"); got != "a [redacted:secret] [redacted:key]" {
		t.Errorf("with a script's redactor: got %s", got)
	}
	w.remove("a.fake")
	for i := range len(key) { // cut into two pieces at each place
		w.Emitter.Emit(w.Events.Named("message_delta", nil, map[string]any{"message_id": "m",
			"kind":  "text",
			"delta": "the key: " + key[:i]}))
		w.Emitter.Emit(w.Events.Named("message_delta", nil, map[string]any{"message_id": "m",
			"kind":  "text",
			"delta": key[i:] + "."}))
		w.Emitter.Emit(w.Events.Named("message_end", nil, map[string]any{"message_id": "m",
			"text": "the key: " + key + "."}))
	}
	w.running = func() {}
	w.result = engine.TextResult("env: " + key)
	if r := w.dispatch("look"); chat.PlainText(r.Content) != "env: [redacted:secret]" {
		t.Errorf("the model gets %v", r.Content)
	}
	w.drain()
	if all := w.all(); strings.Contains(all, key) ||
		strings.Count(all, "[redacted:secret].") < len(key) {
		t.Errorf("the stream shows %s", all)
	}
}

// TestNewSecret: a new secret of a script is masked in later texts, and every way to print it shows
// only its name.
func TestNewSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const val = "token-0123456789"
	s := w.Mask.NewSecret("TOKEN", val, "Bearer %s")
	if got := w.Mask.Text("it is " + val); got != "it is [redacted:secret]" {
		t.Errorf("got %s", got)
	}
	json, err := json.Marshal(map[string]any{"key": s})
	if got := fmt.Sprintf("%v %s %+v %#v %q %s %v", s, s, s, s, s, json, err); strings.Contains(got,
		val) || !strings.Contains(got, `{"key":"[secret TOKEN]"}`) {
		t.Errorf("got %s", got)
	}
	if s.Reveal() != "Bearer "+val {
		t.Errorf("got %s", s.Reveal())
	}
	masks := w.Mask.Set()
	if w.Mask.NewSecret("TOKEN", val, "%s"); w.Mask.Set() != masks {
		t.Error("a known secret makes a new set of redactors, which has an empty cache")
	}
	if w.Mask.NewSecret("OTHER", "other-0123456789", "%s"); w.Mask.Set() == masks {
		t.Error("a new secret is not masked")
	}
	if p, err := value.Plain([]any{s}); err != nil || fmt.Sprint(p) != "[[secret TOKEN]]" {
		t.Errorf("got %v, %v", p, err)
	}
}
