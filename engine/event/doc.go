// Package event has a type for each event of the table that the program fires, so that neither the
// name of an event nor that of a field can be misspelled:
//
//	e.Emit(e.Events.New(env, event.SessionEnd{Cause: "exit"}))
//
// Optional fields that are zero are left out, and so are lists, tables and pointers that are nil. A
// field of the type any may be lazy. The events of a tool call have the fields that they do not
// share: the engine fills in the others. The types are generated from the rows in engine/spec: go
// generate ./engine/spec writes them. Events of scripts and of plugins are made with
// Events.Named.
package event
