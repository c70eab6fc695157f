package zot

import (
	"encoding/json"
	"time"
)

func init() { endGrace = time.Hour }

// Encode returns the line of a frame for a program.
func Encode(m map[string]any) ([]byte, error) { return message(m).encode() }

// Decode decodes the line of a frame of a program.
func Decode(line []byte) error { return json.Unmarshal(line, &frame{}) }
