package jsonrpc_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/jsonrpc"
)

// within fails if f takes too long.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("timed out: %s", what)
	}
}

// talk sends lines to a connection whose methods are echo, fail, panic and nothing, and returns its
// output and its log.
func talk(t testing.TB, o jsonrpc.Options, lines string) (said, logged string) {
	t.Helper()
	var out, log bytes.Buffer
	o.In, o.Out = strings.NewReader(lines), &out
	o.Log = func(text string) { log.WriteString(text + "\n") }
	o.Handle = func(r *jsonrpc.Request) {
		r.Do(func() (any, error) {
			switch r.Method {
			case "fail":
				return nil, errors.New("it failed")
			case "panic":
				panic("oh")
			case "unwritable":
				return func() {}, nil
			case "nothing":
				return nil, nil
			}
			return r.Params, nil
		})
	}
	c := jsonrpc.New(o)
	within(t, "serve", func() {
		if err := c.Serve(); err != nil {
			t.Errorf("serve: %v", err)
		}
		<-c.Settled()
		if err := c.Close(nil); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return out.String(), log.String()
}

func TestAnswers(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1]}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}`},
		{`{"jsonrpc":"2.0","id":"x","method":"nothing"}`, `{"jsonrpc":"2.0","id":"x","result":{}}`},
		{`{"jsonrpc":"2.0","id":-1.5e3,"method":"nothing","params":null}`,
			`{"jsonrpc":"2.0","id":-1.5e3,"result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"fail"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"it failed"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"panic"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: oh"}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"unwritable"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the message ` +
				`cannot be encoded as JSON: JSON cannot hold a func"}}`},
		{`{"jsonrpc":"2.0","method":"fail"}`, ``},
		{"\r\n \t", ``},
		{`{"jsonrpc":"2.0","id":true,"method":"echo"}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: id: ` +
				`got true, want a string or a number; without an id it is a notification"}}`},
		{`{"jsonrpc":"2.0","id":1,"METHOD":"echo"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: unknown ` +
				`key \"METHOD\"; there is jsonrpc, id, method, params"}}`},
		{`{"jsonrpc":"2.0","id":1,"error":null}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: got an ` +
				`answer: no request was sent to the client"}}`},
	}
	for _, test := range tests {
		for _, end := range []string{"\n", "\r\n", ""} {
			if got, _ := talk(t, jsonrpc.Options{},
				test.line+end); strings.TrimSpace(got) != test.want {
				t.Errorf("%s: got %s, want %s", test.line, got, test.want)
			}
		}
	}
	if _, log := talk(t, jsonrpc.Options{},
		`{"jsonrpc":"2.0","method":"fail"}`); log != "notification fail: it failed\n" {
		t.Errorf("a failing notification: logged %q", log)
	}
}

func TestLongLineIsSkipped(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"nothing"}`
	long := strings.Repeat("x", 3<<20)
	for _, lines := range []string{long + "\n" + request, request + "\n" + long,
		request + "\n" + long + "\n", request[:20] + long + "\n" + request + "\n"} {
		got, _ := talk(t, jsonrpc.Options{MaxLine: 1 << 20}, lines)
		if !strings.Contains(got, `"result":{}`) ||
			!strings.Contains(got, "a line is longer than 1 MB: it was skipped") ||
			strings.Count(got, "\n") != 2 {
			t.Errorf("got %s", got)
		}
	}
}

func TestNotificationsKeepTheirOrder(t *testing.T) {
	var out bytes.Buffer
	c := jsonrpc.New(jsonrpc.Options{In: strings.NewReader(""), Out: &out,
		Handle: func(*jsonrpc.Request) {}})
	for i := range 1000 {
		c.Notify("n", i)
	}
	within(t, "close", func() {
		if err := c.Close(nil); err != nil {
			t.Error(err)
		}
	})
	c.Notify("n", "too late")
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":%d}`, i); line != want {
			t.Fatalf("got %s, want %s", line, want)
		}
	}
}

// TestNotifyWithoutReader checks that a sender waits for a client that does not read for a limited
// time, and only once.
func TestNotifyWithoutReader(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	c := jsonrpc.New(jsonrpc.Options{In: strings.NewReader(""), Out: w,
		Handle: func(*jsonrpc.Request) {}, MaxWaiting: 1000, Patience: 50 * time.Millisecond})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				c.Notify("n", strings.Repeat("x", 100))
			}
		})
	}
	within(t, "telling", all.Wait)
	within(t, "it is told", func() { <-c.Broken() })
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "the client does not read") {
		t.Errorf("got %v", err)
	}
	within(t, "close", func() {
		if c.Close(nil) == nil {
			t.Error("Close reported no lost output")
		}
	})
}

// TestCloseDoesNotWaitForever checks that Close gives up if the remaining output is not read.
func TestCloseDoesNotWaitForever(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	c := jsonrpc.New(jsonrpc.Options{In: strings.NewReader(""), Out: w,
		Handle: func(*jsonrpc.Request) {}})
	c.Notify("n", 1)
	done := make(chan struct{})
	close(done)
	within(t, "close", func() {
		if err := c.Close(done); err == nil {
			t.Error("Close succeeded, but nothing read the output")
		}
	})
}

func TestClosedPipe(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	c := jsonrpc.New(jsonrpc.Options{In: strings.NewReader(""), Out: w,
		Handle: func(*jsonrpc.Request) {}})
	c.Notify("n", 1)
	within(t, "it is told", func() { <-c.Broken() })
	if err := c.Err(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestReadError(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,`), failing{})
	c := jsonrpc.New(jsonrpc.Options{In: broken, Out: io.Discard,
		Handle: func(*jsonrpc.Request) { t.Error("Handle was called with an incomplete request") }})
	if err := c.Serve(); err == nil || !strings.Contains(err.Error(), "read: no more") {
		t.Errorf("got %v", err)
	}
	_ = c.Close(nil)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no more") }

// FuzzLines checks that every line that is neither empty nor a notification gets one answer, in
// JSON, and that the last line is always handled.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "{}\n", "null\r\n\n[]",
		`{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}` + "\n" +
			`{"jsonrpc":"2.0","method":"panic"}`, "\xff\n{\"id\":{}}",
		strings.Repeat("y", 300) + "\n\x00",
		`{"jsonrpc":"2.0","id":"a","id":"b","method":"fail","method":"echo"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		said, _ := talk(t, jsonrpc.Options{MaxLine: 200},
			lines+"\n"+`{"jsonrpc":"2.0","id":"last one","method":"nothing"}`)
		said = strings.TrimSuffix(said, "\n")
		answers := strings.Split(said, "\n")
		for _, a := range answers {
			var m struct {
				JSONRPC string
				ID      json.RawMessage
				Result  json.RawMessage
				Error   *jsonrpc.Error
			}
			if err := json.Unmarshal([]byte(a), &m); err != nil || m.JSONRPC != "2.0" ||
				m.ID == nil || (m.Result == nil) == (m.Error == nil) {
				t.Errorf("not an answer: %q", a)
			}
		}
		if answers[len(answers)-1] != `{"jsonrpc":"2.0","id":"last one","result":{}}` {
			t.Errorf("the last answer is %s", answers[len(answers)-1])
		}
		if most := strings.Count(lines, "\n") + 2; len(answers) > most {
			t.Errorf("%d answers to %d lines", len(answers), most)
		}
	})
}

// TestIDCanBeReused checks that a client may reuse an id as soon as it has read the answer.
func TestIDCanBeReused(t *testing.T) {
	const times = 2000
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	c := jsonrpc.New(jsonrpc.Options{In: toServer, Out: out, Handle: func(r *jsonrpc.Request) {
		go r.Answer(nil, nil)
	}})
	within(t, "asking with one id again and again", func() {
		go c.Serve()
		answers := bufio.NewScanner(fromServer)
		for i := range times {
			io.WriteString(in, `{"jsonrpc":"2.0","id":7,"method":"x"}`+"\n")
			if !answers.Scan() || !strings.Contains(answers.Text(), `"result":{}`) {
				t.Errorf("request %d: got %s", i, answers.Text())
				break
			}
		}
		in.Close()
		<-c.Settled()
		c.Close(nil)
	})
}

// TestLateAnswers checks that only an answer without a request is an error: a client must answer
// every request, even if the agent does not wait any more.
func TestLateAnswers(t *testing.T) {
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	var log bytes.Buffer
	c := jsonrpc.New(jsonrpc.Options{In: toServer, Out: out, Handle: func(*jsonrpc.Request) {},
		Log: func(text string) { log.WriteString(text + "\n") }})
	within(t, "a question that is taken back", func() {
		served := make(chan error, 1)
		go func() { served <- c.Serve() }()
		ctx, cancel := context.WithCancel(context.Background())
		asked := make(chan error, 1)
		go func() {
			_, err := c.Call(ctx, "ask", nil)
			asked <- err
		}()
		var q struct{ ID int }
		if lines := bufio.NewScanner(fromServer); !lines.Scan() ||
			json.Unmarshal(lines.Bytes(), &q) != nil || q.ID == 0 {
			t.Errorf("got %s, want a request", lines.Text())
		}
		cancel()
		if err := <-asked; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		// too late, repeated, and without a request
		for _, id := range []int{q.ID, q.ID, q.ID + 1} {
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id)
		}
		in.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		c.Close(nil)
	})
	want := fmt.Sprintf(
		"the client answered %d: no request with this id waits for an answer\nthe client "+
			"answered %d: no request with this id waits for an answer\n", 1, 2)
	if log.String() != want {
		t.Errorf("got %s, want %s", &log, want)
	}
}
