// Package report writes pages that people look at: one HTML file each, which
// needs no network, opens from disk, and holds its pictures.
//
// A page is written in Markdown, as GitHub knows it. Pictures that it names are
// put inside the file, tables can be sorted by a click on their heads, and it
// follows the light or dark setting of its reader, fits a phone and prints.
package report
