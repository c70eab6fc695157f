// This file reads the files of a project that name MCP servers. A stranger may have written them.

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

	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/value"
)

// ProjectFile is the contents of a project's config.toml or .mcp.json. Nothing of it may take
// effect before the user trusts its bytes.
type ProjectFile struct {
	Root   string // the project
	Path   string
	SHA256 string // of the bytes that were read, hex
	MCP    []MCPServer

	unused []MCPServer // with mistakes
}

// maxProjectFile limits the size: a config is a page, and the time to decode it grows with the
// square of its size.
const maxProjectFile = 64 << 10

// ProjectPath returns the path of the config of the project at root.
func ProjectPath(root string) string { return filepath.Join(root, ".agent", file) }

// ProjectPaths returns the paths of the files that LoadProject reads.
func ProjectPaths(root string) []string {
	return []string{ProjectPath(root), filepath.Join(root, mcpJSON)}
}

// LoadProject reads .agent/config.toml and .mcp.json of the project at root, as far as they exist.
// They may only contain MCP servers.
func LoadProject(root, home string) (files []*ProjectFile, warnings []Warning) {
	one, warnings := loadProjectTOML(root, home)
	other, more := loadMCPJSON(root)
	for _, p := range []*ProjectFile{one, other} {
		if p != nil {
			files = append(files, p)
		}
	}
	return files, append(warnings, more...)
}

// readProjectFile reads a file by its path below root.
func readProjectFile(root, name string) (*ProjectFile, string, error) {
	path := filepath.Join(root, filepath.FromSlash(name))
	b, err := readPlain(path, maxProjectFile)
	switch {
	case err != nil:
		return nil, "", err
	case realpath.Escapes(root, path):
		return nil, "", errors.New("links out of the project")
	}
	sum := sha256.Sum256(b)
	return &ProjectFile{Root: root, Path: path, SHA256: hex.EncodeToString(sum[:])}, string(b), nil
}

// loadProjectTOML reads .agent/config.toml; nil if there is none, or if it is the user's own at
// home.
func loadProjectTOML(root, home string) (*ProjectFile, []Warning) {
	if realpath.Same(filepath.Join(root, ".agent"), home) {
		return nil, nil
	}
	p, text, err := readProjectFile(root, ".agent/"+file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, []Warning{inProject(unused(0, plain.Error(err)))}
	}
	m, warning := decodeTOML(text)
	if warning != nil {
		return p, []Warning{inProject(*warning)}
	}
	r := reader{source: text}
	for _, k := range value.SortedKeys(m) {
		if k == "picoclaw" {
			r.warn([]string{k}, "picoclaw is ignored: the config of a project starts no hooks; "+
				"put them into .agent/extensions/NAME/picoclaw.json, which runs when you trust it")
			continue
		}
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
	p.MCP, p.unused = r.MCP, r.unused
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

// readKept reads the version of a file that is in force.
func readKept(path string, maxBytes int64, keeper ledger.Keeper) ([]byte, error) {
	if keeper == nil {
		return readPlain(path, maxBytes)
	}
	b, err := keeper.Read(path)
	if err == nil && int64(len(b)) > maxBytes {
		err = fmt.Errorf("has more than %d bytes", maxBytes)
	}
	return b, err
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
