package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"strings"
)

// hostileCorpus are small files that claim, or unfold to, much more than they
// are.
func hostileCorpus() map[string][]byte {
	files := map[string][]byte{
		// Pictures.
		"tiff/a.png":      append([]byte("II*\x00\x08\x00\x00\x00"), make([]byte, 51)...),
		"jpegs/a.jpg":     jpegOf(0xc2, 11584, 11584),
		"jpeg-b/a.jpg":    jpegOf(0xc0, 65500, 65500),
		"jpeg-fill/a.jpg": jpegFilled(11584, 11584),
		"png/a.png":       pngOf(12000, 12000, 8, 0, 0),
		"png16/a.png":     pngOf(6000, 6000, 16, 6, 0),
		"png-lace/a.png":  pngOf(6000, 6000, 8, 2, 1),
		"gif/a.gif":       append([]byte("GIF89a\xff\xff\xff\xff\x80\x00\x00"), bytes.Repeat([]byte{0}, 600)...),
		"bmp/a.bmp":       bmpOf(30000, 30000),
		"webp/a.webp":     webpOf(16383, 16383),
		"stack.png":       pngOf(64, 64*30000, 8, 0, 0),
		"wide.png":        pngOf(15000, 15000, 8, 0, 0),
		// Arrays.
		"big-images-idx3-ubyte.gz": zipped(idx(15000, 100, 100), 150e6),
		"lie-images-idx3-ubyte":    idx(1<<31-1, 1000, 1000),
		"many-idx2-double":         append([]byte{0, 0, 0x0e, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, make([]byte, 100)...),
		"bomb.npy.gz":              zipped(npyHead("|u1", "(150000, 1000)"), 150e6),
		"bomb.npz":                 npz("x.npy", npyHead("|u1", "(150000, 1000)"), 150e6),
		"lie.npy":                  npyHead("<f8", "(1000000000, 1000)"),
		// Text.
		"line.csv.gz":   zipped(nil, 0, bytes.Repeat([]byte("1"), 100e6)),
		"commas.csv.gz": zipped(nil, 0, bytes.Repeat([]byte("1,"), 50e6)),
		"rows.csv.gz":   zipped(nil, 0, bytes.Repeat([]byte("1\n"), 50e6)),
		"quote.csv.gz":  zipped(nil, 0, append([]byte(`a,"`), bytes.Repeat([]byte("x\n"), 50e6)...)),
		"wide.csv":      []byte(strings.Repeat("1,", 500_000) + "1\n"),
		"deep.jsonl":    []byte(strings.Repeat("[", 1<<20)),
		"lie.parquet":   append([]byte("PAR1"), "\x15\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x10\x00\x00\x00PAR1"...),
		// Weights.
		"lie.safetensors":  append(binary.LittleEndian.AppendUint64(nil, 1<<40), "{}"...),
		"deep.safetensors": safetensors(`{"a":` + strings.Repeat(`{"a":`, 100_000)),
		"many.safetensors": safetensors("{" + strings.Repeat(`"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, 15_000) + `"y":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`),
	}
	for k := range 8 {
		files[fmt.Sprintf("jpegs/%d.jpg", k)] = jpegOf(0xc2, 3000, 3000)
		files[fmt.Sprintf("pngs/%d.png", k)] = pngOf(4000, 4000, 8, 0, 0)
	}
	delete(files, "jpegs/a.jpg")
	files["jpeg-p/a.jpg"] = jpegOf(0xc2, 11584, 11584)
	return files
}

func zipped(head []byte, zeros int, more ...[]byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.DefaultCompression)
	z.Write(head)
	writeZeros(z, zeros)
	for _, b := range more {
		z.Write(b)
	}
	z.Close()
	return out.Bytes()
}

func writeZeros(w interface{ Write([]byte) (int, error) }, n int) {
	block := make([]byte, 1<<16)
	for n > 0 {
		k := min(n, len(block))
		w.Write(block[:k])
		n -= k
	}
}

func pngOf(w, h, depth, colour, lace int) []byte {
	channels := map[int]int{0: 1, 2: 3, 3: 1, 6: 4}[colour]
	var z bytes.Buffer
	c, _ := zlib.NewWriterLevel(&z, zlib.DefaultCompression)
	writeZeros(c, min((w*channels*depth/8+1)*h, 700e6)) // the rest would not fit a megabyte
	c.Close()
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	chunk("IHDR", append(head, byte(depth), byte(colour), 0, 0, byte(lace)))
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b
}

// jpegOf is a JPEG whose frame, of the given kind, claims w×h pixels.
func jpegOf(kind byte, w, h int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil); err != nil {
		panic(err)
	}
	out := b.Bytes()
	k := bytes.Index(out, []byte{0xff, 0xc0})
	out[k+1] = kind
	binary.BigEndian.PutUint16(out[k+5:], uint16(h))
	binary.BigEndian.PutUint16(out[k+7:], uint16(w))
	return out
}

// jpegFilled hides a progressive frame behind fill bytes.
func jpegFilled(w, h int) []byte {
	b := jpegOf(0xc2, w, h)
	k := bytes.Index(b, []byte{0xff, 0xc2})
	return append(append(append([]byte{}, b[:k]...), bytes.Repeat([]byte{0xff}, 1000)...), b[k:]...)
}

func bmpOf(w, h uint32) []byte {
	b := append([]byte("BM"), make([]byte, 12)...)
	binary.LittleEndian.PutUint32(b[10:], 54)
	b = binary.LittleEndian.AppendUint32(b, 40)
	b = binary.LittleEndian.AppendUint32(b, w)
	b = binary.LittleEndian.AppendUint32(b, h)
	b = append(b, 1, 0, 24, 0)
	return append(b, make([]byte, 24)...)
}

// webpOf is the head of a lossless WebP picture.
func webpOf(w, h uint32) []byte {
	body := append([]byte("VP8L"), 0, 0, 0, 0, 0x2f)
	body = binary.LittleEndian.AppendUint32(body, (w-1)|(h-1)<<14)
	body = append(body, make([]byte, 400)...)
	binary.LittleEndian.PutUint32(body[4:], uint32(len(body)-8))
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4))
	return append(append(b, "WEBP"...), body...)
}

func idx(shape ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func npyHead(kind, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(b, text...)
}

func npz(name string, head []byte, zeros int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		panic(err)
	}
	w.Write(head)
	writeZeros(w, zeros)
	z.Close()
	return b.Bytes()
}

func safetensors(head string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
}
