// This file says what the panel of the first start tells, and adds the scripts that it offers.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/tui"
)

// starters are the scripts of the gallery to begin with, each with a line that shows what it does.
// None of the lines changes anything.
var starters = []struct{ name, try string }{
	{"careful", "!rm -r a-folder-that-does-not-exist"},
	{"redact", "!echo password=hunter2"},
	{"todo", "/todo write my own script"},
}

// welcome returns what the panel of the first start tells.
func (s *screen) welcome() tui.Welcome {
	a := s.app
	w := tui.Welcome{Folder: filepath.Join(a.home, "scripts"),
		Model: a.agent.Model() + " answers. /model chooses another model."}
	if a.agent.Offline() {
		w.Model = plain.OneLine("N" + strings.TrimPrefix(a.noModel(), "n"))
	}
	for _, st := range starters {
		t := tui.Starter{Name: st.name, Try: st.try}
		if all := specimens(st.name); len(all) > 0 {
			t.Summary = all[0].header.Summary
		}
		for _, i := range a.agent.Scripts() {
			if strings.TrimSuffix(i.Name, filepath.Ext(i.Name)) == st.name &&
				i.State == load.StateOK {
				t.File = i.Name
			}
		}
		w.Starters = append(w.Starters, t)
	}
	return w
}

// addStarter adds a script of the gallery to the user's, and says what is in force then.
func (s *screen) addStarter(file string) (string, error) {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	for _, sp := range specimens(base) {
		if sp.file != file {
			continue
		}
		path := filepath.Join(s.app.home, "scripts", file)
		if was, err := regularfile.Read(path); err != nil || string(was) != string(sp.text) {
			if taken := twins(filepath.Dir(path), base); len(taken) > 0 {
				return "", fmt.Errorf("%s exists already and is different", taken[0])
			}
			if err := create(path, sp.text, false); err != nil {
				return "", err
			}
		}
		s.app.agent.Rescan(context.Background())
		return s.inForce(path)
	}
	return "", errors.New("no " + file + " in the gallery")
}

// inForce says what the script at path does now.
func (s *screen) inForce(path string) (string, error) {
	for _, i := range s.app.agent.Scripts() {
		switch {
		case i.Path != path:
		case i.State == load.StateOK:
			return i.Name + " is in force, without a restart. /scripts shows what it does.", nil
		case i.Error != nil:
			return "", i.Error
		default:
			return "", fmt.Errorf("saved as %s; it is %s: see /scripts", path, i.State)
		}
	}
	return "", fmt.Errorf("saved as %s, and not loaded: see /scripts", path)
}
