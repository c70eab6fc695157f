// This file reads flags.

package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// Value returns what the value of a flag is called; "" if it has none.
func (f Flag) Value() string {
	_, rest, _ := strings.Cut(f.About, "`")
	name, _, _ := strings.Cut(rest, "`")
	return name
}

// allFlags returns the flags of all commands, each once.
func allFlags() []Flag {
	var all []Flag
	for _, c := range Commands() {
		all = append(all, c.Flags...)
	}
	slices.SortStableFunc(all, func(a, b Flag) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Flag) bool { return a.Name == b.Name })
}

// Normalize writes flags as pflag reads them: -model and --p, which Go's flag package reads as
// well, become --model and -p, the optional value of -r is joined to it, and joined letters with an
// h, which would ask for help, become the name of a flag that there is not. Flags end at "--", and
// at the program of agent sandbox run.
func Normalize(args []string) (out []string) {
	all := append(allFlags(), helpFlag())
	var words []string
	for i := 0; i < len(args); i++ {
		name, value, with := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		hyphens := len(args[i]) - len(strings.TrimLeft(args[i], "-"))
		at := -1
		if hyphens == 1 || hyphens == 2 {
			at = flagAt(all, name)
		}
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case hyphens == 0 || args[i] == "-":
			if slices.Equal(words, []string{"sandbox", "run"}) {
				return append(append(out, "--"), args[i:]...)
			}
			words = append(words, args[i])
			out = append(out, args[i])
		case at < 0:
			joined, needsValue := letters(all, args[i])
			out = append(out, joined)
			if needsValue && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		case all[at].Name == resume:
			if !with && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
				value = args[i]
			}
			out = append(out, "--"+resume+"="+value)
		case with:
			out = append(out, "--"+all[at].Name+"="+value)
		default:
			if all[at].Name == "print" { // a prompt may begin as a command does
				words = append(words, "")
			}
			out = append(out, dashed(name))
			if all[at].Value() != "" && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		}
	}
	return out
}

func helpFlag() Flag { return Flag{Name: "help", Short: "h", About: "print this help"} }

// flagAt returns the index of the flag with a name or letter, -1 if there is none.
func flagAt(all []Flag, name string) int {
	return slices.IndexFunc(all, func(f Flag) bool {
		return name != "" && (f.Name == name || f.Short == name)
	})
}

// letters returns flags of one letter that are joined, such as -pc, and whether the next word is
// the value of the last of them. If pflag would take one of them for a call for help, it returns
// the name of a long flag, which there is not.
func letters(all []Flag, arg string) (joined string, needsValue bool) {
	if strings.HasPrefix(arg, "--") {
		return arg, false
	}
	for i := 1; i < len(arg); i++ {
		if arg[i] == 'h' {
			return "-" + arg, false
		}
		at := flagAt(all, arg[i:i+1])
		if at < 0 || strings.HasPrefix(arg[i+1:], "=") {
			return arg, false
		}
		if all[at].Value() != "" {
			return arg, i == len(arg)-1
		}
	}
	return arg, false
}

// resume is the flag whose value is optional.
const resume = "resume"

// Scan returns the words of a command line that are not flags nor values of flags, and whether
// flags were given. What is wrong with flags is an error later.
func Scan(args []string) (words []string, given map[string]bool) {
	set := pflag.NewFlagSet("agent", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.ParseErrorsAllowlist.UnknownFlags = true
	given = map[string]bool{}
	for _, f := range append(allFlags(), helpFlag()) {
		made := set.VarPF(&value{}, f.Name, f.Short, "")
		if f.Value() == "" {
			made.NoOptDefVal = "true"
		}
	}
	_ = set.ParseAll(args, func(f *pflag.Flag, value string) error {
		given[f.Name] = value != "false"
		return nil
	})
	return set.Args(), given
}

// flagError says what is wrong with the flags of a command, after the name of a command whose help
// lists them.
func flagError(c *cobra.Command, err error) error {
	if err = wrongFlag(c, err); !c.HasParent() {
		return err
	}
	flags := ""
	if names := Listed(c); len(names) > 0 {
		flags = "; its flags are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%s: %w%s", NameOf(c), err, flags)
}

func wrongFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name, _, _ = strings.Cut(letters, "=")
		}
		return unknownFlag(c, name)
	case errors.As(err, &missing):
		return fmt.Errorf("%s needs a value", dashed(missing.GetSpecifiedName()))
	case errors.As(err, &invalid) && strings.HasPrefix(errors.Unwrap(err).Error(), "--"):
		return errors.Unwrap(err) // it names the flag
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, errors.Unwrap(err))
	}
	return err
}

// unknownFlag says which flag was meant, or whose it is.
func unknownFlag(c *cobra.Command, name string) error {
	var owners, names []string
	for _, command := range Commands() {
		if slices.ContainsFunc(command.Flags, func(f Flag) bool { return f.Name == name }) {
			owners = append(owners, strings.TrimSpace("agent "+command.Name))
		}
	}
	if len(owners) > 0 && !c.HasParent() {
		return fmt.Errorf("--%s is a flag of %s", name, strings.Join(owners, ", "))
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := ""
	if meant := suggest.Nearest(name, names); meant != "" {
		hint = suggest.Meant(dashed(meant))
	}
	if strings.EqualFold(name, "v") {
		hint = suggest.Meant("--version")
	}
	return fmt.Errorf("unknown flag %s%s", dashed(plain.Line(name, mostShown)), hint)
}

// dashed returns a flag as it is written on the command line.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
