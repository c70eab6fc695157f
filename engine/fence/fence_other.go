//go:build !darwin && !linux

package fence

var methods []method
