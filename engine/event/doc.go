// Package event defines the events that scripts observe and change: their table, their fields, and
// the filters of handlers.
//
//	table, err := event.NewTable(spec.Events(), time.Now, nil, args)
//	ev := table.New(env, event.SessionEnd{Cause: "exit"})
//	text := ev.Text("cause")
//
// A Row describes an event: its fields, what handlers may return, what a failure means. An Event is
// immutable: a rewrite makes a new one. An Envelope has the fields that all events of a moment
// share. A Filter decides, without entering a script, whether a handler gets an event.
//
// For each event of the table that the program fires there is a type, so that neither the name of
// an event nor that of a field can be misspelled. Optional fields that are zero are left out, and
// so are lists, tables and pointers that are nil. A field of the type any may be lazy. The events
// of a tool call have the fields that they do not share: Table.NewOfCall fills in the others. The
// types are generated from the rows in engine/spec: go generate ./engine/spec writes them. Events
// of scripts and of plugins are made with Table.Named.
//
// The package calls no script. Values that depend on a running engine are passed in: the time, the
// shapes of arguments, the files that a tool call touches.
package event
