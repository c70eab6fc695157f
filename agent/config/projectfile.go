// This file reads the config.toml of a project, which a stranger may have written.

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/value"
)

// ProjectFile is the contents of a project's config.toml. Nothing of it may take effect before the
// user trusts its bytes.
type ProjectFile struct {
	Root   string // the project
	Path   string
	SHA256 string // of the bytes that were read, hex
	MCP    []MCPServer
}

// maxProjectFile limits the size: a config is a page, and the time to decode it grows with the
// square of its size.
const maxProjectFile = 64 << 10

// ProjectPath returns the path of the config of the project at root.
func ProjectPath(root string) string { return filepath.Join(root, ".agent", file) }

// LoadProject reads .agent/config.toml of the project at root; nil if there is none, or if it is
// the user's own at home. It may only contain MCP servers.
func LoadProject(root, home string) (*ProjectFile, []Warning) {
	dir := filepath.Join(root, ".agent")
	if realpath.Same(dir, home) {
		return nil, nil
	}
	path := ProjectPath(root)
	b, err := readPlain(path, maxProjectFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, []Warning{inProject(unused(0, plain.Error(err)))}
	}
	sum := sha256.Sum256(b)
	p := &ProjectFile{Root: root, Path: path, SHA256: hex.EncodeToString(sum[:])}
	m, warning := decodeTOML(string(b))
	if warning != nil {
		return p, []Warning{inProject(*warning)}
	}
	r := reader{source: string(b)}
	for _, k := range value.SortedKeys(m) {
		if k != "mcp" {
			r.warn([]string{k},
				"%.80q is ignored: the config of a project may name MCP servers, [mcp.NAME], and "+
					"nothing else; never a provider's address or key, environment, mode or trust",
				k)
			continue
		}
		r.setMCP(m[k])
	}
	for i := range r.MCP {
		s := &r.MCP[i]
		if s.Project = true; s.ReadOnly != nil {
			r.warn([]string{"mcp", s.Name, "read_only"},
				"mcp.%s: read_only is ignored: only your own config can say that a tool only reads",
				s.Name)
			s.ReadOnly = nil
		}
		if s.Unconfined {
			r.warn([]string{"mcp", s.Name, "sandbox"},
				"mcp.%s: sandbox is ignored: only your own config can run a server outside of it",
				s.Name)
			s.Unconfined = false
		}
	}
	p.MCP = r.MCP
	warnings := few(r.warnings)
	for i := range warnings {
		warnings[i] = inProject(warnings[i])
	}
	return p, warnings
}

func inProject(w Warning) Warning {
	w.file = ".agent/" + file
	return w
}

// readPlain reads a regular file of limited size.
func readPlain(path string, maxBytes int64) ([]byte, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if int64(len(b)) > maxBytes {
		return nil, fmt.Errorf("has more than %d bytes", maxBytes)
	}
	return b, err
}
