package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
)

// TestGuideExamples checks that agent ext check reports nothing about the examples of the guide,
// and that the tests in them pass.
func TestGuideExamples(t *testing.T) {
	t.Parallel()
	var guide, stderr bytes.Buffer
	if code := run([]string{"ext", "docs"}, nil, &guide, &stderr); code != exitOK {
		t.Fatalf("ext docs ends with %d: %s", code, stderr.String())
	}
	if strings.TrimSpace(guide.String()) != strings.TrimSpace(spec.Guide()) {
		t.Error("agent ext docs does not print the guide")
	}
	blocks := regexp.MustCompile("(?s)```(lua|js)\n(.*?)```").FindAllStringSubmatch(guide.String(),
		-1)
	if len(blocks) < 5 {
		t.Fatalf("%d examples, want at least 5", len(blocks))
	}
	tests := 0
	for i, block := range blocks {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("example%d.%s", i+1, block[1]))
		if err := os.WriteFile(file, []byte(block[2]), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{"ext", "check", file}, nil, &out, &out); code != exitOK ||
			!strings.Contains(out.String(), " 0 errors, 0 notes") {
			t.Errorf("example %d: ext check ends with %d:\n%s", i+1, code, out.String())
		}
		if !strings.Contains(block[2], "ext.test(") {
			continue
		}
		tests++
		out.Reset()
		if code := run([]string{"ext", "test", file}, nil, &out, &out); code != exitOK {
			t.Errorf("example %d: ext test ends with %d:\n%s", i+1, code, out.String())
		}
	}
	if tests == 0 {
		t.Error("no example has a test")
	}
}
