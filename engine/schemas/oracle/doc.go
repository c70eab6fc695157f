// Package oracle holds engine/schemas against another validator of JSON Schema, and against the
// test suite of JSON Schema itself. It is a module of its own, so that the program does not depend
// on them. It has tests only.
package oracle
