// This file implements the servers of the tests: processes of the test binary, whose kind is set in
// an environment variable.

package mcp_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverKind is the variable that makes the test binary a server.
const serverKind = "MCP_TEST_SERVER"

// TestMain runs eight tests in parallel, unless -parallel is set: they wait for their servers. They
// must leave no goroutine.
func TestMain(m *testing.M) {
	kind := os.Getenv(serverKind)
	if kind == "" {
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
		before := runtime.NumGoroutine()
		code := m.Run()
		if !goroutinesEnd(before) {
			code = 1
		}
		os.Exit(code)
	}
	time.AfterFunc(2*deadline, func() { os.Exit(9) }) // even if the test was killed
	serve(kind)
}

// serve runs a server of some kind until its input ends.
func serve(kind string) {
	switch kind {
	case "hang": // at the handshake
		fmt.Fprintln(os.Stderr, "waiting for the database")
		io.Copy(io.Discard, os.Stdin)
	case "deaf": // reads nothing, and ignores signals
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot open \x1b[31mthe database\x1b[0m, the key is",
			os.Getenv("TEST_TOKEN"))
		os.Exit(3)
	case "child": // has a child that outlives it
		sleep("60")
		run(newServer())
	case "starts": // starts a process, and another one at each call
		sleep("60")
		rude(kind)
	case "noise":
		fmt.Println("[info] the server is starting")
		fmt.Println(`{"level":"info","msg":"structured, too"}`)
		run(newServer())
	case "old":
		old()
	case "rude", "liar", "asks", "changes":
		rude(kind)
	case "raw":
		raw(os.Getenv("TOOLS"))
	case "once": // starts only once
		if f, err := os.OpenFile(os.Getenv("ONCE_FILE"), os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			os.Exit(4)
		} else {
			f.Close()
		}
		run(newServer())
	default:
		run(newServer())
	}
}

func run(s *sdk.Server) { s.Run(context.Background(), &sdk.StdioTransport{}) }

type text struct {
	Text string `json:"text,omitempty"`
}

// newServer returns a server with all kinds of tools.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, run func(ctx context.Context, r *sdk.CallToolRequest,
		in text) (*sdk.CallToolResult, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "does " + name},
			func(ctx context.Context, r *sdk.CallToolRequest, in text) (*sdk.CallToolResult, any,
				error) {
				out, err := run(ctx, r, in)
				return out, nil, err
			})
	}
	says := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	add("echo", func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		return says(in.Text), nil
	})
	add("fail", func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		return nil, fmt.Errorf("cannot %s", in.Text)
	})
	add("environment", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult,
		error) {
		dir, _ := os.Getwd()
		return says(strings.Join(os.Environ(), "\n") + "\ndir=" + dir), nil
	})
	add("roots", func(ctx context.Context, r *sdk.CallToolRequest, _ text) (*sdk.CallToolResult,
		error) {
		//lint:ignore SA1019 servers of today ask for roots
		l, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		return says(l.Roots[0].URI), nil
	})
	add("ask", func(ctx context.Context, r *sdk.CallToolRequest, _ text) (*sdk.CallToolResult,
		error) {
		_, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "your password?",
			RequestedSchema: map[string]any{"type": "object"}})
		return says(fmt.Sprint("elicit: ", err)), nil
	})
	add("die", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return nil, nil
	})
	add("progress", func(ctx context.Context, r *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		for i := range 3 {
			r.Session.NotifyProgress(ctx,
				&sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(),
					Progress: float64(i + 1), Total: 3, Message: "step\x1b[2J"})
		}
		return says("done"), nil
	})
	add("slow", func(ctx context.Context, r *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		r.Session.NotifyProgress(ctx,
			&sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1,
				Message: "begun"})
		<-ctx.Done()
		os.WriteFile(in.Text, []byte("cancelled"), 0o600)
		return says("too late"), nil
	})
	add("stubborn", func(ctx context.Context, r *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		r.Session.NotifyProgress(ctx,
			&sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1,
				Message: "begun"})
		time.Sleep(2 * deadline)
		return says("too late"), nil
	})
	add("grow", func(_ context.Context, _ *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		add(in.Text, func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult,
			error) {
			return says("new"), nil
		})
		s.RemoveTools("fail")
		return says("grown"), nil
	})
	add("log", func(ctx context.Context, r *sdk.CallToolRequest, in text) (*sdk.CallToolResult,
		error) {
		for range 200 {
			//lint:ignore SA1019 servers of today log like this
			r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "below the level"})
			//lint:ignore SA1019 servers of today log like this
			r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "error", Data: in.Text})
		}
		return says("logged"), nil
	})
	add("content", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "one"}, &sdk.TextContent{Text: "two"},
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///x",
				Text: "inside"}},
			&sdk.ResourceLink{URI: "file:///y", Name: "link"},
		}, StructuredContent: map[string]any{"n": 1}}, nil
	})
	add("structured", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult,
		error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"only": true}}, nil
	})
	add("long", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult, error) {
		return says("begin " + strings.Repeat("é", 1<<20) + " end"), nil
	})
	add("flood", func(context.Context, *sdk.CallToolRequest, text) (*sdk.CallToolResult, error) {
		return says(strings.Repeat("x", 20<<20)), nil
	})
	return s
}

// old implements the protocol without the SDK, as programs do that are older than the SDKs: it does
// not answer unknown methods.
func old() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     any
			Method string
		}
		json.Unmarshal(in.Bytes(), &m)
		switch m.Method {
		case "initialize":
			reply(m.ID, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},`+
				`"serverInfo":{"name":"old","version":"0"}}`)
		case "tools/list":
			reply(m.ID, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)
		case "tools/call":
			reply(m.ID, `{"content":[{"type":"text","text":"old but well"}]}`)
		}
	}
}

func reply(id any, result string) {
	b, _ := json.Marshal(id)
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", b, result)
}

// raw lists the given tools: the text of a tools/list result, or "endless" pages.
func raw(tools string) {
	in := bufio.NewScanner(os.Stdin)
	for n := 0; in.Scan(); n++ {
		var m struct {
			ID     any
			Method string
		}
		json.Unmarshal(in.Bytes(), &m)
		switch {
		case m.Method == "initialize":
			reply(m.ID, `{"protocolVersion":"2025-06-18",`+
				`"capabilities":{"tools":{"listChanged":true}},`+
				`"serverInfo":{"name":"raw","version":"0"}}`)
		case m.Method == "tools/list" && tools == "endless":
			reply(m.ID, fmt.Sprintf(
				`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c"}`, n))
		case m.Method == "tools/list" && tools == "many":
			var list []string
			for i := range 10_000 {
				list = append(list, fmt.Sprintf(`{"name":"t%05d","inputSchema":{"type":"object"}}`,
					i))
			}
			reply(m.ID, `{"tools":[`+strings.Join(list, ",")+`]}`)
		case m.Method == "tools/list":
			reply(m.ID, tools)
		case m.Method == "tools/call":
			reply(m.ID, cmp.Or(os.Getenv("RESULT"), `{"content":[]}`))
			if os.Getenv("LAST") != "" {
				os.Exit(0)
			}
		}
	}
}

// rude answers the handshake, or not, and then violates the protocol.
func rude(kind string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     any
			Method string
		}
		json.Unmarshal(in.Bytes(), &m)
		switch {
		case m.ID != nil && kind == "rude":
			b, _ := json.Marshal(m.ID)
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not before `+
				`noon"}}`+"\n", b)
		case m.Method == "initialize" && kind == "liar":
			reply(m.ID, `{"protocolVersion":7,"capabilities":[]}`)
		case m.Method == "initialize":
			reply(m.ID, `{"protocolVersion":"2025-06-18",`+
				`"capabilities":{"tools":{"listChanged":true}},`+
				`"serverInfo":{"name":"rude","version":"0"}}`)
		case m.Method == "tools/list":
			reply(m.ID, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)
			for n := 0; kind == "asks"; n++ { // and never reads on
				if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"ping"}`+"\n",
					n); err != nil {
					return
				}
			}
			if kind == "changes" {
				go func() {
					for range time.Tick(time.Millisecond) {
						fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
					}
				}()
			}
		case m.Method == "tools/call":
			if kind == "starts" {
				sleep("61")
			}
			reply(m.ID, `{"content":[]}`)
		}
	}
}

// sleep starts a process, and writes its PID to a file.
func sleep(seconds string) {
	c := exec.Command("sleep", seconds)
	if c.Start() == nil {
		os.WriteFile(os.Getenv("PID_FILE"), fmt.Append(nil, c.Process.Pid), 0o600)
	}
}
