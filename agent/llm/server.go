package llm

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// server is a model server: where it is, and how it is spoken to.
type server struct {
	name    string // of the provider
	baseURL string
	// setting names what sets baseURL, for errors: "ANTHROPIC_BASE_URL", "providers.local.base_url
	// in config.toml".
	setting string
	moved   bool   // setting was used, in place of the maker's own address
	key     string // "" = it needs none
	keyEnv  string // the variable that key came from, for errors
	headers map[string]string
	models  []string // ids; nil = the server is asked
	// seen is what the server said of its models, chat.Model by id; nil = it was not asked.
	seen *sync.Map
	// sign sets the headers by which the server knows the user; nil = as servers of OpenAI's kind
	// want it.
	sign    func(h http.Header, key string)
	memo    *memo  // of the messages that were sent; nil = there is none
	program string // what this program is called in User-Agent
}

// official reports whether s is OpenAI's own.
func (s server) official() bool { return strings.HasPrefix(s.baseURL, "https://api.openai.com/") }

// stays is a client that does not go where a server points to: keys, and conversations, are for the
// server that the user named. The standard library takes Authorization out of a request to another
// host, but no other header.
func stays() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// at is the address of path at s.
func (s server) at(path string) (string, error) {
	u, err := url.Parse(s.baseURL)
	if err != nil {
		return "", err
	}
	return u.JoinPath(path).String(), nil
}

// sendRequest sends one request to s; body nil = none. What the user has set in headers counts
// before what the API wants. A request that fails is not sent again: the agent does that, and tells
// of it.
func (s server) sendRequest(ctx context.Context, method, address string, body []byte,
	accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", cmp.Or(s.program, "agent"))
	if s.sign != nil {
		s.sign(req.Header, s.key)
	} else if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	for name, value := range s.headers {
		req.Header.Set(name, value)
	}
	res, err := stays().Do(req)
	if ctx.Err() != nil { // it says more than how the request ended
		if res != nil {
			res.Body.Close()
		}
		return nil, ctx.Err()
	}
	return res, err
}

// post sends body to path and returns the answer, which is bounded, and is none that says no.
func (s server) post(ctx context.Context, path string, body []byte, accept string) (*http.Response,
	error) {
	address, err := s.at(path)
	if err != nil {
		return nil, err
	}
	res, err := s.sendRequest(ctx, http.MethodPost, address, body, accept)
	if err != nil {
		return nil, err
	}
	if err := answered(s, res); err != nil {
		return nil, err
	}
	bounded(res)
	return res, nil
}

var (
	addressUser  = regexp.MustCompile(`//[^/]*@`)
	addressQuery = regexp.MustCompile(`\?.+`)
)

// shown is an address without what in it may be secret: a user's name and password, and a query.
func shown(address string) string {
	return addressQuery.ReplaceAllString(addressUser.ReplaceAllString(address, "//…@"), "?…")
}
