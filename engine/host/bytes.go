// This file holds the small functions on bytes: ext.base64, ext.hash, ext.uuid, ext.random.

package host

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

func bytesFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"base64.encode": base64Encode, "base64.decode": base64Decode, "hash.sha256": hashSHA256,
		"uuid": uuid, "random": random,
	}
}

func base64Encode(c *engine.HostCall) (any, error) {
	enc := base64.StdEncoding
	if truth(table(c.Args[1])["url"]) {
		enc = base64.RawURLEncoding
	}
	return enc.EncodeToString([]byte(text(c.Args[0]))), nil
}

// fromBase64 accepts both alphabets, with and without padding and line breaks: the sender of a text
// decides which is used, not the reader.
func fromBase64(s string) ([]byte, error) {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(s)
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}

func base64Decode(c *engine.HostCall) (any, error) {
	b, err := fromBase64(text(c.Args[0]))
	switch {
	case err != nil:
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.base64.decode: " + err.Error()}
	case !utf8.Valid(b) && c.Gen.Language == "js":
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.base64.decode: the result is not UTF-8 text; atob returns bytes"}
	}
	return string(b), nil
}

func hashSHA256(c *engine.HostCall) (any, error) {
	sum := sha256.Sum256([]byte(text(c.Args[0])))
	return hex.EncodeToString(sum[:]), nil
}

// uuid returns a random UUID.
func uuid(c *engine.HostCall) (any, error) { return c.Gen.Engine().Random().UUID(), nil }

// random returns a number from 0 up to 1, or an integer from low to high.
func random(c *engine.HostCall) (any, error) {
	source := c.Gen.Engine().Random()
	if c.Args[0] == nil {
		return source.Numbers().Float64(), nil
	}
	low, high := number(c.Args[0]), number(c.Args[1])
	if c.Args[1] == nil {
		low, high = 1, low
	}
	if low < -most || high > most {
		return nil, fmt.Errorf("ext.random: got %v to %v, want whole numbers of up to 2^53", low,
			high)
	}
	if low > high {
		return nil, fmt.Errorf("ext.random: got %v to %v, want the smaller number first", low, high)
	}
	n, err := source.Between(int64(low), int64(high))
	if err != nil {
		return nil, err
	}
	return float64(n), nil
}
