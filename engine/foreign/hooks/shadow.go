// This file has git's folder of the snapshots of a working directory.

package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/filelock"
	"github.com/agentscripts/agent/engine/gitdir"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/value"
)

// shadow is a folder of git in the extension's own folder, for the snapshots of one working
// directory. It is locked while it is open. It has settings and attributes of its own, and git
// reads no others, so no filter, hook or watcher of the user or of the project runs, and files are
// kept as they are.
type shadow struct {
	x       *extension
	run     *engine.Run
	dir     string
	root    string // the work tree
	rel     string // the working directory in it, with slashes
	end     time.Time
	lock    *os.File
	path    string // of the history
	history *history
}

const (
	shadowConfig = "[core]\nrepositoryformatversion=0\nbare=false\nautocrlf=false\n" +
		"fsmonitor=false\nhooksPath=/dev/null\nlongpaths=true\nuntrackedCache=false\n" +
		"[gc]\nauto=0\n"
	shadowAttributes = "* -text -eol -ident -filter -working-tree-encoding\n"

	ownSettings = `export HOME="$GIT_DIR" XDG_CONFIG_HOME="$GIT_DIR" GIT_CONFIG_NOSYSTEM=1 \
GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0 LC_ALL=C
`
	listScript = `command -v git >/dev/null || { echo git is not installed >&2; exit 1; }
git ls-files -ztomd --exclude-standard -- "$1" >"$GIT_DIR/list" || exit
[ -s "$GIT_DIR/list" ] || git write-tree`
	addScript = `git add -A --ignore-errors --pathspec-from-file="$GIT_DIR/list" ` +
		`--pathspec-file-nul 2>"$GIT_DIR/said" >&2
[ $? -lt 2 ] || { cat "$GIT_DIR/said" >&2; exit 1; }
git write-tree`
	diffScript    = `git diff-tree -r -z --no-renames --name-status "$1" "$2" >"$GIT_DIR/list"`
	ignoredScript = `git check-ignore -z --no-index --stdin <"$GIT_DIR/list" >"$GIT_DIR/said"
[ $? -lt 2 ]`
	putScript = `git restore --source="$1" --staged --worktree ` +
		`--pathspec-from-file="$GIT_DIR/list" --pathspec-file-nul`
	pruneScript = `find "$GIT_DIR" -maxdepth 1 -name '*.json' -mtime +7 -exec rm -f {} +
git prune --expire=7.days.ago`
)

// errNoRepository is the error of a working directory that is not in a work tree.
var errNoRepository = errors.New("the working directory is not in a repository of git, so " +
	"nothing is kept")

// openShadow opens the folder of the working directory of a session. The caller must call close.
func (x *extension) openShadow(run *engine.Run, env *event.Envelope,
	limit time.Duration) (s *shadow, err error) {
	s = &shadow{x: x, run: run, end: time.Now().Add(limit)}
	cwd, _ := realpath.Of(env.CWD)
	r, ok := gitdir.Find(cwd)
	if !ok {
		return nil, errNoRepository
	}
	data := x.api.Bind.Gen.Data
	if data == "" {
		return nil, errors.New("there is no folder for them")
	}
	s.root, s.rel = r.Root, "."
	if rel, below := realpath.Below(r.Root, cwd); below {
		s.rel = filepath.ToSlash(rel)
	}
	s.dir = filepath.Join(data, "snapshots-"+hashed(cwd))
	for _, name := range []string{"objects", "refs", "info"} {
		if err := os.MkdirAll(s.file(name), 0o700); err != nil {
			return nil, err
		}
	}
	if s.lock, err = filelock.Open(s.file("lock")); err != nil {
		return nil, err
	}
	ignored, _ := regularfile.Read(filepath.Join(r.Common, "info", "exclude")) // it may be missing
	data, _ = realpath.Of(data)
	if rel, below := realpath.Below(r.Root, data); below {
		ignored = append(ignored, "\n/"+ignorePattern(rel)+"/\n"...)
	}
	for _, file := range [][2]string{{"HEAD", "ref: refs/heads/none\n"}, {"config", shadowConfig},
		{"info/attributes", shadowAttributes}, {"info/exclude", string(ignored)}} {
		if err == nil {
			err = s.writeFile(file[0], file[1])
		}
	}
	_ = os.Remove(s.file("index.lock")) // of one that was killed: ours is held
	s.path = s.file(hashed(env.SessionID) + ".json")
	if err != nil || s.loadHistory(env.SessionID) != nil {
		s.close()
		return nil, errors.Join(err, errors.New("its list cannot be read: "+s.path))
	}
	return s, nil
}

// file returns the path of a file of the folder.
func (s *shadow) file(name string) string { return s.dir + "/" + name }

func (s *shadow) close() { _ = filelock.Close(s.lock) }

// hashed returns a name for a file that stands for a text.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// ignorePattern returns the pattern of .gitignore for a path.
func ignorePattern(path string) (out string) {
	for _, c := range filepath.ToSlash(path) {
		if strings.ContainsRune(`\*?[ `, c) {
			out += `\`
		}
		out += string(c)
	}
	return out
}

func (s *shadow) writeFile(name, text string) error {
	return os.WriteFile(s.file(name), []byte(text), 0o600)
}

// loadHistory reads the history of the session; one without an ID has none on disk.
func (s *shadow) loadHistory(session string) error {
	x := s.x
	if s.history = x.kept[s.path]; s.history != nil {
		return nil
	}
	s.history = &history{}
	x.kept[s.path] = s.history
	if session == "" {
		s.path = ""
		return nil
	}
	b, err := regularfile.Read(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(b, s.history)
	}
	if err == nil && !s.history.valid() {
		err = errors.ErrUnsupported
	}
	if err != nil { // it is told, and a new one is begun
		*s.history = history{}
	}
	return err
}

// valid reports whether all numbers are those of snapshots.
func (h *history) valid() bool {
	ok := h.Now >= 0 && h.Now <= len(h.Shots)
	for i, x := range h.Shots {
		ok = ok && x.Before >= 0 && x.Before <= i && len(x.Tree) >= 40
	}
	return ok
}

func (s *shadow) save() error {
	if s.path == "" {
		return nil
	}
	b, err := json.Marshal(s.history)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.path, b, 0o600)
}

// git runs a script with git for this folder, in the root of the work tree.
func (s *shadow) git(script string, args ...string) (string, error) {
	left := time.Until(s.end).Seconds()
	if left <= 0 {
		return "", errSlow
	}
	words := append([]string{"sh", "-c", ownSettings + script, "sh"}, args...)
	v, err := s.x.api.Invoke(s.run, "exec", value.TextList(words), object("cwd", s.root, "timeout",
		left, "env", object("GIT_DIR", s.dir, "GIT_WORK_TREE", s.root)))
	if err != nil {
		return "", err
	}
	r, _ := v.(map[string]any)
	code, _ := value.Number(r["code"])
	switch {
	case r["timed_out"] == true:
		return "", errSlow
	case code != 0:
		return "", fmt.Errorf("git: %s", short(value.Text(r, "stderr")))
	}
	return strings.TrimSpace(value.Text(r, "stdout")), nil
}

var errSlow = errors.New("git takes too long here")

// list returns what a script has listed.
func (s *shadow) list(name string) ([]string, error) {
	b, err := os.ReadFile(s.file(name))
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

// largest is the size of the largest new file that is kept.
const largest = 2 << 20

// tree returns git's name of the state of the working directory, and the new files that are too
// large for it. Repositories in it are left out.
func (s *shadow) tree() (tree string, large []string, err error) {
	if tree, err = s.git(listScript, ":(literal)"+s.rel); err != nil || tree != "" {
		return tree, nil, err
	}
	names, err := s.list("list")
	spec := []string{":(literal)" + s.rel}
	for _, name := range names {
		tag, name, _ := strings.Cut(name, " ")
		st, failed := os.Lstat(filepath.Join(s.root, filepath.FromSlash(name)))
		switch {
		case strings.HasSuffix(name, "/"):
			spec = append(spec, ":(exclude,literal)"+strings.TrimSuffix(name, "/"))
		case failed == nil && st.Mode().IsRegular() && st.Size() > largest && tag == "?":
			large = append(large, name)
			spec = append(spec, ":(exclude,literal)"+name)
		}
	}
	if err == nil {
		err = s.writeFile("list", strings.Join(spec, "\x00"))
	}
	if err == nil {
		tree, err = s.git(addScript)
	}
	return tree, large, err
}
