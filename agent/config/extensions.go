// This file reads [extensions]: whose extensions are used where they are.

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Extensions are the settings of extensions of other hosts.
type Extensions struct {
	From []string // names of hosts: see hosts.All
}

var extensionFields = []value.Field{{Name: "from", Type: "list?"}}

func (r *reader) setExtensions(v any) {
	t, _ := r.fields([]string{"extensions"}, v, extensionFields)
	var known []string
	for _, h := range hosts.All() {
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

// AddFrom adds names to [extensions] from in the settings of a home, whose other text stays as it
// is. It returns the path of the file. keeper says which version is in force.
func AddFrom(home string, names []string, keeper ledger.Keeper) (path string, err error) {
	own := filepath.Join(home, file)
	path = own
	if real, err := filepath.EvalSymlinks(path); err == nil { // it may be kept elsewhere
		path = real
	}
	old, err := keeper.Base(own)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path, plain.Cause(err)
	}
	now, warnings := Load(home, keeper)
	if len(warnings) > 0 {
		return path, fmt.Errorf("%s: correct this first", warnings[0].String())
	}
	from := slices.Concat(now.Extensions.From, names)
	var quoted []string
	for _, name := range from {
		quoted = append(quoted, strconv.Quote(name))
	}
	line := "from = [" + strings.Join(quoted, ", ") + "]"
	text := string(old)
	if at := fromLine().FindStringIndex(text); at != nil {
		text = text[:at[0]] + "[extensions]\n" + line + text[at[1]:]
	} else {
		text = strings.TrimRight(text, "\n") + "\n\n[extensions]\n" + line + "\n"
		text = strings.TrimPrefix(text, "\n\n")
	}
	var decoded struct{ Extensions Extensions }
	if _, err := toml.Decode(text, &decoded); err != nil ||
		!slices.Equal(decoded.Extensions.From, from) {
		return path, fmt.Errorf("%s cannot be changed by a program: write %s below [extensions]",
			plain.RevealName(path), line)
	}
	if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
		return path, err
	}
	return path, keeper.Wrote(own, []byte(text))
}

// fromLine matches a table with only a list of hosts.
var fromLine = lazyregexp.New(`(?m)^\[extensions\][ \t]*\n(?:[ \t]*\n)*[ \t]*from` +
	`[ \t]*=[ \t]*\[[^\]]*\]`)
