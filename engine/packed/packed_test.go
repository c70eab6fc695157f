package packed_test

import (
	"maps"
	"testing"

	"github.com/agentscripts/agent/engine/packed"
)

func TestPack(t *testing.T) {
	t.Parallel()
	for _, texts := range []map[string]string{
		{}, {"a": ""}, {"a": "x", "b/c.lua": "\n\nline\n", "d": "no newline"},
	} {
		file, err := packed.Pack(texts)
		if err != nil {
			t.Fatal(err)
		}
		if got := packed.Texts(string(file)); !maps.Equal(got, texts) {
			t.Errorf("got %q, want %q", got, texts)
		}
	}
	for name, text := range map[string]string{"a\nb": "", "a": "\x00text b\n"} {
		if _, err := packed.Pack(map[string]string{name: text}); err == nil {
			t.Errorf("%q: %q was packed", name, text)
		}
	}
}
