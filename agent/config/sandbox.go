// This file reads [sandbox]: how programs that the agent runs are confined.

package config

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Sandbox is how programs are confined. Paths are absolute, begin with ~/, or are in the project.
type Sandbox struct {
	// Mode is "" for the first means of the operating system that works, its name, or "none".
	Mode     string
	Writable []string // in addition to the project, temporary folders and caches
	Hidden   []string // patterns of what cannot be read, in addition to known places of secrets
	Readable []string // of those, what can be read
	Sockets  []string // of programs outside, that programs may talk to
	Network  string   // "" or "all": everything; "none": nothing but Hosts
	Hosts    []string // that programs reach: HOST, HOST:PORT, *.HOST
}

var sandboxFields = []value.Field{{Name: "mode", Type: "string?"},
	{Name: "writable", Type: "list?"}, {Name: "hidden", Type: "list?"},
	{Name: "readable", Type: "list?"}, {Name: "sockets", Type: "list?"},
	{Name: "network", Type: "string|list?"}}

// sandboxModes are the values of mode; "on" is the default.
var sandboxModes = []string{"on", "off", "mounts", "namespaces", "bubblewrap", "landlock",
	"sandbox-exec"}

func (r *reader) setSandbox(v any) {
	t, _ := r.fields([]string{"sandbox"}, v, sandboxFields)
	s := &r.Sandbox
	s.Mode = r.oneOf("mode", value.Text(t, "mode"), sandboxModes)
	switch s.Mode {
	case "on":
		s.Mode = ""
	case "off":
		s.Mode = "none"
	}
	if hosts, ok := t["network"].([]any); ok {
		s.Network, s.Hosts = "none", r.hosts(hosts)
	} else {
		s.Network = r.oneOf("network", value.Text(t, "network"), []string{"all", "none"})
	}
	for key, into := range map[string]*[]string{"writable": &s.Writable, "hidden": &s.Hidden,
		"readable": &s.Readable, "sockets": &s.Sockets} {
		*into = r.places(key, t[key])
	}
}

// oneOf returns a text of [sandbox] if it is one of the words, else "" with a warning.
func (r *reader) oneOf(key, text string, words []string) string {
	for _, w := range words {
		if text == w {
			return text
		}
	}
	if text != "" {
		r.warn([]string{"sandbox", key}, "sandbox.%s: got %q, want one of %s%s", key, text,
			strings.Join(words, ", "), suggest.DidYouMean(text, words))
	}
	return ""
}

// hosts returns the hosts that programs reach.
func (r *reader) hosts(list []any) (out []string) {
	at := []string{"sandbox", "network"}
	for _, host := range r.texts(at, list) {
		if u, err := url.Parse("https://" + host); err != nil || u.Host != host || host == "" {
			r.warn(at, "sandbox.network: got %q, want a host: example.com, *.example.com or "+
				"10.0.0.7:8080", host)
			continue
		}
		out = append(out, host)
	}
	return out
}

// places returns the paths of a list in [sandbox].
func (r *reader) places(key string, v any) (out []string) {
	at := []string{"sandbox", key}
	for _, path := range r.texts(at, v) {
		switch {
		case strings.TrimSpace(path) == "" || strings.ContainsRune(path, 0):
			r.warn(at, "sandbox.%s: %q is no path", key, path)
		case key == "hidden" && glob.Check(path) != nil:
			r.warn(at, "sandbox.%s: %v", key, glob.Check(path))
		case key == "writable" && filepath.Clean(path) == string(filepath.Separator):
			r.warn(at, `sandbox.%s: "/" would make everything writable: mode = "off" says that`,
				key)
		default:
			out = append(out, path)
		}
	}
	return out
}
