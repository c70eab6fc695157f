// This file describes a value: a payload field of an event, a parameter of a function, a key.

package value

// Field is one payload field, parameter or key: a name, a type and a sentence.
//
// Type is one of "string", "boolean", "number", "integer", "function", "table" (any keys), "list",
// "any", or alternatives separated by "|" ("string|table"). A trailing "?" makes it optional. A
// table whose keys are known lists them in Fields; then an unknown key is an error. Of a list,
// Fields are the keys of its items, of a function those of the table that it may return.
type Field struct {
	Name   string
	Type   string
	Doc    string
	Fields []Field
	// Takes and Answer document a function: its parameters in order, and the type of its result, if
	// it has one. With Fields, the default type is "table". The type "call" is what NewCall makes.
	Takes  []Field
	Answer string
	// Values, if any, are the only strings allowed.
	Values []string
	// Check, if any, looks at what a handler returns under this name, beyond its type.
	Check func(v any) error
	// File says that the text is a path, or a glob of paths.
	File bool
	// Verbatim marks a field whose strings are never masked: they are names (of a call, a tool, a
	// script, a file of a script) or one of a few values, and readers of the stream depend on them.
	// Every other string is free text. In a table, or in the items of a list, the Fields with
	// Verbatim and the strings under VerbatimKeys are not masked; in a list with such keys a bare
	// string is a name.
	Verbatim     bool
	VerbatimKeys []string
	// Unmasked says that handlers read the field unmasked: who makes the event masks messages, of
	// which there may be many, and the arguments of tool calls are judged as they will run.
	Unmasked bool
	// Unshown says that the stream does not carry the field: it is not for the user to see as it
	// is, another event has it, or it grows with the conversation.
	Unshown bool
	// OfCall says that the engine fills in the field for each event of a tool call: whoever fires
	// such an event does not.
	OfCall bool
	// Piece is the part that the field plays in telling a text piece by piece.
	Piece PieceRole
	// Rest says of the last parameter of a function that it takes all further arguments: they
	// arrive as a list.
	Rest bool
}

// PieceRole is the part that a payload field plays in telling a text piece by piece: what redactors
// look for may begin in one piece and end in another.
type PieceRole string

const (
	PieceText PieceRole = "text" // the piece
	PieceOf   PieceRole = "of"   // the id of the text
	PieceKind PieceRole = "kind" // tells texts with the same id apart
	PieceEnd  PieceRole = "end"  // the id of a text that has ended
)
