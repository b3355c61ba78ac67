// Package table reads tables as programs write them and turns them into
// vectors.
//
// A [Table] is a list of named columns, each of one [Kind]: numbers, booleans,
// categories, times, text or vectors of numbers; any cell may be missing.
// [Read] takes CSV and TSV (with their gzip), Parquet, NumPy's NPY and NPZ,
// Arrow IPC (Feather) and JSON lines, as pandas, polars, DuckDB, R and
// spreadsheets write them. [Open] reads the same formats in blocks of rows, so
// that a table need not fit into memory.
//
// Two tables come together by the names of their columns: [Meet] pairs them,
// or lists everything that keeps them apart. [Table.Select] takes out ids,
// labels and columns that are not wanted. An [Encoding] says how each column
// becomes components of a vector; it is fitted once, saved as JSON, and
// applied to later tables unchanged.
//
// # What is missing
//
// An empty cell, NaN, NA, N/A, null, None and their usual spellings are
// missing, as is a null of a binary format and a NaN of any. In a column of
// numbers so are "-", "?" and ".".
//
// # Kinds of text columns
//
// A column of a text format is of numbers, booleans or times when at least
// nine in ten of its cells that are not missing are; the others are counted in
// [Column.Bad] and are missing. Otherwise its cells are categories when at most
// 256 different ones occur, and either at most 12 or each twice on average;
// else they are text.
//
// # Memory
//
// A small file may claim, or unfold to, any size. Every reader keeps an account
// of what it holds against [Options.MaxMemory] and stops with an error that
// names the file and the limit before it goes beyond.
package table
