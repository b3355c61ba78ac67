package dataset

import (
	"bytes"
	"hash/maphash"
	"math"
	"strconv"
)

// ImagesInfo sums up Images.
type ImagesInfo struct {
	Name       string       `json:"name"`
	Format     string       `json:"format"` // "images"
	N          int          `json:"n"`
	Height     int          `json:"height"`
	Width      int          `json:"width"`
	Channels   int          `json:"channels"`
	Mean       []float64    `json:"mean"`       // per channel, white being 1
	Std        []float64    `json:"std"`        // root mean square distance from Mean
	Duplicates int          `json:"duplicates"` // images equal to an earlier one
	Classes    int          `json:"classes"`    // 0 when unlabelled
	Labels     []LabelCount `json:"labels"`     // in the order of the classes; nil without labels
	Outliers   *int         `json:"outliers"`   // how many were mixed in; nil when nothing was
	Notes      []string     `json:"notes"`      // what was changed on the way
	Unreadable []BadFile    `json:"unreadable"` // files of a folder that could not be read
	Skipped    []string     `json:"skipped"`    // files of a folder in formats that are not read
	Sizes      []SizeCount  `json:"sizes"`      // of the files of a folder, the commonest first
	Bytes      int64        `json:"bytes"`      // of pixels
}

// Info sums im up.
func (im *Images) Info() *ImagesInfo {
	info := &ImagesInfo{
		Name: im.Name, Format: "images", N: im.Len(), Height: im.H, Width: im.W, Channels: im.C,
		Duplicates: im.duplicates(), Classes: im.Classes, Notes: append([]string{}, im.Notes...), Bytes: int64(cap(im.Pix)),
	}
	info.Unreadable, info.Skipped = append([]BadFile{}, im.Unreadable...), append([]string{}, im.Skipped...)
	info.Sizes = append([]SizeCount{}, im.Sizes...)
	info.Mean, info.Std = im.moments()
	if im.Labels != nil {
		info.Labels = im.labelCounts()
	}
	if im.Outlier != nil {
		count := 0
		for _, o := range im.Outlier {
			if o {
				count++
			}
		}
		info.Outliers = &count
	}
	return info
}

// moments are the mean and standard deviation of each channel.
func (im *Images) moments() (mean, std []float64) {
	mean, std = make([]float64, im.C), make([]float64, im.C)
	n := float64(len(im.Pix) / max(im.C, 1))
	if n == 0 {
		return mean, std
	}
	for c := range im.C {
		var sum, squares uint64 // exact: 2³³ pixels of at most 255²
		for i := c; i < len(im.Pix); i += im.C {
			v := uint64(im.Pix[i])
			sum += v
			squares += v * v
		}
		m := float64(sum) / n
		mean[c] = m / 255
		std[c] = math.Sqrt(max(float64(squares)/n-m*m, 0)) / 255
	}
	return mean, std
}

// duplicates counts the images that equal an earlier one.
func (im *Images) duplicates() int {
	first := make(map[uint64]int, im.Len()) // images that differ, by hash
	seed := maphash.MakeSeed()
	count := 0
	for i := range im.Len() {
		h := maphash.Bytes(seed, im.At(i))
		k, taken := first[h]
		for taken && !bytes.Equal(im.At(i), im.At(k)) {
			h++
			k, taken = first[h]
		}
		if taken {
			count++
		} else {
			first[h] = i
		}
	}
	return count
}

// className is what class k is called: its name, or its number.
func (im *Images) className(k int) string {
	if im.ClassNames != nil {
		return im.ClassNames[k]
	}
	return strconv.Itoa(k)
}

// labelCounts counts each class, those without images too.
func (im *Images) labelCounts() []LabelCount {
	out := make([]LabelCount, im.Classes)
	for k := range out {
		out[k].Label = im.className(k)
	}
	for _, k := range im.Labels {
		out[k].Count++
	}
	return out
}
