// This file has the file that CLAUDE_ENV_FILE names: shell that hooks of SessionStart write, and
// that commands of the session then run first.

package hooks

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// envFile is the variable that names the file.
	envFile = "CLAUDE_ENV_FILE"
	// mostSetup is how much one hook may write: far below what an argument of a program may have.
	mostSetup = 32 << 10
)

// setups are what hooks have written for the commands of a session.
type setups struct {
	mu      sync.Mutex
	session string
	texts   message // by the extension, a NUL byte, and the place of the hook in its file
	live    message // the number of the loaded generations of extensions
}

// count notes that a generation of an extension is loaded, or that one is not any more.
func (s *setups) count(owner string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		s.live = message{}
	}
	n, _ := s.live[owner].(int)
	s.live[owner] = n + by
}

// keepSetup keeps what a hook has written at the start of a session, instead of what it wrote
// before.
func (s *setups) keepSetup(session, key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != session || s.texts == nil {
		s.session, s.texts = session, message{}
	}
	s.texts[key] = text
}

// ShellSetup returns the shell that hooks want commands of a session to run first; "" = none. That
// of extensions which are not loaded any more is left out.
func (f *Format) ShellSetup(session string) (text string) {
	s := &f.setups
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != session {
		return ""
	}
	for _, key := range value.SortedKeys(s.texts) {
		owner, _, _ := strings.Cut(key, "\x00")
		if one, _ := s.texts[key].(string); one != "" && s.live[owner] != 0 {
			text += one + "\n"
		}
	}
	return text
}

// offerFile makes the file for a hook, and names it in its variables; "" = the hook gets none.
// Commands of the model cannot write into its folder, and it is read once.
func (x *extension) offerFile(h *hook, places message) string {
	data := x.api.Bind.Gen.Data
	if !h.row.setsUp || data == "" {
		return ""
	}
	path := filepath.Join(data, "env-"+rand.Text()+".sh")
	if err := atomicfile.Write(path, nil, 0o600); err != nil {
		x.api.Tell("warn", placed(x, h)+" gets no "+envFile+": "+plain.Error(err))
		return ""
	}
	places[envFile] = path
	return path
}

// takeFile keeps what a hook has written into its file. What no shell understands is told, and not
// used: each command would fail because of it.
func (x *extension) takeFile(run *engine.Run, h *hook, env *event.Envelope, path string) {
	text, wrong := "", ""
	if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
		// in the sandbox: a link may lead to what the hook cannot read
		v, err := x.api.Invoke(run, "exec", []any{h.shell, "-c", readSetup, path},
			object("timeout", readTime))
		r, _ := v.(message)
		text = strings.TrimSpace(value.Text(r, "stdout"))
		code, _ := value.Number(r["code"])
		switch {
		case err != nil:
			wrong = plain.Error(err)
		case code != 0:
			wrong = plain.Line(value.Text(r, "stderr"), 300)
		case len(text) > mostSetup, strings.ContainsRune(text, 0):
			wrong = fmt.Sprintf("want at most %d KB of text", mostSetup>>10)
		}
	}
	if wrong != "" {
		text = ""
		x.api.Tell("warn", placed(x, h)+": what it wrote into "+envFile+" is not used: "+wrong)
	}
	at := 0
	for x.s.hooks[at] != h {
		at++
	}
	x.format.setups.keepSetup(env.SessionID, fmt.Sprintf("%s\x00%04d", x.api.Bind.Gen.Name, at),
		text)
}

const (
	// readSetup writes a file, if bash, which runs commands, understands it.
	readSetup = `if command -v bash >/dev/null; then bash -n <"$0" || exit; fi; head -c 40000 "$0"`
	// readTime is how many seconds that may take.
	readTime = 10.0
)
