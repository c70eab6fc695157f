package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/history"
	"github.com/agentscripts/agent/tui"
)

// earlierPrompts returns the prompts of earlier starts.
func (s *screen) earlierPrompts() (p tui.Prompts, err error) {
	entries, err := s.app.history().Read()
	project := config.Project(s.app.dir)
	for _, e := range entries {
		if e.Project == project {
			p.Own = append(p.Own, tui.Prompt{Text: e.Text, Pasted: e.Pasted})
		} else {
			p.Others = append(p.Others, tui.Prompt{Text: e.Text, Pasted: e.Pasted})
		}
	}
	return p, err
}

// remember keeps a prompt for later starts, without secrets. It waits for the scripts, which may
// have redactors.
func (s *screen) remember(p tui.Prompt) error {
	if !s.loaded() {
		return nil
	}
	text := s.app.engine.Mask.Text(p.Text)
	return s.app.history().Append(history.Entry{At: time.Now().UTC().Truncate(time.Second),
		Project: config.Project(s.app.dir), Text: text, Pasted: s.maskedSpans(p, text)})
}

// loaded waits until the scripts are loaded. It returns false if the program ends before that.
func (s *screen) loaded() bool {
	select {
	case <-s.begun:
		return true
	case <-s.done:
		return false
	}
}

// maskedSpans finds the pasted parts of a prompt in its masked text. It leaves out those that
// masking has changed beyond them.
func (s *screen) maskedSpans(p tui.Prompt, text string) (spans [][2]int) {
	at := 0
	for _, span := range p.Pasted {
		part := s.app.engine.Mask.Text(p.Text[span[0]:span[1]])
		if i := strings.Index(text[at:], part); i >= 0 {
			spans = append(spans, [2]int{at + i, at + i + len(part)})
			at += i + len(part)
		}
	}
	return spans
}

// pastes are the files of pasted texts that no prompt has named yet.
type pastes struct {
	mu    sync.Mutex
	paths []string
}

// keepPaste returns what the model gets of a long pasted text: of a very long one its beginning and
// its end, and the name of the file that has all of it, without secrets.
func (s *screen) keepPaste(text string) (string, error) {
	if !s.loaded() {
		return text, nil
	}
	masked := s.app.engine.Mask.Text(text)
	short, path := s.app.program.Output().Fit(masked, "paste")
	switch {
	case short == masked:
		return text, nil
	case path == "":
		return short, errors.New("its file could not be written")
	}
	s.pastes.mu.Lock()
	defer s.pastes.mu.Unlock()
	s.pastes.paths = append(s.pastes.paths, path)
	return short, nil
}

// keepImage keeps a pasted image in a file until it is sent.
func (s *screen) keepImage(data []byte) (string, error) {
	if !s.loaded() {
		return "", errors.New("the scripts are still being loaded; paste it again")
	}
	path, err := s.app.program.Output().Keep("image", ".png", data)
	if err != nil {
		return "", err
	}
	s.pastes.mu.Lock()
	defer s.pastes.mu.Unlock()
	s.pastes.paths = append(s.pastes.paths, path)
	return path, nil
}

// sent notes that a text was sent: the files that it names are kept as long as long results are, so
// that the model can read them, also after the session was resumed.
func (p *pastes) sent(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paths = slices.DeleteFunc(p.paths,
		func(path string) bool { return strings.Contains(text, path) })
}

// removeUnsent removes the files that no prompt has named.
func (p *pastes) removeUnsent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range p.paths {
		_ = os.Remove(path) // it is removed with old results otherwise
	}
	p.paths = nil
}

// history returns the file of the prompts of all projects.
func (a *app) history() history.File {
	return history.File{Path: filepath.Join(a.home, "history.jsonl")}
}

const (
	// filesListed and filesTime bound the list of the project's files, and filesFresh is how long
	// it is used again.
	filesListed = 100_000
	filesTime   = 2 * time.Second
	filesFresh  = 5 * time.Second
)

// projectFiles is the list of the project's files, which is made when it is asked for.
type projectFiles struct {
	mu    sync.Mutex
	paths []string
	made  time.Time
}

// list returns a function that lists the files. Of a large project it lists a part.
func (p *projectFiles) list(s *screen) func() []string {
	return func() []string {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.made.IsZero() || time.Since(p.made) > filesFresh {
			ctx, cancel := context.WithTimeout(context.Background(), filesTime)
			defer cancel()
			p.paths, _, _ = s.app.program.Files(ctx, filesListed)
			p.made = time.Now()
		}
		return p.paths
	}
}
