package main

import (
	"context"
	"path/filepath"
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
			p.Own = append(p.Own, e.Text)
		} else {
			p.Others = append(p.Others, e.Text)
		}
	}
	return p, err
}

// remember keeps a prompt for later starts, without secrets. It waits for the scripts, which may
// have redactors.
func (s *screen) remember(text string) error {
	select {
	case <-s.begun:
	case <-s.done:
		return nil
	}
	return s.app.history().Append(history.Entry{At: time.Now().UTC().Truncate(time.Second),
		Project: config.Project(s.app.dir), Text: s.app.engine.Mask.Text(text)})
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
