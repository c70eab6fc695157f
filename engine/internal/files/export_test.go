package files

// Looked has f called whenever a path has been looked at and is about to be used.
func (f *Files) Looked(call func()) { f.looked = call }
