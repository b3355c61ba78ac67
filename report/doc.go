// Package report writes pages that people look at: one HTML file each, which
// needs no network, opens from disk, and holds its pictures.
//
// A page is written in Markdown, as GitHub knows it. Pictures that it names are
// put inside the file, tables can be sorted by a click on their heads, and it
// follows the light or dark setting of its reader, fits a phone and prints.
//
// A Chart in the place of a picture is drawn by the page itself, with uPlot,
// and tells more about the point that one points at; the picture remains for
// paper and for readers without JavaScript.
package report
