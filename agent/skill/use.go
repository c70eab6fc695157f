// This file provides the tool skill, and the commands /skill and /skills.

package skill

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// partBytes and partLines limit how much of a SKILL.md the model gets at once: with the list of
	// files it fits in a result, see package output.
	partBytes = output.Bytes
	partLines = output.Lines - 2*maxFiles
	// filesBytes limits the list of files.
	filesBytes = output.Room / 2
	// maxFiles limits the number of a skill's files in the list: the model can use ls and glob.
	maxFiles = 100
	// maxDepth limits how deep the files of a skill are looked for.
	maxDepth = 4
)

// Plugin returns the additions to an engine: the tool skill, and the commands /skill and /skills.
func (s *Store) Plugin() engine.Plugin {
	return engine.Plugin{Name: "skills", Tools: []*engine.Tool{tool.Skill(s.give)},
		Commands: []*engine.Command{
			{Name: "skills", Source: "builtin", Description: "the skills there are",
				Args: []slash.Param{}, GoRun: s.listCmd},
			{Name: "skill", Source: "builtin", Hint: "NAME [TASK]",
				Description: "give the model a skill, and a task", GoRun: s.useCmd,
				GoComplete: s.completeName},
		}}
}

// give runs the tool skill.
func (s *Store) give(_ context.Context, use *engine.Use) (*engine.Result, error) {
	k, err := s.findSkill(value.Text(use.Args, "name"))
	if err != nil {
		return nil, err
	}
	parts, n := k.parts(), 1
	if part, ok := value.Number(use.Args["part"]); ok {
		n = int(min(part, float64(len(parts)+1)))
	}
	if n > len(parts) {
		return nil, fmt.Errorf("skill %s: part: it has %d", k.Name, len(parts))
	}
	r := engine.TextResult(k.text(n))
	r.Details = map[string]any{"name": k.Name, "dir": k.Dir}
	r.Display = &ui.Display{Title: k.Name, Kind: "markdown", Text: parts[n-1]}
	return r, nil
}

// parts splits the instructions into pieces that fit in a result, at line ends if lines are not too
// long.
func (k *Skill) parts() []string {
	body, parts, from, lines := k.content(), []string{}, 0, 0
	for at := 0; at < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if from < at && (end-from > partBytes || lines == partLines) {
			parts, from, lines = append(parts, body[from:at]), at, 0
		}
		if end-from > partBytes { // one line
			end = from + len(plain.Head(body[from:], partBytes))
		}
		at, lines = end, lines+1
	}
	return append(parts, body[from:])
}

// findSkill finds a skill by name.
func (s *Store) findSkill(name string) (*Skill, error) {
	var names []string
	for _, k := range s.List() {
		if k.Name == name {
			return &k, nil
		}
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("unknown skill %q: there are no skills", name)
	}
	return nil, fmt.Errorf("unknown skill %q%s; there is %s", name, suggest.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// text returns the text for the model: the part of the skill's instructions with this number, 1 =
// the first.
func (k *Skill) text(n int) string {
	parts, where := k.parts(), ""
	if k.builtin == nil {
		where = ", in the folder " + k.Dir
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Skill %s%s\n\n%s\n", k.Name, where, strings.TrimSuffix(parts[n-1], "\n"))
	if n < len(parts) {
		fmt.Fprintf(&b, "\n[This is part %d of %d. For the next call the tool skill with the "+
			"name %s and part %d.]\n", n, len(parts), k.Name, n+1)
	}
	if k.builtin != nil || n > 1 {
		return b.String()
	}
	if names := k.files(); len(names) > 0 {
		fmt.Fprintf(&b, "\nFiles in %s:\n- %s\n", k.Dir, strings.Join(names, "\n- "))
	}
	return b.String()
}

// files lists the files beside SKILL.md without following links.
func (k *Skill) files() (names []string) {
	left := filesBytes
	_ = filepath.WalkDir(k.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil { // unreadable files are not listed
			return nil
		}
		rel, err := filepath.Rel(k.Dir, path)
		hidden := strings.HasPrefix(d.Name(), ".") && path != k.Dir
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || strings.Count(rel, string(filepath.Separator)) >= maxDepth):
			return filepath.SkipDir
		case d.IsDir() || hidden || rel == file || strings.ContainsAny(rel, "\n\r\x1b"):
			return nil
		case len(names) == maxFiles || len(rel) > left:
			names = append(names, "[more]")
			return filepath.SkipAll
		}
		names = append(names, filepath.ToSlash(rel))
		left -= len(rel)
		return nil
	})
	return names
}

func (s *Store) listCmd(context.Context, *event.Envelope, any) (slash.Result, error) {
	var b strings.Builder
	for _, k := range s.List() {
		place := "`" + k.Dir + "`"
		if k.builtin != nil {
			place = "built in"
		}
		fmt.Fprintf(&b, "- **%s** %s · %s", k.Name, k.Description, place)
		if k.Manual {
			b.WriteString(" · not listed to the model")
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		b.WriteString("No skills. A skill is a folder in `~/.agent/skills` or in the project's " +
			"`.agent/skills`, with a file `SKILL.md` that tells the model how something is done.")
	}
	return slash.Result{Display: b.String()}, nil
}

func (s *Store) useCmd(_ context.Context, _ *event.Envelope, args any) (slash.Result,
	error) {
	line, _ := args.(string)
	words := strings.Fields(line)
	if len(words) == 0 {
		return slash.Result{Error: "usage: /skill NAME [TASK]; /skills lists them"}, nil
	}
	k, err := s.findSkill(words[0])
	if err != nil {
		return slash.Result{Error: plain.Error(err)}, nil
	}
	// the task may begin in the next line
	task := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), words[0]))
	if task == "" {
		task = "Follow the skill " + k.Name + "."
	}
	return slash.Result{Prompt: k.text(1) + "\n" + task}, nil
}

func (s *Store) completeName(_ context.Context, _ *event.Envelope,
	prefix string) (out []slash.Completion, err error) {
	for _, k := range s.List() {
		if strings.HasPrefix(k.Name, prefix) {
			out = append(out, slash.Completion{Value: k.Name, Description: k.Description})
		}
	}
	return out, nil
}
