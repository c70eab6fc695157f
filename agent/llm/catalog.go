// This file lists what is known of models without a request: context sizes and prices. Sources: the
// makers' public model and price lists of May 2026. Everything else is unknown, not free.

package llm

import (
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// entry is a family of models: those with this id, optionally followed by a date.
type entry struct {
	id       string
	context  int // tokens
	output   int // tokens
	images   bool
	thinking bool
	// US dollars per million tokens: input, output, cache read and cache write; nil = unknown
	price []float64
}

// claude returns the prices of one of Anthropic's models: reading from the cache costs a tenth of
// input, writing a quarter more.
func claude(input, output float64) []float64 {
	return []float64{input, output, input / 10, input * 5 / 4}
}

// catalog returns the families of each provider. It is called several times per request.
var catalog = sync.OnceValue(func() map[string][]entry {
	return map[string][]entry{
		// of newer models, the capabilities are known, but not the prices and limits
		"anthropic": {
			{"claude-sonnet-5-5", 0, 0, true, true, nil},
			{"claude-opus-5-5", 0, 0, true, true, nil},
			{"claude-haiku-5-5", 0, 0, true, true, nil},
			{"claude-opus-4-7", 1_000_000, 128_000, true, true, claude(5, 25)},
			{"claude-opus-4-6", 1_000_000, 128_000, true, true, claude(5, 25)},
			{"claude-opus-4-5", 200_000, 64_000, true, true, claude(5, 25)},
			{"claude-opus-4-1", 200_000, 32_000, true, true, claude(15, 75)},
			{"claude-opus-4", 200_000, 32_000, true, true, claude(15, 75)},
			{"claude-sonnet-4-6", 1_000_000, 64_000, true, true, claude(3, 15)},
			{"claude-sonnet-4-5", 200_000, 64_000, true, true, claude(3, 15)},
			{"claude-sonnet-4", 200_000, 64_000, true, true, claude(3, 15)},
			{"claude-3-7-sonnet", 200_000, 64_000, true, true, claude(3, 15)},
			{"claude-haiku-4-5", 200_000, 64_000, true, true, claude(1, 5)},
			{"claude-3-5-haiku", 200_000, 8_192, true, false, claude(.8, 4)},
			{"claude-3-haiku", 200_000, 4_096, true, false, []float64{.25, 1.25, .03, .3}},
		},
		"openai": {
			{"gpt-5.2", 400_000, 128_000, true, true, []float64{1.75, 14, .175, 0}},
			{"gpt-5.1", 400_000, 128_000, true, true, []float64{1.25, 10, .125, 0}},
			{"gpt-5.1-codex", 400_000, 128_000, true, true, []float64{1.25, 10, .125, 0}},
			{"gpt-5-codex", 400_000, 128_000, true, true, []float64{1.25, 10, .125, 0}},
			{"gpt-5", 400_000, 128_000, true, true, []float64{1.25, 10, .125, 0}},
			{"gpt-5-mini", 400_000, 128_000, true, true, []float64{.25, 2, .025, 0}},
			{"gpt-5-nano", 400_000, 128_000, true, true, []float64{.05, .4, .005, 0}},
			{"gpt-4.1", 1_047_576, 32_768, true, false, []float64{2, 8, .5, 0}},
			{"gpt-4.1-mini", 1_047_576, 32_768, true, false, []float64{.4, 1.6, .1, 0}},
			{"gpt-4.1-nano", 1_047_576, 32_768, true, false, []float64{.1, .4, .025, 0}},
			{"gpt-4o", 128_000, 16_384, true, false, []float64{2.5, 10, 1.25, 0}},
			{"gpt-4o-mini", 128_000, 16_384, true, false, []float64{.15, .6, .075, 0}},
			{"o3", 200_000, 100_000, true, true, []float64{2, 8, .5, 0}},
			{"o4-mini", 200_000, 100_000, true, true, []float64{1.1, 4.4, .275, 0}},
			{"o3-mini", 200_000, 100_000, false, true, []float64{1.1, 4.4, .55, 0}},
			{"o1", 200_000, 100_000, true, true, []float64{15, 60, 7.5, 0}},
		},
	}
})

// dated matches what may follow the name of a family: the date of a version, or latest.
var dated = lazyregexp.New(`^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-0)$`)

// describe returns a model with what is known of it; the user's settings in [models."provider/id"]
// have priority.
func describe(provider, id string, overrides []config.Model) chat.Model {
	m := chat.Model{ID: id}
	for _, e := range catalog()[provider] {
		rest, ok := strings.CutPrefix(id, e.id)
		if ok && (rest == "" || dated().MatchString(rest)) {
			m.Context, m.MaxOutput, m.Images, m.Thinking = e.context, e.output, e.images, e.thinking
			if e.price != nil {
				m.Price = &chat.Price{Input: e.price[0], Output: e.price[1],
					CacheRead: e.price[2], CacheWrite: e.price[3]}
			}
			break
		}
	}
	for _, o := range overrides {
		if o.Name == provider+"/"+id {
			override(&m, o)
		}
	}
	return m
}

func override(m *chat.Model, o config.Model) {
	if o.Context > 0 {
		m.Context = o.Context
	}
	if o.MaxOutput > 0 {
		m.MaxOutput = o.MaxOutput
	}
	if o.Images != nil {
		m.Images = *o.Images
	}
	if o.Thinking != nil {
		m.Thinking = *o.Thinking
	}
	if o.Price != nil {
		m.Price = o.Price
	}
}
