// This file holds the types of what JavaScript has besides ext.

package spec

import _ "embed" // for web.d.ts

//go:embed web.d.ts
var webTypes string
