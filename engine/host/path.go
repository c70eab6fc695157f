// This file implements ext.path: operations on paths as text, without access to files.

package host

import (
	"path/filepath"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/touch"
)

// paths implements ext.path and ext.shell: it has the base of relative paths and of ~.
type paths struct {
	cwd, project, user string
	find               touch.Finder
}

func (p *paths) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"path.join": pathJoin, "path.base": pathBase, "path.dir": pathDir, "path.ext": pathExt,
		"path.abs": p.absolute, "path.rel": p.relative,
	}
}

func pathJoin(c *engine.HostCall) (any, error) {
	var parts []string
	for _, p := range list(c.Args[0]) {
		parts = append(parts, text(p))
	}
	return filepath.Join(parts...), nil
}

func pathBase(c *engine.HostCall) (any, error) { return filepath.Base(text(c.Args[0])), nil }

func pathDir(c *engine.HostCall) (any, error) { return filepath.Dir(text(c.Args[0])), nil }

func pathExt(c *engine.HostCall) (any, error) { return filepath.Ext(text(c.Args[0])), nil }

func (p *paths) absolute(c *engine.HostCall) (any, error) { return p.abs(text(c.Args[0])), nil }

// abs makes a path absolute, relative to the working directory.
func (p *paths) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.cwd, path)
}

// relative returns the path relative to a folder, by default the working directory.
func (p *paths) relative(c *engine.HostCall) (any, error) {
	from := p.cwd
	if c.Args[1] != nil {
		from = p.abs(text(c.Args[1]))
	}
	rel, err := filepath.Rel(from, p.abs(text(c.Args[0])))
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid", Message: "ext.path.rel: " + err.Error()}
	}
	return rel, nil
}
