package demo

import (
	"bytes"
	"context"
	"path"
	"slices"

	"rot.example/rot/figure"
	"rot.example/rot/page"
)

// PicturesFolder is the folder of pictures in that of the demo.
const PicturesFolder = "pictures"

// A File is the name of a file of the demo, and what it shows.
type File struct{ Name, Description string }

// Files lists the files of the demo but those in PicturesFolder, the page last:
// it is what to open.
func Files() []File {
	return []File{
		{"couplings.png", "the three plans side by side"},
		{"curve.png", "the distance against ρ, with the bound of Theorem 2"},
		{"clean.csv", "the blob"},
		{"dirty.csv", "the blob with its outliers, marked in the last column"},
		{"target.csv", "the moons"},
		{"gan.png", "samples of the two GANs, over the data"},
		{"gan-training.png", "how they got there"},
		{"weights.png", "the weights of the robust GAN"},
		{"da-data.png", "clean and noisy digits"},
		{"da.png", "the noisy ones from the lowest weight to the highest"},
		{"measurements.csv", "a table with bad rows, marked in the last column"},
		{"table-weights.png", "the weights of its rows"},
		{"pictures.csv", "which of the pictures in the folder pictures do not belong"},
		{page.RunFile, "all of this on one page"},
	}
}

// Parts are the four parts of the demo at their end, and the pictures to try.
type Parts struct {
	Measured *Measured
	GANs     *GANs
	Adapted  *Adapted
	Table    *Table
	Pictures *Pictures
}

// Files makes the files by their names: those that the function Files lists, and
// the pictures, in their folder. The page is that of r, whose pictures it sets.
func (p *Parts) Files(ctx context.Context, r *page.DemoResult) (map[string][]byte, error) {
	files := p.Measured.Files()
	var err error
	if files["measurements.csv"], err = p.Table.CSV(); err != nil {
		return nil, err
	}
	if files["pictures.csv"], err = p.Pictures.CSV(); err != nil {
		return nil, err
	}
	for i, name := range p.Pictures.Names() {
		if files[path.Join(PicturesFolder, name)], err = p.Pictures.PNG(i); err != nil {
			return nil, err
		}
	}
	r.Pictures = map[string][]byte{}
	for _, f := range slices.Concat(p.Measured.Figures(), p.GANs.Figures(), p.Adapted.Figures(), p.Table.Figures()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := figure.WriteTo(&b, f.Figure, "png", nil); err != nil {
			return nil, err
		}
		files[f.Name], r.Pictures[f.Name] = b.Bytes(), b.Bytes()
	}
	var html bytes.Buffer
	if err := page.Demo(r).Write(&html); err != nil {
		return nil, err
	}
	files[page.RunFile] = html.Bytes()
	return files, nil
}
