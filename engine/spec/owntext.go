package spec

import (
	_ "embed" // for texts.gz
	"sync"

	"github.com/agentscripts/agent/engine/packed"
)

// ownTextsFile has guide.md, the prose of the guide with placeholders for the tables, and web.d.ts,
// the types of the web API for JavaScript. TestOwnTexts writes it.
//
//go:embed texts.gz
var ownTextsFile string

var ownTexts = sync.OnceValue(func() map[string]string { return packed.Texts(ownTextsFile) })
