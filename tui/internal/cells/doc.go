// Package cells prepares text for the cells of a terminal: it removes control characters, wraps,
// cuts and indents.
package cells
