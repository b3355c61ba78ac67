package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// celebaPrefix begins the specs of CelebA: celeba:FOLDER[,ATTRIBUTE].
const celebaPrefix = "celeba:"

// Where CelebA's files are below its folder: as its archives unpack beside each
// other, as its makers lay them out, and as Kaggle packs them.
var (
	celebaLists  = []string{"list_attr_celeba.txt", "list_attr_celeba.csv", "Anno/list_attr_celeba.txt"}
	celebaImages = []string{"img_align_celeba/img_align_celeba", "img_align_celeba", "Img/img_align_celeba"}
)

// A celeba is the list of CelebA's images.
type celeba struct {
	list   string   // the file of attributes
	images string   // the folder of images
	files  []string // in the order of the list
	lines  []int    // of the list, which name the files
	labels []int32  // 1 where they have the attribute; nil without one
	names  []string // of the two classes
}

// loadCelebA reads the images of celeba:FOLDER[,ATTRIBUTE] that sel picks.
func loadCelebA(body string, sel selection, opts *ImageOptions) (*Images, error) {
	c, err := openCelebA(body)
	if err != nil {
		return nil, err
	}
	known := &Images{Labels: c.labels, Classes: len(c.names), ClassNames: c.names}
	rows, err := sel.of(body, "images", len(c.files), func(s *step) (func(i int) bool, error) {
		named := *s
		named.values = slices.Clone(s.values)
		for i, v := range s.values {
			if k := slices.Index([]string{"0", "1"}, v); k >= 0 && k < len(c.names) {
				named.values[i] = c.names[k]
			}
		}
		return known.byLabel(body, &named)
	})
	if err != nil {
		return nil, err
	}
	f := &folder{root: c.images, files: at(c.files, rows), square: true}
	strict := *opts
	strict.Tolerant = false
	im, _, err := f.load(&strict)
	if err != nil {
		return nil, c.blame(err, f, rows)
	}
	im.Labels, im.Classes, im.ClassNames = at(c.labels, rows), len(c.names), c.names
	return im, nil
}

// blame adds the line of the list to the error of an image that is not there.
func (c *celeba) blame(err error, f *folder, rows []int) error {
	var bad *InputError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &bad) {
		return err
	}
	for i, row := range rows {
		if f.path(i) == bad.File {
			return c.lineError(c.lines[row], err, "%s is not there", bad.File)
		}
	}
	return err
}

func (c *celeba) lineError(line int, cause error, format string, args ...any) *InputError {
	return &InputError{File: c.list, Line: line, Row: -1, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// paths are the files that a set is read from.
func (c *celeba) paths() []string {
	out := []string{c.list}
	for _, f := range c.files {
		out = append(out, filepath.Join(c.images, f))
	}
	return out
}

// CheckCelebA says what a folder lacks of CelebA, or of what LoadImages needs
// to read its images by an attribute; "" stands for none.
func CheckCelebA(dir, attribute string) error {
	_, err := readCelebA(dir, attribute)
	return err
}

// openCelebA reads the list of celeba:FOLDER[,ATTRIBUTE].
func openCelebA(body string) (*celeba, error) {
	dir, attribute := strings.TrimPrefix(body, celebaPrefix), ""
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if k := strings.LastIndexByte(dir, ','); k >= 0 {
			dir, attribute = dir[:k], dir[k+1:]
		}
	}
	if dir == "" {
		return nil, fileError(body, "names no folder; CelebA is written celeba:FOLDER or celeba:FOLDER,ATTRIBUTE")
	}
	return readCelebA(dir, attribute)
}

func readCelebA(dir, attribute string) (*celeba, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e := fileError(dir, "no such folder")
		e.Err = err
		return nil, e
	case err != nil:
		return nil, readError(dir, err)
	case !info.IsDir():
		return nil, fileError(dir, "is not a folder; celeba:FOLDER is that of CelebA's list of attributes and images")
	}
	c := &celeba{}
	isDir := func(want bool) func(path string) bool {
		return func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.IsDir() == want
		}
	}
	if c.list, err = firstOf(dir, "file", celebaLists, isDir(false)); err != nil {
		return nil, err
	}
	if c.images, err = firstOf(dir, "folder", celebaImages, isDir(true)); err != nil {
		return nil, err
	}
	in, err := open(c.list)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := c.read(in, attribute); err != nil {
		return nil, err
	}
	return c, nil
}

// firstOf is the first of the names below dir that is there.
func firstOf(dir, thing string, names []string, there func(path string) bool) (string, error) {
	var usual string
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if there(path) {
			return path, nil
		}
		if usual == "" || len(path) < len(usual) {
			usual = path
		}
	}
	e := fileError(usual, "no such %s; CelebA has list_attr_celeba.txt, or .csv, beside the folder img_align_celeba", thing)
	e.Err = fs.ErrNotExist
	return "", e
}

// read reads the list: of text the number of images, the names of the
// attributes, and a line for each image with 1 or −1 for each attribute; of CSV
// the same without the number, and with a name for the column of files.
func (c *celeba) read(r io.Reader, attribute string) error {
	csv := strings.HasSuffix(c.list, ".csv")
	lines := bufio.NewScanner(r)
	n := 0
	next := func() (fields []string, ok bool) {
		if ok = lines.Scan(); !ok {
			return nil, false
		}
		n++
		if csv {
			fields = strings.Split(strings.TrimSpace(lines.Text()), ",")
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			return fields, true
		}
		return strings.Fields(lines.Text()), true
	}
	count := -1
	if !csv {
		fields, ok := next()
		if ok && len(fields) == 1 {
			count, _ = strconv.Atoi(fields[0])
		}
		if count < 1 {
			return c.lineError(1, lines.Err(), "%s is not the number of images, with which the list of CelebA begins", quote(lines.Text()))
		}
	}
	names, ok := next()
	if ok && csv {
		names = names[1:]
	}
	if len(names) == 0 {
		return c.lineError(n, lines.Err(), "the names of the attributes are missing")
	}
	column := slices.Index(names, attribute)
	if attribute != "" {
		if column < 0 {
			return c.lineError(n, nil, "there is no attribute %s; there are %s", quote(attribute), strings.Join(names, ", "))
		}
		c.names = []string{"not " + attribute, attribute}
	}
	for {
		fields, ok := next()
		if !ok {
			break
		}
		if len(fields) == 0 || len(fields) == 1 && fields[0] == "" {
			continue // such as at the end
		}
		file := fields[0]
		switch {
		case len(fields) != len(names)+1:
			return c.lineError(n, nil, "has %d values for %d attributes", len(fields)-1, len(names))
		case !filepath.IsLocal(file) || !isImageName(file):
			return c.lineError(n, nil, "%s is not the name of an image", quote(file))
		}
		if attribute != "" {
			switch v := fields[column+1]; v {
			case "1":
				c.labels = append(c.labels, 1)
			case "-1", "0":
				c.labels = append(c.labels, 0)
			default:
				return c.lineError(n, nil, "%s is %s and must be 1 or -1", attribute, quote(v))
			}
		}
		c.files, c.lines = append(c.files, file), append(c.lines, n)
	}
	switch {
	case lines.Err() != nil:
		return readError(c.list, lines.Err())
	case len(c.files) == 0:
		return fileError(c.list, "lists no images")
	case count >= 0 && count != len(c.files):
		return c.lineError(1, nil, "the list is to have %d images, and has %d", count, len(c.files))
	}
	return nil
}
