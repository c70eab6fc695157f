// This file looks up the script languages, and the formats of other hosts, which Go code may add at
// run time.

package engine

import (
	"path"
	"slices"
	"strings"
)

// Format is a Runtime for extensions that were made for another host. It knows them by a file of a
// fixed name, the manifest, among the scripts or in a folder there; that file's bytes are the
// script. Its Extensions are usually none. What it registers may be written in Go (Handler.GoFn,
// Command.GoRun, Tool.Run), and Load may return a nil VM if nothing is to be closed.
type Format interface {
	Runtime
	// Manifest is the name of that file: "extension.json".
	Manifest() string
	// Header reads what a script would say in its header: the tools that it guards, the powers that
	// it asks for. It runs nothing. An error is shown to the user, who may be asked about every
	// call until the extension loads.
	Header(manifest []byte) (Header, error)
}

// Runtimes returns the languages and formats that there are now, in the order in which they are
// asked whose a file is.
func (e *Engine) Runtimes() []Runtime { return e.Snapshot().runtimes }

// Runtime returns the runtime of a script by its name, which may be FOLDER/MANIFEST; nil if it is
// nobody's.
func (e *Engine) Runtime(name string) Runtime {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	for _, r := range e.Runtimes() {
		if f, ok := r.(Format); ok && f.Manifest() == base {
			return r
		}
		if base == name && ext != "" && slices.Contains(r.Extensions(), ext) {
			return r
		}
	}
	return nil
}
