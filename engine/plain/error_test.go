package plain_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

// libraryWords are words of Go's error messages that users do not know.
var libraryWords = []string{"invalid character", "looking for beginning", "unexpected EOF", "EOF",
	"dial tcp", "lookup ", "net/http", "Get \"",
	"Post \"", "context canceled", "context deadline", "Client.Timeout", "connect: ", "read: ",
	"open ", "stat ", "fork/exec", "exit status", "strconv.",
	"cannot unmarshal", "json: ", "illegal base64", "Go value", "x509", "executable file not found",
	"unexpected end of JSON"}

func parse(text string, into any) error { return json.Unmarshal([]byte(text), into) }

func toJSON(v any) error {
	_, err := json.Marshal(v)
	return err
}

func ring() any {
	m := map[string]any{}
	m["m"] = m
	return m
}

func base64Error() error {
	_, err := base64.StdEncoding.DecodeString("aa!a")
	return err
}

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	return err
}

// TestError makes the errors that the program meets. Their text must not contain Go's words, and
// errors.Is must still work.
func TestError(t *testing.T) {
	var object map[string]any
	var shape struct {
		Name string
		N    int8
	}
	missing := filepath.Join(t.TempDir(), "none")
	_, statErr := os.Stat(missing)
	_, readErr := os.ReadFile(missing)
	ended, stop := context.WithCancel(context.Background())
	stop()
	late, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		<-r.Context().Done()
	}))
	defer silent.Close()
	closes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
	}))
	defer closes.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	_, badNumber := strconv.Atoi("x1")
	_, badURL := url.Parse("http://[::1") //lint:ignore SA1007 it has to be wrong
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no value": {parse("{nope}", &object),
			`not JSON at byte 2: got 'n', want a key in double quotes`},
		"no JSON": {parse("nope", &object), "not JSON at byte 2: got 'o', want null"},
		"a word":  {parse("hello", &object), "not JSON at byte 1: got 'h', want a value"},
		"after a pair": {parse(`{"a":1 "b"}`, &object),
			`not JSON at byte 8: got '"', want "," or "}"`},
		"after a key": {parse(`{"a" 1}`, &object), `not JSON at byte 6: got '1', want ":"`},
		"after the end": {parse(`{} x`, &object),
			"not JSON at byte 4: got 'x', want no more: the value has ended"},
		"string": {parse("\"a\nb\"", &object),
			`not JSON at byte 3: got '\n', want it escaped: it is in a string`},
		"escape": {parse(`"\x"`, &object),
			`not JSON at byte 3: got 'x', want an escape such as \n or \\`},
		"unicode escape": {parse(`"\u12x"`, &object),
			`not JSON at byte 6: got 'x', want four hexadecimal digits after \u`},
		"number": {parse(`1.x`, &object),
			"not JSON at byte 3: got 'x', want a digit of a number"},
		"half":         {parse(`{"a":`, &object), "the JSON ends too early"},
		"not a number": {toJSON(math.NaN()), "JSON cannot hold the number NaN"},
		"a function":   {toJSON(map[string]any{"f": func() {}}), "JSON cannot hold a func"},
		"a ring":       {toJSON(ring()), "JSON cannot hold a value that contains itself"},
		"base64":       {base64Error(), "the character at byte 2 does not belong there"},
		"wrong kind":   {parse(`[1]`, &object), "got array, want an object"},
		"another decoder": {&json.UnmarshalTypeError{Value: `"text"}`,
			Type: reflect.TypeFor[[]int](), Field: "content"}, "content: want a list"},
		"wrong field": {parse(`{"Name": 1}`, &shape), "Name: got number, want a string"},
		"large":       {parse(`{"N": 1000}`, &shape), "1000 is no number that fits here"},
		"stat":        {statErr, missing + ": no such file or directory"},
		"read":        {readErr, missing + ": no such file or directory"},
		"no program": {exec.Command("no-such-program-here").Run(),
			"no-such-program-here: no such program in PATH"},
		"no program file": {exec.Command(missing).Run(), missing + ": no such file or directory"},
		"exit":            {exec.Command("sh", "-c", "exit 3").Run(), "it ended with exit code 3"},
		"signal": {exec.Command("sh", "-c", "kill -9 $$").Run(),
			"it was ended by a signal: killed"},
		"refused": {get(context.Background(), "http://127.0.0.1:1/x"),
			"cannot connect to 127.0.0.1:1: connection refused"},
		"cancelled": {get(ended, silent.URL), "cancelled"},
		"late":      {get(late, silent.URL), "no answer in time"},
		"closed": {get(context.Background(), closes.URL),
			"the connection was closed before an answer came"},
		"certificate": {get(context.Background(), secure.URL),
			"the server's certificate is not valid: certificate signed by unknown authority"},
		"plain for https": {get(context.Background(),
			strings.Replace(silent.URL, "http:", "https:", 1)),
			"the server speaks http, not https"},
		"scheme": {get(context.Background(), "gopher://x"),
			`unsupported protocol scheme "gopher"`},
		"host": {&url.Error{Op: "Get", URL: "http://no.invalid",
			Err: &net.OpError{Op: "dial", Net: "tcp",
				Err: &net.DNSError{Name: "no.invalid", Err: "no such host", IsNotFound: true}}},
			`there is no host "no.invalid"`},
		"url":     {badURL, `"http://[::1" is no address: missing ']' in host`},
		"integer": {badNumber, `"x1" is not a number`},
		"end":     {io.ErrUnexpectedEOF, "it ended too early"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.err == nil {
				t.Fatal("nothing failed")
			}
			around := fmt.Errorf("load x: %w (try again)", c.err)
			if got, want := plain.Error(around), "load x: "+c.want+" (try again)"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			for _, word := range libraryWords {
				if strings.Contains(plain.Error(around), word) {
					t.Errorf("it says %q: %s", word, plain.Error(around))
				}
			}
			if w := plain.Wrap(around); !errors.Is(w, c.err) ||
				plain.Error(fmt.Errorf("so: %w", w)) != "so: "+w.Error() {
				t.Errorf("wrapped, the error is lost: %v", w)
			}
		})
	}
}

func TestErrorKeepsOtherWords(t *testing.T) {
	joined := errors.Join(errors.New("first: open the door"), context.Canceled)
	for _, c := range []struct {
		err  error
		want string
	}{{nil, ""}, {errors.New("open x: EOF"), "open x: EOF"},
		{joined, "first: open the door\ncancelled"}} {
		if got := plain.Error(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if plain.Wrap(nil) != nil {
		t.Error("nil is wrapped")
	}
}
