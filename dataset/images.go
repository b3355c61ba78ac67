package dataset

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rot.example/rot/internal/budget"
)

// Images is a set of images of one size.
type Images struct {
	Name       string   // the spec it came from
	H, W, C    int      // height, width, channels; C is 1 (gray) or 3 (RGB)
	Pix        []uint8  // n×H×W×C, row-major
	Labels     []int32  // one per image, 0..Classes-1; nil when there are none
	Classes    int      // number of classes, 0 when unlabelled
	ClassNames []string // one per class; nil when the classes have numbers only
	Outlier    []bool   // which images were mixed in; nil when none were
	IDs        []string // file names, or "file.png#12" for files of many; nil: the index is the id
	Notes      []string // what was changed on the way: "28×28 gray resized to 32×32 RGB"

	// Of a folder: files that could not be read, with ImageOptions.Tolerant;
	// files of picture formats that are not read; and the sizes of the files.
	Unreadable []BadFile
	Skipped    []string
	Sizes      []SizeCount
}

// A BadFile is a file that could not be read, and why.
type BadFile struct {
	File    string `json:"file"`
	Problem string `json:"problem"`
}

// LeftOut returns a line about the files of a folder that could not be read, and
// one about those in formats that are not, where there are any.
func (im *Images) LeftOut() []string {
	const most = 20
	var out []string
	line := func(what string, files []string) {
		if len(files) == 0 {
			return
		}
		text := strings.Join(files[:min(len(files), most)], ", ")
		if len(files) > most {
			text += fmt.Sprintf(" and %d more", len(files)-most)
		}
		out = append(out, fmt.Sprintf("%s: %d: %s", what, len(files), text))
	}
	var bad []string
	for _, f := range im.Unreadable {
		bad = append(bad, f.File+" ("+f.Problem+")")
	}
	line("files that cannot be read are left out", bad)
	line("files in formats that are not read", im.Skipped)
	return out
}

// A SizeCount says how many files have a size.
type SizeCount struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Count  int `json:"count"`
}

// Len is the number of images.
func (im *Images) Len() int {
	if size := im.H * im.W * im.C; size > 0 {
		return len(im.Pix) / size
	}
	return 0
}

// At is the i-th image, H×W×C; it shares memory with im.
func (im *Images) At(i int) []uint8 {
	size := im.H * im.W * im.C
	return im.Pix[i*size : (i+1)*size : (i+1)*size]
}

// Picture is the i-th image as one of package image.
func (im *Images) Picture(i int) image.Image {
	pix := im.At(i)
	if im.C == 1 {
		return &image.Gray{Pix: pix, Stride: im.W, Rect: image.Rect(0, 0, im.W, im.H)}
	}
	out := image.NewNRGBA(image.Rect(0, 0, im.W, im.H))
	for k := range im.W * im.H {
		copy(out.Pix[4*k:], pix[3*k:3*k+3])
		out.Pix[4*k+3] = 255
	}
	return out
}

// ID is the name of image i: its entry in IDs, or its index.
func (im *Images) ID(i int) string {
	if im.IDs != nil {
		return im.IDs[i]
	}
	return strconv.Itoa(i)
}

// ImageOptions tunes LoadImages. The zero value is ready to use.
type ImageOptions struct {
	Size     int // side of the images; 0 means as they are, which must then be one size
	Channels int // 1 for gray, 3 for RGB; 0 means as they are

	Mixed    int  // of folders: side of images that differ in size, when Size is 0; 0 refuses those
	Tolerant bool // of folders: files that cannot be read are listed and left out
}

const supportedImages = "images are read from IDX files (also .gz), CIFAR .bin files, folders, " +
	"stack:FILE.png, celeba:FOLDER and synth:digits, shapes or blobs"

// MaxSide is the largest side that images are resized to.
const MaxSide = 1 << 14

const maxImageBytes = 1 << 33 // of pixels in one set

// LoadImages reads the images that spec stands for; the package comment lists
// what spec may be. opts may be nil. Images of another size or colour than
// opts asks for are scaled, without regard to their aspect ratio, and
// converted, and Notes says so. Whatever is wrong with the input is an
// *InputError that names the place.
func LoadImages(spec string, opts *ImageOptions) (*Images, error) {
	if opts == nil {
		opts = &ImageOptions{}
	}
	if opts.Size < 0 || opts.Size > MaxSide {
		return nil, fmt.Errorf("dataset: image size %d is not in 0 to %d", opts.Size, MaxSide)
	}
	if c := opts.Channels; c != 0 && c != 1 && c != 3 {
		return nil, fmt.Errorf("dataset: images have 1 or 3 channels, not %d", c)
	}
	body, all := cutSelection(spec, isFile)
	part, sel := all.cutRange()
	var im *Images
	var err error
	switch ImageFormat(body) {
	case "stack":
		im, err = loadStack(body, part)
	case "synth":
		im, err = synthImages(body, part)
	case "idx":
		im, err = loadIDXImages(body, part)
	case "cifar":
		im, err = loadCIFAR(body, part)
	case "folder":
		im, err = loadFolder(body, all, opts)
		sel = nil
	case "celeba":
		im, err = loadCelebA(body, all, opts)
		sel = nil
	default:
		err = notImages(body)
	}
	if err == nil {
		im, err = im.choose(body, sel)
	}
	if err != nil {
		return nil, err
	}
	im.Name = spec
	return im.convert(opts.Size, opts.Channels)
}

// IsImages reports whether spec names images rather than a table of points,
// by its form and at most the first bytes of a file.
func IsImages(spec string) bool {
	body, _ := cutSelection(spec, isFile)
	switch format := ImageFormat(body); format {
	case "idx":
		path, _ := splitSpec(body)
		in, err := open(path)
		if err != nil {
			return false
		}
		defer in.Close()
		h, err := readIDXHeader(path, in)
		return err == nil && isImageHeader(h)
	default:
		return format != ""
	}
}

// ImageFormat tells what kind of images a spec without a selection names by its
// form; "" means none.
func ImageFormat(body string) string {
	if strings.HasPrefix(body, "stack:") {
		return "stack"
	}
	if strings.HasPrefix(body, celebaPrefix) {
		return "celeba"
	}
	if strings.HasPrefix(body, "synth:") {
		if findImageSynth(body) == nil {
			return ""
		}
		return "synth"
	}
	path, _ := splitSpec(body)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if len(cifarFiles(path)) > 0 {
			return "cifar"
		}
		return "folder"
	}
	switch {
	case strings.EqualFold(filepath.Ext(path), ".bin"):
		return "cifar"
	case formatOf(path) == "idx":
		return "idx"
	case isImageName(path):
		return "image"
	}
	return ""
}

// notImages says what a spec is that LoadImages cannot read.
func notImages(spec string) error {
	path, _ := splitSpec(spec)
	format := formatOf(path)
	_, err := os.Stat(path)
	switch {
	case spec == "":
		return fileError(`""`, "no images given; %s", supportedImages)
	case strings.HasPrefix(spec, "synth:"):
		return fileError(spec, "is not a set of images; %s", supportedImages)
	case spec == "-", format != "":
		return fileError(spec, "holds rows of numbers, not images; %s", supportedImages)
	case errors.Is(err, fs.ErrNotExist):
		e := fileError(spec, "no such file; %s", supportedImages)
		e.Err = err
		return e
	case err != nil:
		return readError(spec, err)
	case isImageName(spec):
		return fileError(spec, "is one image; stack:%s reads it as a column of square images, and the name of a folder reads all in it", spec)
	}
	return fileError(spec, "%s; %s", whatIs(spec), supportedImages)
}

func isImageName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp":
		return true
	}
	return false
}

// newImages makes room for n images, unless they are too many for memory.
func newImages(file string, n, h, w, c int) (*Images, error) {
	total := budget.Product(int64(n), int64(h), int64(w), int64(c))
	limit, _ := budget.Limit()
	if total < 0 || total > min(limit, maxImageBytes) {
		e := fileError(file, "%d images of %s are more than %s; choose fewer, as in %s[:1000]", n, sizeText(h, w, c), budget.Text(min(limit, maxImageBytes)), file)
		e.Err = budget.ErrMemory
		return nil, e
	}
	return &Images{H: h, W: w, C: c, Pix: make([]uint8, total)}, nil
}

// sizeText is how messages call a kind of images.
func sizeText(h, w, c int) string { return fmt.Sprintf("%d×%d %s", w, h, colourText(c)) }

func colourText(c int) string {
	if c == 1 {
		return "gray"
	}
	return "RGB"
}
