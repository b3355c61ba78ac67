// Package fetch downloads public data sets from their usual homes.
//
// A download that breaks off goes on where it was the next time, every file is
// checked against its hash before it gets its name, and a mirror that fails is
// followed by the next. What comes in another form than package dataset reads
// is converted.
package fetch
