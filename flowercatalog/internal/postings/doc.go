// Package postings finds, in a large fixed list of texts, those that contain a given text.
//
// [Texts] keeps the texts one behind the other, so that a scan is one pass over one slice. [Index] narrows the scan: for
// every sequence of one, two or three bytes it knows where it occurs, and looks only there. A text of one byte is answered
// from its postings alone; for longer ones the postings name small blocks of neighbouring texts, and these are scanned. Blocks
// are what keeps an index of a million names near the size of the names themselves.
//
// Comparison is byte by byte. Who wants case or accents to be ignored folds both the texts and the text sought, the same way.
package postings
