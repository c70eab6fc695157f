// Package suggest ends messages about unknown names with the name that was probably meant: the
// nearest one by spelling, or what another host's name for the same thing is called here.
//
//	fmt.Errorf("unknown tool %q%s", name, suggest.DidYouMeanFor(suggest.ForeignTool, name, tools))
//
// The table of other hosts' names is ForeignNames. The package reads nothing but its arguments.
package suggest
