// This file bounds the check of arguments against a schema that refers to its own parts.

package schemas

import (
	"fmt"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// mostEffort bounds one check: so many parts of a schema may be looked at, each as often as it is.
// Large arguments come to some ten thousand, while references that double at each of forty lines
// come to 2^40, and nothing else ends such a check.
const mostEffort = 400_000

var errEffort = fmt.Errorf(
	"the schema takes too long to check: it refers to its own parts over and over")

// refers reports whether there is a reference in a schema. Without one a check takes no longer than
// schema and arguments are large.
func refers(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == "$ref" || k == "$dynamicRef" || k == "$recursiveRef" || refers(x) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if refers(x) {
				return true
			}
		}
	}
	return false
}

// bounded is a validator that gives up. It checks one thing at a time: what it counts by is
// compiled into the schema.
type bounded struct {
	validator
	mu   sync.Mutex
	left int // of the effort of this check
}

func bound(doc any) (engine.Validator, error) {
	b := &bounded{validator: validator{patterns: &schemaPatterns{}}}
	c := jsonschema.NewCompiler()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "agent:effort",
		Compile: func(_ *jsonschema.CompilerContext, part map[string]any) (jsonschema.SchemaExt,
			error) {
			return effort{b, weight(part)}, nil
		}})
	c.AssertVocabs()
	var err error
	b.schema, err = compile(c, doc, b.patterns)
	return b, err
}

// Validate implements engine.Validator.
func (b *bounded) Validate(args map[string]any) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = mostEffort
	defer func() {
		switch r := recover(); r {
		case nil:
		case errEffort:
			err = errEffort
		default:
			panic(r)
		}
	}()
	return b.validator.Validate(args)
}

// effort is, to the library, a keyword that stands in each part of the schema.
type effort struct {
	of     *bounded
	weight int
}

// Validate implements jsonschema.SchemaExt. A panic is the one way out of the library's walk.
func (e effort) Validate(*jsonschema.ValidatorContext, any) {
	if e.of.left -= e.weight; e.of.left < 0 {
		panic(errEffort)
	}
}

// weight is how many things the check of a part may look at before it comes to its end.
func weight(part map[string]any) int {
	n := 1
	for _, v := range part {
		switch v := v.(type) {
		case map[string]any:
			n += len(v)
		case []any:
			n += len(v)
		}
	}
	return n
}
