package tui

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/tuitest"
)

// longTranscript returns a screen with 10,000 entries of the usual kinds, some of which have been
// visible.
func longTranscript(b *testing.B) *stage {
	s := newStage(b, Backend{}, 120, 40)
	for i := range 10_000 {
		switch i % 4 {
		case 0:
			s.transcript.addEntry(
				&userBlock{text: fmt.Sprintf(
					"prompt %d: please look at the tests and say what is wrong with them", i)})
		case 1:
			s.transcript.addEntry(&messageBlock{finished: true,
				final: fmt.Sprintf(
					"## Answer %d\n\nThere are **two** things:\n\n- the `first`\n- the "+
						"second\n\n```go\nfunc f() {}\n```\n", i)})
		case 2:
			s.transcript.addEntry(&toolBlock{tool: "bash", args: fields{"command": "go test ./..."},
				state: toolOK, result: &display{text: strings.Repeat(
					"ok  \tgithub.com/x/y\t0.01s\n", 30)}})
		case 3:
			s.transcript.addEntry(&noticeBlock{"info", "a remark"})
		}
	}
	s.layout()
	return s
}

func reportP99(b *testing.B, times []time.Duration) {
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

// inlineOn changes the screen to the inline layout.
func (s *stage) inlineOn(paper *scrollback) {
	s.inline.on, s.inline.paper = true, paper
	s.send("session_start", fields{"cause": "startup"})
}

// BenchmarkKeyToFrame10k types into the editor and scrolls, in a transcript of 10,000 entries.
func BenchmarkKeyToFrame10k(b *testing.B) {
	for _, keys := range [][]string{{"a", "backspace"}, {"pgup"}, {"inline", "backspace"}} {
		b.Run(keys[0], func(b *testing.B) {
			s := longTranscript(b)
			if keys[0] == "inline" {
				s.inlineOn(&scrollback{})
			}
			times := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				s.Update(tuitest.KeyPress(keys[i%len(keys)]))
				_ = s.View()
				times = append(times, time.Since(start))
			}
			reportP99(b, times)
		})
	}
}

// BenchmarkResize10k changes the width of the screen.
func BenchmarkResize10k(b *testing.B) {
	s := longTranscript(b)
	times := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		s.Update(tea.WindowSizeMsg{Width: 60 + i%80, Height: 40})
		_ = s.View()
		times = append(times, time.Since(start))
	}
	reportP99(b, times)
}

// BenchmarkStreaming streams 200 tokens per second of Markdown with code into a message that is 20
// KB long already, in the frames that the feed delivers. The metric is the share of a core that
// this takes, without drawing on the terminal.
func BenchmarkStreaming(b *testing.B) {
	const tokens, token = 200, 4
	const text = "Some *text* with `code` in it.\n\n- an item with **strong** words\n- another " +
		"one\n\n```go\n// f is a function.\nfunc f() string {\n\treturn \"a string\"\n}\n```\n\n" +
		"| name | what it is |\n|---|---|\n| a | some text |\n| b | `more` text |\n\n"
	more := strings.Repeat(text, 1+2*tokens*token/len(text))
	frames := int(time.Second / feed.Frame)
	s := longTranscript(b)
	s.send("message_delta", fields{"message_id": "m", "kind": "text",
		"delta": strings.Repeat(text, (20<<10)/len(text))})
	start := time.Now()
	for b.Loop() {
		rest := more
		for f := range frames {
			queue := feed.New()
			for range tokens/frames + min(1, max(0, tokens%frames-f)) {
				s.emit(queue, "message_delta", fields{"message_id": "m", "kind": "text",
					"delta": rest[:token]})
				rest = rest[token:]
			}
			s.Update(queue.Take())
			_ = s.View()
		}
		s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": "\n\n"})
	}
	b.ReportMetric(100*time.Since(start).Seconds()/float64(b.N), "%core")
}

// BenchmarkKeyToFramePasted types into the editor after 64 KB have been pasted into it.
func BenchmarkKeyToFramePasted(b *testing.B) {
	const size = 64 << 10
	for name, piece := range map[string]string{"prose": "lorem ipsum dolor sit amet ", "word": "x",
		"wide": "日本語 ", "lines": "ab\n"} {
		b.Run(name, func(b *testing.B) {
			s := longTranscript(b)
			s.Update(tea.PasteMsg{Content: strings.Repeat(piece, size/len(piece))})
			keys := []string{"a", "backspace", "up", "left"}
			times := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				s.Update(tuitest.KeyPress(keys[i%len(keys)]))
				_ = s.View()
				times = append(times, time.Since(start))
			}
			reportP99(b, times)
		})
	}
}
