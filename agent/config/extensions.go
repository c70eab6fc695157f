// This file reads [extensions]: whose extensions are used where they are.

package config

import (
	"slices"

	"github.com/agentscripts/agent/engine/foreign"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Extensions are the settings of extensions of other hosts.
type Extensions struct {
	From []string // names of hosts: see foreign.Hosts
}

var extensionFields = []value.Field{{Name: "from", Type: "list?"}}

func (r *reader) setExtensions(v any) {
	t, _ := r.fields([]string{"extensions"}, v, extensionFields)
	var known []string
	for _, h := range foreign.Hosts() {
		known = append(known, h.Name)
	}
	path := []string{"extensions", "from"}
	for _, name := range r.texts(path, t["from"]) {
		if !slices.Contains(known, name) {
			r.warn(path, "extensions.from: unknown host %q%s", name,
				suggest.DidYouMean(name, known))
			continue
		}
		r.Extensions.From = append(r.Extensions.From, name)
	}
}
