// Package redact masks secrets: keys, names and anything else that a Redactor finds in a text by
// patterns or by a function. It replaces them with [redacted:NAME].
//
//	set := redact.NewSet([]*redact.Redactor{r}, nil)
//	shown := set.Look(true).Text("token=sk-...")
//
// A Set is an immutable list of redactors. A Look masks texts and values with a Set: existing masks
// are left alone, unchanged values are not copied, and once a function has failed the rest is
// withheld. Pieces masks a text that arrives in pieces, and holds back a possible beginning of a
// match.
//
// Only strings are masked, never the names of keys. The package does not depend on the engine: it
// calls functions of scripts through Redactor.Find.
package redact
