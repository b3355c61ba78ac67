// Package report writes HTML pages: one file each, which needs no network, opens
// from disk, and holds its pictures. Package page makes those of rot with it.
//
// A page is written in Markdown, as GitHub knows it. Pictures that it names are
// put inside the file, tables can be sorted by a click on their heads, and it
// follows the light or dark setting of its reader, fits a phone and prints.
//
// A Chart in the place of a picture is drawn by the page itself, with uPlot,
// and shows more about the point that the reader points at; the picture remains
// for paper and for readers without JavaScript.
package report
