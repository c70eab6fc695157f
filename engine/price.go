package engine

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/value"
)

// Price is in US dollars per million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// mostPrice is more than any model costs, and keeps sums finite.
const mostPrice = 1e9

// DecodePrice reads a price as users and scripts write it: {input, output, cache_read,
// cache_write}, numbers from 0 on. Nothing is free because it was left out: input and output have
// to be there, and what is read from a cache or written into it costs what other input does if
// nothing is said of it.
func DecodePrice(m map[string]any) (*Price, error) {
	var p Price
	for _, f := range []struct {
		key string
		at  *float64
		or  *float64 // nil = it has to be there
	}{{"input", &p.Input, nil}, {"output", &p.Output, nil}, {"cache_read", &p.CacheRead, &p.Input},
		{"cache_write", &p.CacheWrite, &p.Input}} {
		n, ok := value.Number(m[f.key])
		switch {
		case !ok && f.or == nil:
			return nil, errors.New(f.key + " is missing")
		case !ok:
			n = *f.or
		case !(n >= 0 && n <= mostPrice): // NaN, too
			return nil, fmt.Errorf("%s: got %v, want 0 or more US dollars per million tokens",
				f.key, n)
		}
		*f.at = n
	}
	return &p, nil
}
