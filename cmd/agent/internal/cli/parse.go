// This file reads flags.

package cli

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

// Parse reads flags, which may stand before, between and after the words, and returns the words.
// After "--" all are words.
func Parse(set *flag.FlagSet, args []string) (words []string, err error) {
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, flagError(set, err)
		}
		rest := set.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(words, rest...), nil
		}
		if len(rest) == 0 {
			break
		}
		words, args = append(words, rest[0]), rest[1:]
	}
	return words, nil
}

// flagError adds a did-you-mean hint to the flag package's message.
func flagError(fs *flag.FlagSet, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
			return fmt.Errorf("%s needs a value", dashed(name))
		}
		if _, rest, ok := strings.Cut(err.Error(), "invalid boolean flag "); ok {
			_, why, _ := strings.Cut(rest, ": ")
			return errors.New(why)
		}
		if rest, ok := strings.CutPrefix(err.Error(), "invalid boolean value "); ok {
			value, rest, _ := strings.Cut(rest, " for -")
			name, _, _ := strings.Cut(rest, ":")
			return fmt.Errorf("%s: got %s, want true, false or no value", dashed(name), value)
		}
		if _, rest, ok := strings.Cut(err.Error(), " for flag -"); ok {
			return errors.New("--" + rest)
		}
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	name = strings.TrimPrefix(name, "-")
	hint := ""
	if meant := suggest.Nearest(name, names); meant != "" {
		hint = suggest.Meant(dashed(meant))
	}
	return fmt.Errorf("unknown flag --%s%s", name, hint)
}

// dashed returns a flag as it is written on the command line.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
