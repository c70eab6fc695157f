package llm

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// server is a model server: where it is, and how it is spoken to.
type server struct {
	name    string // of the provider
	baseURL string
	// setting names what sets baseURL, for errors: "ANTHROPIC_BASE_URL", "providers.local.base_url in config.toml".
	setting string
	moved   bool   // setting was used, in place of the maker's own address
	key     string // "" = it needs none
	keyEnv  string // the variable that key came from, for errors
	headers map[string]string
	models  []string // ids; nil = the server is asked
	// seen is what the server said of its models, engine.Model by id; nil = it was not asked.
	seen *sync.Map
}

// official reports whether s is OpenAI's own.
func (s server) official() bool { return strings.HasPrefix(s.baseURL, "https://api.openai.com/") }

// stays is a client that does not go where a server points to: keys, and conversations, are for the server that the user named. The standard
// library takes Authorization out of a request to another host, but no other header.
func stays() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var (
	addressUser  = regexp.MustCompile(`//[^/]*@`)
	addressQuery = regexp.MustCompile(`\?.+`)
)

// shown is an address without what in it may be secret: a user's name and password, and a query.
func shown(address string) string {
	return addressQuery.ReplaceAllString(addressUser.ReplaceAllString(address, "//…@"), "?…")
}
