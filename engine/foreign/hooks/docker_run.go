// This file has where the commands of docker-agent's hooks run, and with which variables.

package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/value"
)

// expandEnv replaces ${env.NAME} in a text, and also $NAME and ${NAME} in the path of a folder.
func expandEnv(text string, path bool, get func(name string) string) string {
	out := ""
	for {
		before, rest, found := strings.Cut(text, "${env.")
		name, after, closes := strings.Cut(rest, "}")
		if !found || !closes {
			break
		}
		out, text = out+before+get(name), after
	}
	if rest, home := realpath.CutHome(text); home && path && out == "" {
		text = "$HOME/" + rest
	}
	if path {
		return os.Expand(out+text, get)
	}
	return out + text
}

// variables returns the names of the environment variables that a hook may read.
func (h *hook) variables() (names []string) {
	names = h.allowed
	note := func(name string) string {
		names = append(names, name)
		return ""
	}
	for _, v := range h.env {
		text, _ := v.(string)
		expandEnv(text, false, note)
	}
	expandEnv(h.dir, true, note)
	return names
}

// surroundings returns the folder in which a hook of docker-agent runs, and its own variables.
func (x *extension) surroundings(run *engine.Run, h *hook, env *event.Envelope) (dir string,
	vars message, err error) {
	get := func(name string) string {
		v, failed := x.api.Invoke(run, "env", name)
		if failed != nil {
			err = failed
		}
		text, _ := v.(string)
		return text
	}
	vars = message{}
	for _, name := range value.SortedKeys(h.env) {
		text, _ := h.env[name].(string)
		vars[name] = expandEnv(text, false, get)
	}
	dir = expandEnv(h.dir, true, get)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.CWD, dir)
	}
	return dir, vars, err
}
