// This file writes a script as a text that somebody else can install from.

package share

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/lint"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/shell"
)

// Text returns a script as Markdown for a chat or a gist: what it is, its hash, the line that
// installs it, and all of it.
func Text(s Status) (string, error) {
	if s.Err != nil {
		return "", fmt.Errorf("%s: %w", s.Path, s.Err)
	}
	text, err := readScript(s.Path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Path, err)
	}
	for _, x := range lint.Source(s.File, text) {
		if x.Rule == "unicode" && x.Level == lint.Error {
			return "", fmt.Errorf("%s:%d: %s; what is shared must be what is seen",
				plain.RevealName(s.File), x.Line, plain.Reveal(x.Message))
		}
	}
	f := newFile(s.File, text, Source{}, "")
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`", s.File)
	if s.Header.Summary != "" {
		fmt.Fprintf(&b, ": %s", plain.RevealLine(s.Header.Summary))
	}
	fmt.Fprintf(&b, "\n\n- sha256: `%s`\n", f.SHA256)
	for _, w := range load.Wants(string(text), s.Header.Grants, s.Header.Grants) {
		fmt.Fprintf(&b, "- it %s\n", plain.Text(w.String()))
	}
	if len(s.Header.Grants) == 0 {
		fmt.Fprintf(&b, "- it %s\n", load.NoGrant)
	}
	if e := s.Entry; e != nil && s.Drift == DriftNone && elsewhere(e.Source) {
		source, name := exactSource(e)
		words := []string{"agent", "ext", "install", source}
		if name != e.File {
			words = append(words, "--as", e.File)
		}
		line, err := shell.Quote(words)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nTo install it:\n\n    %s\n", line)
	} else {
		fmt.Fprintf(&b, "\nTo install it, save it as `%s`, then:\n\n    agent ext install ./%s\n",
			s.File, s.File)
	}
	fmt.Fprintf(&b, "\n%s\n", plain.Fenced(strings.TrimPrefix(filepath.Ext(s.File), "."),
		strings.TrimRight(string(text), "\n")))
	return b.String(), nil
}

// exactSource is the source of an entry that leads to its very bytes: with their hash, or the
// commit that they are from. name is what the file is called there.
func exactSource(e *Entry) (source, name string) {
	s, err := ParseSource(e.Source)
	switch {
	case err != nil:
	case s.Kind == KindURL:
		name = e.File // it may be that of another address, after a redirect
		if s.SHA256 == "" {
			return strings.TrimSuffix(e.Source, "#") + "#sha256=" + e.SHA256, name
		}
	case s.Kind == KindGit:
		name = path.Base(s.Path)
		if commits().MatchString(e.Resolved) {
			s.Ref = e.Resolved
			return s.only(s.Path), name
		}
	}
	return e.Source, name
}

// elsewhere reports whether others can reach a source.
func elsewhere(source string) bool {
	s, err := ParseSource(source)
	return err == nil && s.Kind != KindFile && !strings.HasPrefix(s.At, "file:") &&
		!filepath.IsAbs(s.At)
}
