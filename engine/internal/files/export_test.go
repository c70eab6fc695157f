package files

// Looked sets a function that is called between the check and the use of a path.
func (f *Files) Looked(call func()) { f.looked = call }
