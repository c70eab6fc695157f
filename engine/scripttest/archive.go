package scripttest

import "strings"

// archive is a txtar file: a comment, then named files, each after a line "-- NAME --".
type archive struct {
	comment string
	files   []file
}

type file struct{ name, data string }

func parseArchive(text string) *archive {
	a := &archive{}
	at := &a.comment
	for _, line := range strings.SplitAfter(text, "\n") {
		if name, ok := marker(line); ok {
			a.files = append(a.files, file{name: name})
			at = &a.files[len(a.files)-1].data
			continue
		}
		*at += line
	}
	return a
}

// marker returns the name in a line "-- NAME --". A case cannot contain a Lua comment of that form.
func marker(line string) (string, bool) {
	line = strings.TrimSuffix(line, "\n")
	name, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok
}

func (a *archive) get(name string) (data string, ok bool) {
	for _, f := range a.files {
		if f.name == name {
			return f.data, true
		}
	}
	return "", false
}

// below returns the files whose names begin with folder, with that prefix removed from their names.
func (a *archive) below(folder string) (list []file) {
	for _, f := range a.files {
		if name, ok := strings.CutPrefix(f.name, folder); ok {
			list = append(list, file{name, f.data})
		}
	}
	return list
}

// set replaces a file, or adds it at the end.
func (a *archive) set(name, data string) {
	for i := range a.files {
		if a.files[i].name == name {
			a.files[i].data = data
			return
		}
	}
	a.files = append(a.files, file{name, data})
}

func (a *archive) String() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.data)
		if f.data != "" && !strings.HasSuffix(f.data, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
