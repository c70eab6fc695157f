package tui

// markdown draws clean text as Markdown; text that is not drawn so is wrapped instead.
func (c *canvas) markdown(text string, width int) []string {
	if lines, ok := c.md.Draw(text, width); ok {
		return lines
	}
	return wrap(text, width)
}
