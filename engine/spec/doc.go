// Package spec holds the two tables that drive the engine: events and API functions. To add a
// function, add a row here and a host function in engine/host. To add an event, add a row here, run
// go generate, which writes its type in package event, and fire it. The bindings of both languages,
// the checks of arguments and outcomes, suggestions in errors, and the documentation use these
// rows; there is no second list.
package spec

//go:generate go test . -run TestOwnTexts -update
//go:generate go test . -run "TestReference|TestConstructors|TestPagesOfProgram" -update
