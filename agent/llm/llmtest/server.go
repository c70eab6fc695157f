// Package llmtest provides model servers for tests. They speak the real wire formats, and give
// prepared replies.
//
//	s := llmtest.New(llmtest.Reply{Text: "hello"}, llmtest.Reply{Status: 429,
//		Header: map[string]string{"Retry-After": "2"}})
//	web := httptest.NewServer(s.Anthropic())
//	... ask ...
//	s.Requests()[0].Body["model"]
//
// The formats follow the makers' public API references.
package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

// Reply is the model's reply to one request. The zero Reply is a short text.
type Reply struct {
	Thinking  string // before the text
	Signature string // of Thinking
	Redacted  string // thinking that only the server can decrypt
	Text      string // sent in small pieces
	Pause     int    // milliseconds between them
	Calls     []Call
	Usage     Usage
	Uncounted bool   // the server omits Usage
	Finish    string // in the words of the format; "" = the matching one

	// Failures.
	Status int               // the answer is this status, Body and nothing else
	Header map[string]string // additional headers
	Body   string            // with Status, or, if that is 0, in place of the stream
	Kind   string            // content type of Body; "" = application/json
	Cut    int               // the connection ends after that many bytes of the stream
	Error  string            // type of an error in the stream, before its end
	Hang   bool              // after the text the server sends nothing until the client disconnects
	Flood  int               // that many MB of text in place of Text
}

// Call is a tool call. Args may be invalid JSON.
type Call struct{ ID, Name, Args string }

// Usage is the server's token counts. If all are 0, it sends small numbers.
type Usage struct{ Input, Output, CacheRead, CacheWrite int }

// Request is a request to the server.
type Request struct {
	Path   string
	Header http.Header
	Body   map[string]any // nil = not a JSON object
}

// Model is a model that the server has.
type Model struct {
	ID               string
	Context          int
	Images, Thinking bool
	Loaded           int // context size of a model loaded in Ollama; 0 = not loaded
}

// Server is a model server. It can serve several formats.
type Server struct {
	Models []Model

	mu       sync.Mutex
	replies  []Reply
	requests []Request
	gone     chan struct{} // one token for each request whose client went away during the reply
}

// New returns a server that gives the replies in order, and then "nothing more to say".
func New(replies ...Reply) *Server {
	return &Server{replies: replies, gone: make(chan struct{}, 100)}
}

// Requests returns the requests for replies so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Gone returns a channel with a token for each client that disconnected during a reply.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// nextReply records a request and returns its reply.
func (s *Server) nextReply(r *http.Request) Reply {
	body, _ := io.ReadAll(r.Body)
	req := Request{Path: r.URL.Path, Header: r.Header}
	_ = json.Unmarshal(body, &req.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if len(s.replies) == 0 {
		return Reply{Text: "nothing more to say"}
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	if reply.Usage == (Usage{}) {
		reply.Usage = Usage{Input: 10, Output: 5}
	}
	return reply
}

// failed sends a reply that is not a stream. It returns false if the reply is one.
func (r *Reply) failed(w http.ResponseWriter) bool {
	for k, v := range r.Header {
		w.Header().Set(k, v)
	}
	if r.Status == 0 && r.Body == "" {
		return false
	}
	kind := r.Kind
	if kind == "" {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	io.WriteString(w, r.Body)
	return true
}

// pieces splits text into pieces of a few characters.
func pieces(text string) []string {
	const size = 7
	var out []string
	for text != "" {
		piece := plain.Chars(text, size)
		out, text = append(out, piece), text[len(piece):]
	}
	return out
}

// stream writes server-sent events.
type stream struct {
	w    http.ResponseWriter
	r    *http.Request
	left int // bytes until the stream is cut; 0 = never
	s    *Server
	// the pause between two events
	pause time.Duration
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply Reply) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, r: r, left: reply.Cut,
		pause: time.Duration(reply.Pause) * time.Millisecond, s: s}
}

// sendEvent sends one event; name may be empty; data is encoded as JSON unless it is a string.
func (st *stream) sendEvent(name string, data any) {
	var b bytes.Buffer
	if name != "" {
		fmt.Fprintf(&b, "event: %s\n", name)
	}
	text, ok := data.(string)
	if !ok {
		j, err := json.Marshal(data)
		if err != nil {
			panic(err) // a mistake in a test
		}
		text = string(j)
	}
	fmt.Fprintf(&b, "data: %s\n\n", text)
	time.Sleep(st.pause)
	st.writeText(b.Bytes())
}

func (st *stream) writeText(b []byte) {
	if st.left > 0 {
		if len(b) >= st.left {
			st.w.Write(b[:st.left])
			st.flushStream()
			panic(http.ErrAbortHandler)
		}
		st.left -= len(b)
	}
	if _, err := st.w.Write(b); err != nil {
		st.left = 1
		st.s.leave()
		panic(http.ErrAbortHandler)
	}
	st.flushStream()
}

func (st *stream) flushStream() { _ = http.NewResponseController(st.w).Flush() }

// hang waits until the client disconnects.
func (st *stream) hang() {
	<-st.r.Context().Done()
	st.s.leave()
	panic(http.ErrAbortHandler)
}

func (s *Server) leave() {
	select {
	case s.gone <- struct{}{}:
	default:
	}
}
