package js

import (
	"bytes"
	"os"
	"testing"

	"github.com/agentscripts/agent/engine/packed"
)

// TestWebSources checks that the program's copy of the files of the web API is what they are. With
// UPDATE=1 in the environment, it writes the copy.
func TestWebSources(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, f := range webFiles {
		text, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.name] = string(text)
	}
	want, err := packed.Pack(texts)
	if err != nil {
		t.Fatal(err)
	}
	const path = "web.gz"
	if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("js/web.gz is not what the files are: run go generate ./js")
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
