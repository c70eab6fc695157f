package graphics

import (
	"image"
	"image/color"
)

// scale returns a picture in at most width by height pixels: each is the mean of those that it
// replaces. A smaller picture stays as it is.
func scale(p image.Image, width, height int) image.Image {
	from := p.Bounds()
	w, h := from.Dx(), from.Dy()
	if w > width {
		w, h = width, max(1, h*width/w)
	}
	if h > height {
		w, h = max(1, w*height/h), height
	}
	if w == from.Dx() && h == from.Dy() {
		return p
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := from.Min.Y+y*from.Dy()/h, from.Min.Y+max((y+1)*from.Dy()/h, y*from.Dy()/h+1)
		for x := range w {
			left, right := from.Min.X+x*from.Dx()/w, from.Min.X+max((x+1)*from.Dx()/w,
				x*from.Dx()/w+1)
			out.Set(x, y, mean(p, image.Rect(left, top, right, bottom)))
		}
	}
	return out
}

// mean returns the mean colour of a part of a picture. Of a large part, some pixels are enough.
func mean(p image.Image, part image.Rectangle) color.Color {
	const most = 8 // in each direction
	stepX, stepY := max(1, part.Dx()/most), max(1, part.Dy()/most)
	var r, g, b, a, n uint64
	for y := part.Min.Y; y < part.Max.Y; y += stepY {
		for x := part.Min.X; x < part.Max.X; x += stepX {
			pr, pg, pb, pa := p.At(x, y).RGBA()
			r, g, b, a, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa), n+1
		}
	}
	return color.RGBA64{uint16(r / n), uint16(g / n), uint16(b / n), uint16(a / n)}
}
