// Package postings finds, in a large fixed list of texts, those that contain a given text.
//
// [Texts] keeps the texts one behind the other, so that a scan is one pass over one slice. [Index] knows for every sequence of
// one, two or three bytes where it occurs. Texts of one and two bytes are answered from these postings alone. For longer ones
// the postings of their threes name small blocks of neighbouring texts, and only these are scanned.
//
// Comparison is byte by byte. Who wants case or accents to be ignored folds both the texts and the text sought, the same way.
package postings
