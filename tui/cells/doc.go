// Package cells makes lines of text fit the cells of a terminal: without control characters,
// wrapped, cut and indented.
package cells
