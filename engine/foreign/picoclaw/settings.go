// This file reads the settings of picoclaw: the key hooks of its config.json.

package picoclaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// settings are the hooks of a file.
type settings struct {
	processes []*processConfig // that are enabled, in the order in which they are asked
	// how long a process has for an event, a decision, and an approval
	observer, interceptor, approval time.Duration

	unknown  string // see unknownKey
	builtins bool   // there are some, which are part of picoclaw
}

// processConfig is an entry of hooks.processes.
type processConfig struct {
	name      string
	Enabled   *bool             `json:"enabled"`
	Priority  int               `json:"priority"`
	Transport string            `json:"transport"`
	Command   []string          `json:"command"`
	Dir       string            `json:"dir"`
	Env       map[string]string `json:"env"`
	Observe   []string          `json:"observe"`
	Intercept []string          `json:"intercept"`
}

// stages are what a process can intercept.
var stages = []string{"before_llm", "after_llm", "before_tool", "after_tool", "approve_tool"}

// intercepts reports whether the process intercepts a stage, and whether its settings name it:
// picoclaw asks at both stages of a model request, and of a tool call, if one is named.
func (p *processConfig) intercepts(stage string) (asked, named bool) {
	if named = slices.Contains(p.Intercept, stage); named {
		return true, true
	}
	_, what, _ := strings.Cut(stage, "_")
	return stage != "approve_tool" && (slices.Contains(p.Intercept, "before_"+what) ||
		slices.Contains(p.Intercept, "after_"+what)), false
}

// guards reports whether the process can refuse tool calls.
func (p *processConfig) guards() bool {
	before, _ := p.intercepts("before_tool")
	return before || slices.Contains(p.Intercept, "approve_tool")
}

// file is the content of the file; other keys are for others.
type file struct {
	Hooks struct {
		Enabled  *bool `json:"enabled"`
		Defaults struct {
			Observer    int `json:"observer_timeout_ms"`
			Interceptor int `json:"interceptor_timeout_ms"`
			Approval    int `json:"approval_timeout_ms"`
		} `json:"defaults"`
		Builtins  map[string]any            `json:"builtins"`
		Processes map[string]*processConfig `json:"processes"`
	} `json:"hooks"`
}

// readSettings reads the file.
func (f *Format) readSettings(src []byte) (*settings, error) {
	var c file
	src = plain.TrimBOM(src)
	if err := json.Unmarshal(src, &c); err != nil {
		return nil, fmt.Errorf("not a valid %s: %w", f.name, err)
	}
	d := &c.Hooks.Defaults
	s := &settings{observer: limit(d.Observer, 500*time.Millisecond),
		interceptor: limit(d.Interceptor, 5*time.Second),
		approval:    limit(d.Approval, time.Minute), unknown: unknownKey(src),
		builtins: len(c.Hooks.Builtins) > 0}
	if c.Hooks.Enabled != nil && !*c.Hooks.Enabled {
		return s, nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Hooks.Processes)) {
		p := c.Hooks.Processes[name]
		if p == nil || p.Enabled != nil && !*p.Enabled {
			continue
		}
		p.name = name
		if err := p.checkEntry(); err != nil {
			return nil, fmt.Errorf("%s: hooks.processes.%s.%w", f.name, name, err)
		}
		s.processes = append(s.processes, p)
	}
	sort.SliceStable(s.processes, func(i, j int) bool {
		return s.processes[i].Priority < s.processes[j].Priority
	})
	return s, nil
}

// limit returns a time limit in milliseconds; if it is not set, otherwise.
func limit(ms int, otherwise time.Duration) time.Duration {
	if ms <= 0 {
		return otherwise
	}
	return min(time.Duration(ms), 1e9) * time.Millisecond
}

// checkEntry checks an entry. The error begins with the key.
func (p *processConfig) checkEntry() error {
	for name, v := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(v, "\x00") {
			return fmt.Errorf("env: %.40q cannot be set", name)
		}
	}
	switch {
	case p.Transport != "" && p.Transport != "stdio":
		return fmt.Errorf("transport: got %.40q, want stdio", p.Transport)
	case len(p.Command) == 0 || p.Command[0] == "":
		return fmt.Errorf(`command is missing: it is a list, such as ["python3", "hook.py"]`)
	case strings.Contains(strings.Join(p.Command, "")+p.Dir, "\x00"):
		return fmt.Errorf("command: it and dir must not contain NUL")
	}
	for _, name := range p.Intercept {
		if !slices.Contains(stages, name) { // it may be meant as a guard
			return fmt.Errorf("intercept: %.40q cannot be intercepted%s, want some of %s", name,
				suggest.DidYouMean(name, stages), strings.Join(stages, ", "))
		}
	}
	return nil
}

// unknownKey returns the first key of hooks that has no effect, as the end of a notice; "" if there
// is none: a guard whose intercept is misspelt guards nothing.
func unknownKey(src []byte) string {
	var whole struct{ Hooks json.RawMessage }
	_ = json.Unmarshal(src, &whole) // it is correct
	d := json.NewDecoder(bytes.NewReader(whole.Hooks))
	d.DisallowUnknownFields()
	var c file
	if err := d.Decode(&c.Hooks); err != nil && err != io.EOF {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	return ""
}
