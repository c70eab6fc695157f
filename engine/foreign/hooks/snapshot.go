// This file has the builtin snapshot of docker-agent, and its commands.

package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// shot is a snapshot: a state of the working directory.
type shot struct {
	Tree   string   // git's name
	Prompt string   // whose work it is; "" = the user's
	Time   int64    // seconds since 1970
	Before int      // the number of the previous snapshot; 0 = none
	Files  int      // how many are not as before
	Names  []string // of some of them
	Large  []string // files that were too large
}

// history is the snapshots of a session in one working directory.
type history struct {
	Now   int // the number of the present state
	Shots []shot
}

// working is what the agent is doing, as far as the builtin has heard: it tells its changes from
// those of the user.
type working struct {
	prompt string
	turn   int
	over   bool
	starts bool // the starts of turns are heard
}

// takeSnapshot is the builtin snapshot. It does not fail: it says once why it keeps nothing.
func takeSnapshot(a *asked, h *hook, _ message) *answer {
	env := a.ev.Env()
	if env.Depth > 0 || a.row.ofTool && a.ev.Field("read_only") == true {
		return &answer{}
	}
	x := a.x
	x.snaps.Lock()
	defer x.snaps.Unlock()
	if x.slow {
		return &answer{}
	}
	s, err := x.openShadow(a.run, env, h.limit())
	if err == nil {
		defer s.close()
		err = s.takeShot(x.workOf(a.row.ours, env))
		if err == nil && a.row.ours == "session_end" {
			err = s.prune()
		}
	}
	if err != nil && a.run.Context().Err() == nil {
		x.slow = errors.Is(err, errSlow)
		if text := "snapshot: " + plain.Error(err); text != x.why {
			x.why = text
			x.api.Tell("warn", text)
		}
	}
	return &answer{}
}

// workOf returns the prompt that has changed the files since the last snapshot, "" if the user has,
// and notes what the agent is doing now.
func (x *extension) workOf(ours string, env *event.Envelope) string {
	w := &x.work
	prompt := cmp.Or(env.PromptID, "-")
	by, other := w.prompt, w.prompt != prompt
	switch ours {
	case "turn_start":
		if w.over && other {
			by = ""
		}
		*w = working{prompt, env.Turn, false, true}
	case ofCall, "tool_result", "turn_end":
		if other && w.starts { // it is told late
			return by
		}
		if other {
			by = prompt
		}
		if other && ours == ofCall {
			by = ""
		}
		w.over = ours == "turn_end" && (other || env.Turn >= w.turn)
		w.prompt, w.turn = prompt, max(w.turn, env.Turn)
	default:
		if w.over {
			by = ""
		}
		w.over = true
	}
	return by
}

// takeShot keeps the present state, if it is not the last one.
func (s *shadow) takeShot(prompt string) error {
	tree, large, err := s.tree()
	if err != nil {
		return err
	}
	h := s.history
	next := shot{Tree: tree, Prompt: prompt, Time: time.Now().Unix(), Before: h.Now, Large: large}
	if h.Now > 0 {
		last := &h.Shots[h.Now-1]
		if last.Tree == tree {
			last.Large = large
			return nil
		}
		changed, err := s.changes(last.Tree, tree)
		if err != nil {
			return err
		}
		next.Files = len(changed)
		for _, c := range changed[:min(len(changed), mostNames)] {
			next.Names = append(next.Names, c.path)
		}
	}
	h.Shots = append(h.Shots, next)
	h.Now = len(h.Shots)
	return s.save()
}

// mostNames is how many files are named for one snapshot.
const mostNames = 5

// change is what has to happen to a file: 'D' = it is removed, 'A' = there is none yet.
type change struct {
	kind byte
	path string
}

// changes returns how a state becomes another one.
func (s *shadow) changes(from, to string) (all []change, err error) {
	if _, err = s.git(diffScript, from, to); err != nil {
		return nil, err
	}
	list, err := s.list("list")
	for i := 0; i+1 < len(list); i += 2 {
		all = append(all, change{list[i][0], list[i+1]})
	}
	return all, err
}

// prune removes what is older than a week.
func (s *shadow) prune() error {
	_, err := s.git(pruneScript)
	return err
}

// undo restores the files that the last prompt has changed.
func (s *shadow) undo() (string, error) {
	shots := s.history.Shots
	for top := s.history.Now; ; {
		for top > 0 && shots[top-1].Prompt == "" {
			top = shots[top-1].Before
		}
		if top == 0 || shots[top-1].Before == 0 {
			return "There is nothing to undo.", nil
		}
		prompt, base := shots[top-1].Prompt, top
		for shots[base-1].Prompt == prompt && shots[base-1].Before > 0 {
			base = shots[base-1].Before
		}
		changed, err := s.changes(shots[base-1].Tree, shots[top-1].Tree)
		if err != nil {
			return "", err
		}
		if len(changed) > 0 {
			return s.restore(base, changed)
		}
		top = base
	}
}

// restore restores the files of a snapshot: all of them, or only some.
func (s *shadow) restore(number int, only []change) (string, error) {
	h := s.history
	from, to := h.Now, h.Shots[number-1]
	list, err := s.changes(h.Shots[from-1].Tree, to.Tree)
	if err != nil {
		return "", err
	}
	if only != nil {
		list = sifted(list, func(path string) bool { return named(only, path) })
	}
	said := s.putAll(list, &to)
	tree, _, err := s.tree()
	if err != nil {
		return "", err
	}
	left, err := s.changes(tree, to.Tree)
	if err != nil {
		return "", err
	}
	if h.Now = number; len(list) > 0 && tree == h.Shots[from-1].Tree {
		h.Now = from
	} else if tree != to.Tree {
		err = s.takeShot("")
	}
	return report(list, left, from, said), errors.Join(err, s.save())
}

func named(list []change, path string) bool {
	return len(sifted(list, func(p string) bool { return p == path })) > 0
}

// sifted returns the changes of some paths.
func sifted(list []change, some func(path string) bool) (out []change) {
	for i := range list {
		if some(list[i].path) {
			out = append(out, list[i])
		}
	}
	return out
}

// report tells what a restoration has done.
func report(list, left []change, from int, said error) string {
	done, rest := "", ""
	for _, c := range list {
		what := "changed back"
		switch c.kind {
		case 'A':
			what = "restored"
		case 'D':
			what = "removed"
		}
		if line := "\n- " + what + " " + plain.Line(c.path, 200); named(left, c.path) {
			rest += "\n- " + plain.Line(c.path, 200)
		} else {
			done += line
		}
	}
	if done == "" && rest == "" {
		return "The files are as they were then."
	}
	text := ""
	if done != "" {
		text = fmt.Sprintf("Files:%s\n\n`/reset %d` brings back what was there just now.", done,
			from)
	}
	if rest != "" {
		text += "\n\nLeft as they are, because something is in the way that no snapshot has, or " +
			"git could not restore them:" + rest
	}
	if said != nil {
		text += "\n\n" + plain.Error(said)
	}
	return strings.TrimSpace(text)
}

// putAll makes files as they were in a snapshot. What no snapshot has is not removed or replaced.
func (s *shadow) putAll(list []change, to *shot) error {
	var rules, removed, rest []change
	for _, c := range list {
		switch {
		case path.Base(c.path) == ".gitignore": // they tell what was ignored then
			rules = append(rules, c)
		case c.kind == 'D':
			removed = append(removed, c)
		default:
			rest = append(rest, c)
		}
	}
	err := s.putSome(s.free(rules), to)
	if len(rules) > 0 && len(removed) > 0 {
		if failed := s.writeChanges(removed, ""); failed != nil {
			return failed
		}
		if _, failed := s.git(ignoredScript); failed != nil {
			return failed
		}
		ignored, failed := s.list("said")
		if failed != nil {
			return failed
		}
		removed = sifted(removed, func(path string) bool { return !slices.Contains(ignored, path) })
	}
	removed = sifted(removed, func(path string) bool { return !slices.Contains(to.Large, path) })
	return errors.Join(err, s.putSome(removed, to), s.putSome(s.free(rest), to))
}

func (s *shadow) writeChanges(list []change, magic string) error {
	var names []string
	for _, c := range list {
		names = append(names, magic+c.path)
	}
	return s.writeFile("list", strings.Join(names, "\x00"))
}

func (s *shadow) putSome(list []change, to *shot) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.writeChanges(list, ":(literal)"); err != nil {
		return err
	}
	_, err := s.git(putScript, to.Tree)
	return err
}

// free returns the files that can be written without a loss: there is nothing in their place but
// what the present snapshot has, and no link or file in place of a folder above.
func (s *shadow) free(list []change) (free []change) {
	for _, c := range list {
		at, ok := s.root, true
		names := strings.Split(c.path, "/")
		for i, name := range names {
			at = filepath.Join(at, name)
			st, err := os.Lstat(at)
			if os.IsNotExist(err) {
				break
			}
			above := i < len(names)-1
			ok = ok && err == nil && st.IsDir() == above && (above || c.kind != 'A')
		}
		if ok {
			free = append(free, c)
		}
	}
	return free
}

// reset restores the files of a snapshot.
func (s *shadow) reset(number int) (string, error) {
	if n := len(s.history.Shots); number < 1 || number > n {
		return "", fmt.Errorf("there is no snapshot %d: want 1 to %d, as /snapshots lists them",
			number, n)
	}
	return s.restore(number, nil)
}

// listShots lists the snapshots.
func (s *shadow) listShots(int) (string, error) {
	text := ""
	for i, x := range s.history.Shots {
		text += fmt.Sprintf("%d. %s, ", i+1, time.Unix(x.Time, 0).Format(time.DateTime))
		switch {
		case x.Before == 0:
			text += "the first one"
		default:
			text += plain.Count(x.Files, "file") + ": " +
				plain.Line(strings.Join(x.Names, ", "), 200)
			if x.Files > len(x.Names) {
				text += " …"
			}
		}
		if i+1 == s.history.Now {
			text += " (now)"
		}
		text += "\n"
	}
	return text, nil
}

// mostRestoring is how long a command of snapshots may take.
const mostRestoring = 2 * time.Minute

// command does something with the snapshots of the session, after it has kept the present state.
func (x *extension) command(run *engine.Run, do func(s *shadow) (string, error)) (string, error) {
	x.snaps.Lock()
	defer x.snaps.Unlock()
	s, err := x.openShadow(run, run.Env, mostRestoring)
	if err != nil {
		return "", err
	}
	defer s.close()
	if err := s.takeShot(x.workOf("", run.Env)); err != nil {
		return "", err
	}
	return do(s)
}

// registerSnapshots registers the commands of the builtin snapshot.
func (x *extension) registerSnapshots(run *engine.Run, a extapi.API) (err error) {
	for _, c := range []struct {
		name, about string
		args        []any
		do          func(s *shadow, n int) (string, error)
	}{
		{"undo", "Restores the files that the last prompt has changed", nil,
			func(s *shadow, _ int) (string, error) { return s.undo() }},
		{"reset", "Restores the files of a snapshot, or of the first one",
			[]any{"n integer?: its number"}, (*shadow).reset},
		{"snapshots", "Lists the snapshots of your files", nil, (*shadow).listShots},
	} {
		options := object("name", c.name, "description", c.about, "run", a.Func(func(
			run *engine.Run, args []any) (any, error) {
			n := 1
			if in := plainOf(args[0]); in["n"] != nil {
				f, _ := value.Number(in["n"])
				n = int(f)
			}
			text, err := x.command(run, func(s *shadow) (string, error) { return c.do(s, n) })
			if err != nil {
				return object("error", plain.Error(err)), nil
			}
			return object("display", text), nil
		}))
		if c.args != nil {
			options["args"] = c.args
		}
		if err == nil {
			_, err = a.Invoke(run, "command", options)
		}
	}
	return err
}

// plainOf returns an argument that is a table.
func plainOf(v any) message {
	v, _ = value.Plain(v) // it is an argument, which is plain
	m, _ := v.(message)
	return m
}
