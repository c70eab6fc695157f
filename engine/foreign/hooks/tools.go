// This file converts tool calls to the names and arguments of another host, and back.

package hooks

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// kindOf says how the value of an argument is converted.
type kindOf int

const (
	same    kindOf = iota
	file           // absolute there
	seconds        // milliseconds there
	listed         // a list of one there
)

// arg is an argument that a tool has in both programs.
type arg struct {
	ours, theirs string
	kind         kindOf
}

// shape is what a built-in tool is called there, and its arguments.
type shape struct {
	ours  string
	names []string // the first is its present name
	args  []arg
	idle  []string // arguments there that have no effect here
}

// toolset are the built-in tools of a host.
type toolset struct {
	shapes []shape
	edits  []arg // the fields of an edit
	spread bool  // those of a call with one edit are arguments there, not in a list
}

var claudeTools = toolset{[]shape{
	{"bash", []string{"Bash"}, []arg{{"command", "command", same}, {"timeout", "timeout", seconds},
		{"background", "run_in_background", same}}, []string{"description"}},
	{"write", []string{"Write"}, []arg{{"path", "file_path", file}, {"content", "content", same}},
		nil},
	{"edit", []string{"Edit", "MultiEdit"}, []arg{{"path", "file_path", file}}, nil},
	{"read", []string{"Read"}, []arg{{"path", "file_path", file}, {"offset", "offset", same},
		{"limit", "limit", same}}, nil},
	{"glob", []string{"Glob"}, []arg{{"pattern", "pattern", same}, {"path", "path", file}}, nil},
	{"grep", []string{"Grep"}, []arg{{"pattern", "pattern", same}, {"path", "path", file},
		{"glob", "glob", same}, {"ignore_case", "-i", same}, {"context", "-C", same},
		{"limit", "head_limit", same}}, []string{"output_mode"}},
	{"ls", []string{"LS"}, []arg{{"path", "path", file}}, nil},
	{"fetch", []string{"WebFetch"}, []arg{{"url", "url", same}}, []string{"prompt"}},
	{"agent", []string{"Agent", "Task"}, []arg{{"task", "prompt", same},
		{"agent", "subagent_type", same}, {"model", "model", same}}, []string{"description"}},
	{"skill", []string{"Skill"}, []arg{{"name", "skill", same}}, []string{"args"}},
}, []arg{{"old", "old_string", same}, {"new", "new_string", same}, {"all", "replace_all", same}},
	true}

// argNamed returns the argument with a name, here or there; nil if there is none.
func (s *shape) argNamed(name string, ours bool) *arg {
	for i := range s.args {
		if a := &s.args[i]; ours && a.ours == name || !ours && a.theirs == name {
			return a
		}
	}
	return nil
}

func (t *toolset) shapeOf(tool string) *shape {
	for i := range t.shapes {
		if t.shapes[i].ours == tool {
			return &t.shapes[i]
		}
	}
	return nil
}

// names returns the names of a tool there: its own, if it is not built in.
func (t *toolset) names(tool string) []string {
	if s := t.shapeOf(tool); s != nil {
		return s.names
	}
	return []string{tool}
}

// ownName returns the name here of a tool there.
func (t *toolset) ownName(theirs string) string {
	for i := range t.shapes {
		if slices.Contains(t.shapes[i].names, theirs) {
			return t.shapes[i].ours
		}
	}
	return theirs
}

// toolInput returns the arguments of a call as they are there.
func (t *toolset) toolInput(tool string, args map[string]any, dir string) map[string]any {
	s := t.shapeOf(tool)
	if s == nil {
		return args
	}
	in := map[string]any{}
	for name, v := range args {
		if a := s.argNamed(name, true); a != nil {
			in[a.theirs] = a.kind.there(v, dir)
		} else {
			in[name] = v
		}
	}
	if tool == "edit" {
		t.splitEdits(in)
	}
	return in
}

func (k kindOf) there(v any, dir string) any {
	switch n, isNumber := value.Number(v); {
	case k == seconds && isNumber:
		return n * 1000
	case k == listed:
		return []any{v}
	case k == file:
		if p, ok := v.(string); ok && p != "" && !filepath.IsAbs(p) {
			return filepath.Join(dir, p)
		}
	}
	return v
}

func (k kindOf) here(v any) any {
	if list, ok := v.([]any); ok && k == listed && len(list) == 1 {
		return list[0]
	}
	if n, ok := value.Number(v); ok && k == seconds {
		return n / 1000
	}
	return v
}

// splitEdits puts the fields of the edits where hooks look for them: old_string and new_string.
// Those of several edits are joined, and edits has them one by one.
func (t *toolset) splitEdits(in map[string]any) {
	list, _ := in["edits"].([]any)
	var edits []any
	var texts [2][]string
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return // the schema of the tool refuses it
		}
		edit := t.edit(m, true)
		edits = append(edits, edit)
		for i := range texts {
			texts[i] = append(texts[i], value.Text(edit, t.edits[i].theirs))
		}
	}
	switch {
	case len(edits) == 0:
		return
	case !t.spread:
		in["edits"] = edits
		return
	case len(edits) == 1:
		delete(in, "edits")
		for k, v := range edits[0].(map[string]any) {
			in[k] = v
		}
		return
	}
	in["edits"] = edits
	for i, list := range texts {
		in[t.edits[i].theirs] = strings.Join(list, "\n")
	}
}

// ownArgs returns the arguments here for those that a hook wants instead of sent, which were made
// of args. What only this program has stays.
func (t *toolset) ownArgs(tool string, args, sent, want map[string]any) (map[string]any, error) {
	s := t.shapeOf(tool)
	if s == nil {
		return want, nil
	}
	out := map[string]any{}
	for name, v := range args {
		if s.argNamed(name, true) == nil && (tool != "edit" || name != "edits") {
			out[name] = v
		}
	}
	if tool == "edit" {
		edits, err := t.joinEdits(args, sent, want)
		if err != nil {
			return nil, err
		}
		out["edits"] = edits
	}
	for name, v := range want {
		a := s.argNamed(name, false)
		switch {
		case a != nil && reflect.DeepEqual(v, sent[name]):
			out[a.ours] = args[a.ours] // as it was written
		case a != nil:
			out[a.ours] = a.kind.here(v)
		case slices.Contains(s.idle, name), tool == "edit" && t.isEdit(name):
		default:
			out[name] = v // the schema of the tool judges it
		}
	}
	return out, nil
}

func (t *toolset) isEdit(name string) bool {
	return name == "edits" || (&shape{args: t.edits}).argNamed(name, false) != nil
}

// edit returns an edit with the names there, or here.
func (t *toolset) edit(m map[string]any, there bool) map[string]any {
	edit := map[string]any{}
	for _, k := range t.edits {
		from, to := k.theirs, k.ours
		if there {
			from, to = to, from
		}
		if v, ok := m[from]; ok {
			edit[to] = v
		}
	}
	return edit
}

// joinEdits returns the edits of the arguments that a hook wants.
func (t *toolset) joinEdits(args, sent, want map[string]any) (any, error) {
	list, several := want["edits"].([]any)
	if !several {
		if _, had := sent["edits"]; had {
			return nil, errors.New("updatedInput has no edits, but the call has several")
		}
		if _, had := want["old_string"]; !had {
			return args["edits"], nil
		}
		list = []any{want}
	} else if t.spread && (want["old_string"] != sent["old_string"] ||
		want["new_string"] != sent["new_string"]) {
		return nil, errors.New("updatedInput changes old_string or new_string of a call with " +
			"several edits: it must change edits")
	}
	var edits []any
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("updatedInput.edits: got %s, want objects", value.TypeName(e))
		}
		edits = append(edits, t.edit(m, false))
	}
	return edits, nil
}

// plainText returns the text of a result.
func plainText(content any) string {
	list, isList := content.([]any)
	if !isList {
		text, _ := content.(string)
		return text
	}
	var texts []string
	for _, block := range list {
		if m, ok := block.(map[string]any); ok && m["type"] == "text" {
			texts = append(texts, value.Text(m, "text"))
		}
	}
	return strings.Join(texts, "\n")
}

// toolResponse returns the result of a call as it is there.
func toolResponse(tool string, in map[string]any, content any) any {
	text := plainText(content)
	name := in["file_path"]
	switch tool {
	case "bash":
		return object("stdout", text, "stderr", "", "interrupted", false, "isImage", false)
	case "write":
		return object("filePath", name, "success", true)
	case "edit":
		return object("filePath", name, "success", true, "oldString", in["old_string"],
			"newString", in["new_string"])
	case "read":
		return object("type", "text", "file", object("filePath", name, "content", text, "numLines",
			strings.Count(text, "\n")+1))
	}
	return content
}

// ownContent returns the content here for the result that a hook wants: ok is false if it has not
// the shape of the results of the tool.
func ownContent(tool string, want any) (content string, ok bool) {
	m, isTable := want.(map[string]any)
	switch text, isText := want.(string); {
	case isText:
		return text, true
	case isTable && tool == "bash" && m["stdout"] != nil:
		return strings.Trim(value.Text(m, "stdout")+"\n"+value.Text(m, "stderr"), "\n"), true
	case isTable && tool == "read":
		file, _ := m["file"].(map[string]any)
		text, ok := file["content"].(string)
		return text, ok
	}
	return "", false
}
