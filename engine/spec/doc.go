// Package spec holds the two tables that the engine is driven by: events and API functions. Adding
// a function is one row here and one host function in engine/host; adding an event is one row here
// and the place that fires it, by its type in package event, which go generate writes. The bindings
// of both languages, argument and outcome checks, did-you-mean and the documentation read these
// rows; there is no second list anywhere.
package spec

//go:generate go test . -run "TestReference|TestConstructors" -update
