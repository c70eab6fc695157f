// This file holds the types of the web API for JavaScript.

package spec

import _ "embed" // for web.d.ts

//go:embed web.d.ts
var webTypes string
