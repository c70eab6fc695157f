// This file reads [picoclaw]: the process hooks of picoclaw, in the user's own settings.

package config

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/value"
)

var picoclawFields = []value.Field{{Name: "hooks", Type: "table?"}}

// setPicoclaw checks the table. Its hooks are an extension, which checks them when it is loaded.
func (r *reader) setPicoclaw(v any) { r.fields([]string{"picoclaw"}, v, picoclawFields) }

// Picoclaw returns the settings of a home, with the table picoclaw for engine/foreign.New.
func Picoclaw(home string) hosts.Settings {
	if home == "" {
		return hosts.Settings{}
	}
	return hosts.Settings{Path: filepath.Join(home, file), Part: picoclawPart}
}

// picoclawTable matches where the table begins in a file that is not TOML.
var picoclawTable = lazyregexp.New(`(?m)^[ \t]*(\[[ \t]*)?["']?picoclaw["']?[ \t]*[].=]`)

// picoclawPart returns the table as JSON, if it has hooks; otherwise nil.
func picoclawPart(text []byte) ([]byte, error) {
	m, warning := decodeTOML(string(text))
	if warning != nil {
		if !picoclawTable().Match(text) {
			return nil, nil
		}
		return nil, errors.New(strings.TrimSuffix(warning.String(), notUsed))
	}
	table, _ := m["picoclaw"].(map[string]any)
	if table["hooks"] == nil {
		return nil, nil
	}
	return json.MarshalIndent(table, "", "  ")
}
