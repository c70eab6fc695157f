// This file lists models: agent models, the list of /model, and what to do if no model is set up.

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
)

// runModels lists the models of all providers, including servers on this machine.
func runModels(f *flags, stdout, stderr io.Writer) (code int) {
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	a, err := newApp(f, front{mode: "print",
		emit: func(ev *event.Event) { showNotice(stderr, ev) }})
	if err != nil {
		return failure(stderr, err)
	}
	defer a.closeScripts()
	if err := a.agent.LoadScripts(ctx); err != nil { // scripts can be providers
		return failure(stderr, err)
	}
	a.checkModels()
	lacks := a.agent.Catalog().Unusable()
	a.agent.Catalog().Find(ctx, func(found models.Found) {
		if found.Err != nil {
			lacks = append(lacks, found)
		}
	})
	var b bytes.Buffer
	if f.json {
		err = modelLines(&b, a.agent.Catalog().List(), lacks)
	} else {
		err = modelTable(&b, a.agent.Catalog().List(), lacks)
	}
	if err != nil {
		return failure(stderr, err)
	}
	return sayBytes(stdout, stderr, b.Bytes())
}

// modelTable writes a line per model, for people.
func modelTable(w io.Writer, models []service.ModelInfo, lacks []models.Found) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range models {
		line := []string{plain.Text(m.Provider + "/" + m.ID), cmp.Or(window(m.Context), "? tokens"),
			price(m.Price)}
		if can := abilities(m.Model); can != "" {
			line = append(line, can)
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	for _, f := range lacks {
		fmt.Fprintf(t, "%s\tnot usable: %s\n", plain.Text(f.Provider), plain.Text(f.Err.Error()))
	}
	return t.Flush()
}

// modelLines writes a line of JSON per model, and per provider that cannot be asked. Unknown values
// are null.
func modelLines(w io.Writer, models []service.ModelInfo, lacks []models.Found) error {
	enc := json.NewEncoder(w)
	for _, m := range models {
		line := map[string]any{"model": m.Provider + "/" + m.ID, "provider": m.Provider, "id": m.ID,
			"context": nil, "max_output": nil,
			"images": m.Images, "thinking": m.Thinking, "price": nil}
		if m.Context > 0 {
			line["context"] = m.Context
		}
		if m.MaxOutput > 0 {
			line["max_output"] = m.MaxOutput
		}
		if p := m.Price; p != nil {
			line["price"] = map[string]any{"input": p.Input, "output": p.Output,
				"cache_read": p.CacheRead, "cache_write": p.CacheWrite}
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	for _, f := range lacks {
		if err := enc.Encode(map[string]any{"provider": f.Provider,
			"unusable": f.Err.Error()}); err != nil {
			return err
		}
	}
	return nil
}

// price formats the price of a million tokens, input and output.
func price(p *chat.Price) string {
	if p == nil {
		return "price unknown"
	}
	if *p == (chat.Price{}) {
		return "free"
	}
	return "$" + dollars(p.Input) + " in, $" + dollars(p.Output) + " out"
}

func dollars(n float64) string { return strconv.FormatFloat(n, 'g', 4, 64) }

func abilities(m chat.Model) string {
	var out []string
	if m.Images {
		out = append(out, "images")
	}
	if m.Thinking {
		out = append(out, "thinking")
	}
	return strings.Join(out, ", ")
}

// models returns the models to pick from, and what providers lack.
func (s *screen) models() (out []ui.Choice, lacks []string) {
	for _, m := range s.app.agent.Catalog().List() {
		about := price(m.Price)
		for _, x := range []string{window(m.Context), abilities(m.Model)} {
			if x != "" {
				about += " · " + x
			}
		}
		out = append(out, ui.Choice{Value: m.Provider + "/" + m.ID, Description: about})
	}
	for _, f := range s.app.agent.Catalog().Unusable() {
		lacks = append(lacks, f.Provider+": "+f.Err.Error())
	}
	return out, lacks
}

// findModels adds models to the list of /model as servers answer.
func (s *screen) findModels() {
	if s.finding.Swap(true) { // the list is open twice: the same answers will come
		return
	}
	defer s.finding.Store(false)
	var failed []string
	offer := func() {
		choices, lacks := s.models()
		s.ui.Offer("model", strings.Join(append(lacks, failed...), "\n"), choices)
	}
	s.app.agent.Catalog().Find(context.Background(), func(f models.Found) {
		if f.Err != nil {
			failed = append(failed, f.Provider+": "+f.Err.Error())
		}
		offer()
	})
}

// lookWait is how long a finished run waits for the answer of a server that it queried at its
// start. A refused connection is known at once, and a user without a model would rather learn of
// one than exit a little sooner.
const lookWait = 2 * time.Second

// tellModels reports providers that are configured wrongly. If no model is set up, it says so and
// names the servers, configured or on this machine, that have some. It does not wait for those
// servers: it closes the channel when everything has been reported.
func (a *app) tellModels(ctx context.Context) <-chan struct{} {
	a.checkModels()
	snap := a.engine.Scripts.Snapshot()
	for _, f := range a.agent.Catalog().Unusable() {
		if snap.Provider(f.Provider).SetUp {
			a.engine.Notices.Notify(nil, "agent",
				ui.Notice{Text: "model provider " + f.Provider + " cannot be used: " +
					f.Err.Error(), Level: "warn"})
		}
	}
	done := make(chan struct{})
	if !a.agent.Offline() {
		close(done)
		return done
	}
	a.tellUser(a.noModel())
	go func() {
		defer close(done)
		a.agent.Catalog().Find(ctx, func(f models.Found) {
			if len(f.Models) > 0 {
				a.tellUser(fmt.Sprintf("%s has %s: agent --model %s/%s", f.Provider,
					plain.Count(len(f.Models), "model"), f.Provider, f.Models[0].ID))
			}
		}, append(localServers(), a.silentServers()...)...)
	}()
	return done
}

// localServers returns the providers to look for on this machine.
func localServers() []string { return []string{"ollama", "llamacpp"} }

// silentServers returns the servers that the user has set up without naming a model: only the
// servers know what they have.
func (a *app) silentServers() (names []string) {
	snap := a.engine.Scripts.Snapshot()
	for _, name := range snap.ProviderNames() {
		if p := snap.Provider(name); p.SetUp && p.Unusable == "" && p.List != nil &&
			len(p.Models) == 0 && !slices.Contains(localServers(), name) {
			names = append(names, name)
		}
	}
	return names
}

// noModel says that no model is set up, and what to do.
func (a *app) noModel() string {
	const until = "; until then the offline model does what the lines of a prompt say, such as: " +
		"run echo hello"
	silent := a.silentServers()
	if len(silent) == 0 {
		return "no model is set up: " +
			strings.Join(append(a.keysToSet(), "or name a server in config.toml"), ", ") + until
	}
	return fmt.Sprintf("no model is chosen: choose one of %s, in config.toml: model = \"%s/ID\"",
		strings.Join(silent, ", "), silent[0]) + until
}

// keysToSet returns what the providers lack that the user has not set up: "set OPENAI_API_KEY".
func (a *app) keysToSet() (lacks []string) {
	snap := a.engine.Scripts.Snapshot()
	for _, name := range snap.ProviderNames() {
		if p := snap.Provider(name); !p.SetUp && p.Unusable != "" {
			lacks = append(lacks, p.Unusable)
		}
	}
	return lacks
}

// checkModels reports settings for models whose provider does not exist. It needs the scripts to be
// loaded, because they can be providers.
func (a *app) checkModels() {
	snap := a.engine.Scripts.Snapshot()
	for _, m := range a.program.Settings.Models {
		name, _, _ := strings.Cut(m.Name, "/")
		if snap.Provider(name) == nil {
			w := config.Warning{Line: m.Line,
				Message: fmt.Sprintf("models.%s: no model provider %q%s", m.Name, name,
					suggest.DidYouMean(name, snap.ProviderNames()))}
			a.engine.Notices.Notify(nil, "agent", ui.Notice{Text: w.String(), Level: "warn"})
		}
	}
}

func (a *app) tellUser(text string) {
	a.engine.Notices.Notify(nil, "agent", ui.Notice{Text: text, Level: "info"})
}
