// This file finds phrases in comments and documents that readers have to decipher.

package engine_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// riddles are phrases that take longer to understand than what they say, each with what to write
// instead.
var riddles = map[string]string{
	`told (?:of|once)`:                  "gets, is called with, is reported",
	`who is told`:                       "the callback, the caller",
	`the one before`:                    "the previous NOUN",
	`those before it`:                   "the previous NOUNs",
	`anew`:                              "again",
	`in the place of`:                   "instead of, replaces",
	`but for the`:                       "except for the",
	`(?:comes|came) of`:                 "the result of",
	`lest`:                              "so that ... does not",
	`held against`:                      "compared with",
	`taken for`:                         "mistaken for, treated as",
	`(?:ha[sd]|have) (?:its|their) say`: "applies",
	`the last word on`:                  "checks, decides last",
	`looked through`:                    "examined, searched",
	`of which nothing`:                  "unknown",
	`that which`:                        "what, the NOUN that",
	`the very same`:                     "the same, unchanged",
}

var riddle = regexp.MustCompile(`(?i)\b(?:` + strings.Join(keysOf(riddles), "|") + `)\b`)

// keysOf returns the keys of a map.
func keysOf(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// riddlesIn returns the phrases of a text that readers have to decipher, with advice.
func riddlesIn(text string) (found []string) {
	for _, phrase := range riddle.FindAllString(strings.Join(strings.Fields(text), " "), -1) {
		for pattern, advice := range riddles {
			if regexp.MustCompile(`(?i)^(?:` + pattern + `)$`).MatchString(phrase) {
				found = append(found, `"`+phrase+`": write `+advice)
			}
		}
	}
	return found
}

// TestRiddles checks the comments of all sources, and the documents.
func TestRiddles(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if s.name == "engine/words_test.go" {
			continue
		}
		for _, group := range s.file.Comments {
			for _, found := range riddlesIn(group.Text()) {
				t.Errorf("%s: %s", s.at(ast.Node(group)), found)
			}
		}
	}
	var documents []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, names...)
	}
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range riddlesIn(string(text)) {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// TestRiddlesIn checks that riddlesIn finds phrases across lines, and ignores other texts.
func TestRiddlesIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"who is told may take his time":               1,
		"each sees what the one\nbefore made of it":   1,
		"It is made Anew, lest it be taken for a bug": 3,
		"the last argument is told apart":             0,
		"the latest one is the previous one":          0,
	} {
		if got := riddlesIn(text); len(got) != want {
			t.Errorf("%q: got %q, want %d phrases", text, got, want)
		}
	}
}
