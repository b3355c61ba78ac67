package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/image/draw"

	"rot.example/rot/internal/parallel"
)

// mostWays is how often a folder may be met on different ways through links:
// links that branch at each level would otherwise be walked for ever.
const mostWays = 64

// A folder is the image files below a root.
type folder struct {
	root    string
	files   []string // slash-separated, below root, sorted
	configs []*picture
	square  bool // only the middle of each is read, as large a square as there is

	skipped    []string  // names that say other picture formats
	unreadable []BadFile // with ImageOptions.Tolerant

	links int   // that were followed on the way here
	met   []way // folders behind links, so far
}

// A way counts how often a folder was met.
type way struct {
	fs.FileInfo
	times int
}

// loadFolder reads the images below a folder that sel picks. When all of them
// lie in sub-folders, those are their classes.
func loadFolder(root string, sel selection, opts *ImageOptions) (*Images, error) {
	f := &folder{root: root}
	if err := f.walk("", nil); err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, fileError(root, "the folder has no images (%s)", imageEndings)
	}
	labels, classes := f.classes()
	// Labels are known by now, and only what is picked is decoded.
	known := &Images{Labels: labels, Classes: len(classes), ClassNames: classes}
	rows, err := sel.of(root, "images", len(f.files), func(s *step) (func(i int) bool, error) {
		return known.byLabel(root, s)
	})
	if err != nil {
		return nil, err
	}
	f.files, labels = at(f.files, rows), at(labels, rows)
	im, kept, err := f.load(opts)
	if err != nil {
		return nil, err
	}
	im.Labels, im.Classes, im.ClassNames = at(labels, kept), len(classes), classes
	im.Skipped, im.Unreadable = f.skipped, f.unreadable
	return im, nil
}

// load reads the files; kept are the places of those that could be read.
func (f *folder) load(opts *ImageOptions) (im *Images, kept []int, err error) {
	if kept, err = f.readHeaders(opts.Tolerant); err != nil {
		return nil, nil, err
	}
	h, w, c, err := f.shape(opts)
	if err != nil {
		return nil, nil, err
	}
	if im, err = newImages(f.root, len(f.files), h, w, c); err != nil {
		return nil, nil, err
	}
	im.IDs = f.files
	var transparent atomic.Int64
	problems := make([]error, len(f.files))
	err = parallel.Try(len(f.files), func(i int) error {
		opaque, err := f.read(i, im)
		if !opaque && err == nil {
			transparent.Add(1)
		}
		if problems[i] = err; opts.Tolerant {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	whole := f.setAside(problems)
	if len(whole) == 0 {
		return nil, nil, fileError(f.root, "none of its images can be read: %s: %s", f.unreadable[0].File, f.unreadable[0].Problem)
	}
	im = im.pick(whole)
	f.files, f.configs = at(f.files, whole), at(f.configs, whole)
	im.IDs = f.files
	im.Notes = f.notes(h, w, c, int(transparent.Load()))
	im.Sizes = f.sizes()
	return im, at(kept, whole), nil
}

// setAside lists the files with a problem and returns the places of the others.
func (f *folder) setAside(problems []error) (whole []int) {
	for i, err := range problems {
		if err == nil {
			whole = append(whole, i)
			continue
		}
		msg := err.Error()
		var bad *InputError
		if errors.As(err, &bad) {
			msg = bad.Msg
		}
		f.unreadable = append(f.unreadable, BadFile{f.files[i], msg})
	}
	return whole
}

// sizes counts the sizes of the files, the commonest first.
func (f *folder) sizes() []SizeCount {
	count := make(map[[2]int]int)
	for _, k := range f.configs {
		count[[2]int{k.Width, k.Height}]++
	}
	var out []SizeCount
	for size, n := range count {
		out = append(out, SizeCount{size[0], size[1], n})
	}
	slices.SortFunc(out, func(a, b SizeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Width, b.Width), cmp.Compare(a.Height, b.Height))
	})
	return out
}

// walk collects the images in dir, a path below the root. Links are followed;
// above are the folders on the way here. Names that begin with a dot are
// skipped, as a shell does.
func (f *folder) walk(dir string, above []fs.FileInfo) error {
	here := filepath.Join(f.root, filepath.FromSlash(dir))
	info, err := os.Stat(here)
	if err != nil {
		return readError(here, err)
	}
	if slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
		return fileError(here, "is a link that leads back to a folder above it")
	}
	if f.links > 0 && f.isMaze(info) {
		return fileError(here, "is met on more than %d ways through links", mostWays)
	}
	entries, err := os.ReadDir(here) // sorted
	if err != nil {
		return readError(here, err)
	}
	above = append(above, info)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := path.Join(dir, e.Name())
		isDir, links := e.IsDir(), f.links
		if e.Type()&fs.ModeSymlink != 0 {
			links++
			file := filepath.Join(here, e.Name())
			if info, err := os.Stat(file); err == nil {
				isDir = info.IsDir()
			} else if isImageName(name) || !errors.Is(err, fs.ErrNotExist) {
				return readError(file, err)
			}
		}
		if isDir {
			here := f.links
			f.links = links
			err := f.walk(name, above)
			f.links = here
			if err != nil {
				return err
			}
		} else if isImageName(name) {
			f.files = append(f.files, name)
		} else if isOtherImage(name) {
			f.skipped = append(f.skipped, name)
		}
	}
	return nil
}

// isMaze notes that a folder is met, and reports whether that is too often.
func (f *folder) isMaze(info fs.FileInfo) bool {
	for k := range f.met {
		if os.SameFile(f.met[k].FileInfo, info) {
			f.met[k].times++
			return f.met[k].times > mostWays
		}
	}
	f.met = append(f.met, way{info, 1})
	return false
}

// classes are the sub-folders that hold the images, and which one each is in;
// nil when some image is in none.
func (f *folder) classes() (labels []int32, names []string) {
	for _, file := range f.files {
		name, _, ok := strings.Cut(file, "/")
		if !ok {
			return nil, nil
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		labels = append(labels, int32(len(names)-1))
	}
	return labels, names
}

func (f *folder) path(i int) string {
	return filepath.Join(f.root, filepath.FromSlash(f.files[i]))
}

// readHeaders reads the headers of all images. Files that cannot be read are set aside
// when that is tolerated; kept are the places of the others.
func (f *folder) readHeaders(tolerant bool) (kept []int, err error) {
	f.configs = make([]*picture, len(f.files))
	problems := make([]error, len(f.files))
	err = parallel.Try(len(f.files), func(i int) (err error) {
		f.configs[i], err = readPictureHeader(f.path(i))
		if problems[i] = err; tolerant {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if kept = f.setAside(problems); len(kept) == 0 {
		return nil, fileError(f.root, "none of its images can be read: %s: %s", f.unreadable[0].File, f.unreadable[0].Problem)
	}
	f.files, f.configs = at(f.files, kept), at(f.configs, kept)
	return kept, nil
}

// isOtherImage reports whether a name says a picture format that is not read.
func isOtherImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".heic", ".heif", ".avif", ".tif", ".tiff", ".svg", ".psd", ".jxl", ".jp2", ".ico", ".dng", ".cr2", ".nef", ".arw", ".raw":
		return true
	}
	return false
}

// shape is the size of the images once loaded.
func (f *folder) shape(opts *ImageOptions) (h, w, c int, err error) {
	first := f.configs[0]
	h, w = f.side(first)
	c = 1
	size := opts.Size
	for i, k := range f.configs {
		if kh, kw := f.side(k); size == 0 && (kh != h || kw != w) {
			if size = opts.Mixed; size == 0 {
				return 0, 0, 0, fileError(f.root, "the images differ in size: %s is %d×%d, %s is %d×%d",
					f.files[0], first.Width, first.Height, f.files[i], k.Width, k.Height).with(SetSize)
			}
		}
		if !isGray(k) {
			c = 3
		}
	}
	if size > 0 {
		h, w = size, size
	}
	if opts.Channels > 0 {
		c = opts.Channels
	}
	return h, w, c, nil
}

// side is the height and width of what is read of an image.
func (f *folder) side(k *picture) (h, w int) {
	if f.square {
		h = min(k.Height, k.Width)
		return h, h
	}
	return k.Height, k.Width
}

func isGray(k *picture) bool {
	return k.ColorModel == color.GrayModel || k.ColorModel == color.Gray16Model
}

func isDeep(k *picture) bool {
	return k.ColorModel == color.Gray16Model || k.ColorModel == color.RGBA64Model || k.ColorModel == color.NRGBA64Model
}

// read puts image i into its place and reports whether it is opaque.
func (f *folder) read(i int, im *Images) (opaque bool, err error) {
	k := f.configs[i]
	h, w := f.side(k)
	left, top := (k.Width-w)/2, (k.Height-h)/2
	err = k.decode(f.path(i), func(img image.Image) {
		canvas := image.NewRGBA(image.Rect(left, top, left+w, top+h))
		known, ok := img.(interface{ Opaque() bool })
		// The first frame of a GIF may be smaller than the picture.
		opaque = ok && known.Opaque() && canvas.Rect.In(img.Bounds())
		if !opaque {
			draw.Draw(canvas, canvas.Rect, image.White, image.Point{}, draw.Src)
		}
		draw.Draw(canvas, img.Bounds(), img, img.Bounds().Min, draw.Over)
		if canvas.Rect.Dx() != im.W || canvas.Rect.Dy() != im.H {
			big := canvas
			canvas = image.NewRGBA(image.Rect(0, 0, im.W, im.H))
			draw.CatmullRom.Scale(canvas, canvas.Rect, big, big.Rect, draw.Src, nil)
		}
		fromRGBA(im.At(i), canvas, im.C)
	})
	return opaque, err
}

// notes says how the images were changed to h×w×c.
func (f *folder) notes(h, w, c, transparent int) []string {
	var cropped, resized, recoloured, deep int
	for _, k := range f.configs {
		kh, kw := f.side(k)
		if kh != k.Height || kw != k.Width {
			cropped++
		}
		if kh != h || kw != w {
			resized++
		}
		if isGray(k) != (c == 1) {
			recoloured++
		}
		if isDeep(k) {
			deep++
		}
	}
	var notes []string
	add := func(n int, text string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d images %s", n, len(f.configs), text))
		}
	}
	add(cropped, "cropped to the square in their middle")
	add(resized, fmt.Sprintf("resized to %d×%d", w, h))
	add(recoloured, "converted to "+colourText(c))
	add(deep, "reduced from 16 to 8 bits a channel")
	add(transparent, "laid on white where they are transparent")
	return notes
}
