// Package suggest finds the name that was probably meant instead of an unknown one, for error
// messages: the nearest one by spelling, or our name for what another host calls so.
//
//	fmt.Errorf("unknown tool %q%s", name, suggest.DidYouMeanFor(suggest.ForeignTool, name, tools))
//
// ForeignNames is the table of other hosts' names. The functions depend only on their arguments.
package suggest
