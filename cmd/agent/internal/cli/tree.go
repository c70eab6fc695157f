// This file makes the commands of cobra from the table.

package cli

import (
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program is what the command line is for.
type Program struct {
	// Set sets a flag of the table, to "true" if the flag has no value.
	Set func(flag, value string) error
	// Typed is the word that is completed.
	Typed string
	// Names returns the names of what exists, for completion.
	Names Source
	// Run runs a command with its arguments.
	Run func(c *cobra.Command, words []string) error
}

// settings are what cobra keeps for all commands.
var settings = sync.OnceFunc(func() {
	cobra.EnableCommandSorting = false // the order of the table
	cobra.MousetrapHelpText = ""       // Windows starts the program from a menu, too
})

// New returns the agent with all of its commands, or without them if everything is a prompt.
func (p *Program) New(prompt bool) *cobra.Command {
	settings()
	made := map[string]*cobra.Command{}
	for _, c := range Commands() {
		if prompt && c.Name != "" {
			break
		}
		made[c.Name] = p.command(c)
		if c.Name == "" {
			continue
		}
		above := c.Name[:max(0, strings.LastIndexByte(c.Name, ' '))]
		made[above].AddCommand(made[c.Name])
	}
	root := made[""]
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetFlagErrorFunc(flagError)
	// its flags may be given with each command, and are listed where they mean something
	p.define(root.PersistentFlags(), root, flagsOfAll())
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	if help := made["help"]; help != nil {
		root.SetHelpCommand(help)
	}
	return root
}

// command makes one command.
func (p *Program) command(c Command) *cobra.Command {
	name := c.Name[strings.LastIndexByte(c.Name, ' ')+1:]
	if c.Name == "" {
		name = "agent"
	}
	made := &cobra.Command{Use: strings.TrimSpace(name + " " + c.Args), Short: c.About,
		Args: cobra.ArbitraryArgs, RunE: p.Run}
	p.define(made.Flags(), made, flagsOf(c))
	made.InitDefaultHelpFlag() // otherwise cobra takes the word after it for its value
	made.Flags().SortFlags = false
	made.ValidArgsFunction = func(_ *cobra.Command, words []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		return p.arguments(c, words, typed)
	}
	return made
}

// define adds flags to a set of a command.
func (p *Program) define(set *pflag.FlagSet, c *cobra.Command, flags []Flag) {
	for _, f := range flags {
		v := &value{name: f.Name, set: p.Set}
		made := set.VarPF(v, f.Name, f.Short, f.About)
		if f.Value() == "" {
			made.NoOptDefVal = "true"
			v.kind = "bool"
			continue
		}
		v.kind = f.Value()
		if set == c.Flags() {
			_ = c.RegisterFlagCompletionFunc(f.Name, p.values(f))
		}
	}
}

// value sets a flag of the program.
type value struct {
	name, kind string
	set        func(flag, value string) error
}

func (v *value) String() string        { return "" }
func (v *value) Type() string          { return v.kind }
func (v *value) Set(text string) error { return v.set(v.name, text) }

// NameOf returns the name that a command has in the table.
func NameOf(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// Foreign returns the first flag that was given to a command and is not listed for it; "" if there
// is none.
func Foreign(c *cobra.Command) (name string) {
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && name == "" {
			name = f.Name
		}
	})
	return name
}
