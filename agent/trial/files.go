// This file reads the files of a world, and the script itself.

package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/realpath"
)

// file implements t.file. It can only access the world's own folder, whatever links a script has
// made there.
func (w *world) file(c *engine.HostCall, _ *last) (any, error) {
	path, text := c.Args[0].(string), c.Args[1]
	base, name := w.project(), path
	if rest, ok := realpath.CutHome(path); ok {
		base, name = filepath.Dir(w.home), rest
	}
	if name = filepath.FromSlash(name); !filepath.IsLocal(name) || filepath.Clean(name) == "." {
		return nil, fmt.Errorf(
			"t.file: path: got %q, want a file of the project, or ~/ and one of the home directory",
			path)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, fmt.Errorf("t.file: %w", err)
	}
	defer root.Close()
	if text == nil {
		if err = root.RemoveAll(name); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else if err = root.MkdirAll(filepath.Dir(name), 0o700); err == nil {
		err = root.WriteFile(name, []byte(text.(string)), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("t.file: %w", err)
	}
	return nil, nil
}
