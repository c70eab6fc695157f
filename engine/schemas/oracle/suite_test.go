package oracle

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/schemas"
	"github.com/google/jsonschema-go/jsonschema"
)

// suiteCase is a schema of the test suite of JSON Schema, and data that fits it or not.
type suiteCase struct {
	Description string
	Schema      any
	Tests       []struct {
		Description string
		Data        any
		Valid       bool
	}
}

// readSuite reads the copy of the suite that the module of jsonschema.Schema has.
func readSuite(t *testing.T, folder string) map[string][]suiteCase {
	t.Helper()
	const module = "github.com/google/jsonschema-go"
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "jsonschema",
		"testdata", folder, "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%s: %d files: %v", folder, len(files), err)
	}
	all := map[string][]suiteCase{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []suiteCase
		if err := json.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = cases
	}
	return all
}

var _ jsonschema.Schema // of the module with the suite

// TestSuite runs the test suite of JSON Schema. A schema that needs another document is refused.
func TestSuite(t *testing.T) {
	for folder, draft := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
		"draft7":       "http://json-schema.org/draft-07/schema#"} {
		for name, cases := range readSuite(t, folder) {
			for _, c := range cases {
				t.Run(folder+"/"+name+"/"+c.Description, func(t *testing.T) {
					runCase(t, draft,
						c)
				})
			}
		}
	}
}

func runCase(t *testing.T, draft string, c suiteCase) {
	object, ok := c.Schema.(map[string]any)
	if !ok { // true or false
		object = map[string]any{"allOf": []any{c.Schema}}
	}
	if object["$schema"] == nil {
		object["$schema"] = draft
	}
	v, err := schemas.Compiler{}.Compile(object)
	data, _ := json.Marshal(c.Schema)
	if elsewhere(err) && strings.Contains(string(data), "http://localhost:1234") {
		return
	}
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	for _, tt := range c.Tests {
		if err := v.Validate(tt.Data); (err == nil) != tt.Valid {
			t.Errorf("%s: got %v, want valid %v: %s", tt.Description, err, tt.Valid, data)
		}
	}
}
