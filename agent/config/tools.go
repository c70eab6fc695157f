// This file reads [tools]: what tools may access.

package config

import (
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/value"
)

// Tools are the settings of tools.
type Tools struct {
	FetchPrivate bool     // fetch may reach every address
	FetchAllow   []string // otherwise these, in addition to public ones
}

var toolFields = []value.Field{{Name: "fetch_private", Type: "boolean?"},
	{Name: "fetch_allow", Type: "list?"}}

func (r *reader) setTools(v any) {
	t, _ := r.fields([]string{"tools"}, v, toolFields)
	r.Tools.FetchPrivate, _ = t["fetch_private"].(bool)
	path := []string{"tools", "fetch_allow"}
	for _, entry := range r.texts(path, t["fetch_allow"]) {
		if err := tool.CheckFetchAllow(entry); err != nil {
			r.warn(path, "tools.fetch_allow: %v", err)
			continue
		}
		r.Tools.FetchAllow = append(r.Tools.FetchAllow, entry)
	}
}
