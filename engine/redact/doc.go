// Package redact masks what must not be seen: keys, names, whatever a Redactor finds in a text by
// patterns or by a function. [redacted:NAME] stands in its place.
//
//	set := redact.NewSet([]*redact.Redactor{r}, nil)
//	shown := set.Look(true).Text("token=sk-...")
//
// A Set is the redactors of one moment. A Look is one look with them through texts and values: what
// was masked before stays as it is, what does not change is not copied, and once a function has
// failed the rest is withheld. Pieces masks a text that comes piece by piece, and holds back what
// may be the beginning of a match.
//
// Only strings are masked, never the names of keys. The package knows no engine: functions of
// scripts are called through Redactor.Find.
package redact
