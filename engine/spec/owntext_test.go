package spec_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/packed"
)

// TestOwnTexts checks that the program's copy of texts in this folder is what they are. With
// -update, it writes the copy, which the other tests of this package need.
func TestOwnTexts(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"guide.md", "web.d.ts"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	want, err := packed.Pack(texts)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("texts.gz"); err == nil && bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatal("texts.gz is not what the texts are: run go generate ./engine/spec")
	}
	if err := os.WriteFile("texts.gz", want, 0o644); err != nil {
		t.Fatal(err)
	}
}
