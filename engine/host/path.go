// This file holds ext.path: names of files as text. Nothing is looked at.

package host

import (
	"path/filepath"

	"github.com/agentscripts/agent/engine"
)

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

func (t *Table) pathAbs(c *engine.HostCall) (any, error) { return t.abs(text(c.Args[0])), nil }

// abs makes a path absolute, from the working directory.
func (t *Table) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(t.o.CWD, path)
}

// pathRel says how to get to a path from a folder, from the working directory if there is none.
func (t *Table) pathRel(c *engine.HostCall) (any, error) {
	from := t.o.CWD
	if c.Args[1] != nil {
		from = t.abs(text(c.Args[1]))
	}
	rel, err := filepath.Rel(from, t.abs(text(c.Args[0])))
	if err != nil {
		return nil, &engine.WorldError{Code: "invalid", Message: "ext.path.rel: " + err.Error()}
	}
	return rel, nil
}
