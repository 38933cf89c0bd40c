package flowercatalog

import (
	"bytes"
	"errors"
	"strconv"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/transform"
)

// This file refuses JSON with an escape of a lone surrogate such as \ud800, which stands for no
// character (RFC 8259, 8.2).

// surrogates passes JSON on up to the first lone surrogate. Other errors are left to the reader of
// the JSON.
type surrogates struct{ transform.NopResetter }

var errSurrogate = errors.New(`\ud800 to \udfff must be pairs: one half is missing`)

func (surrogates) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		size := bytes.IndexByte(src[nSrc:], '\\')
		switch {
		case size < 0:
			size = len(src) - nSrc
		case size == 0:
			size, err = escape(src[nSrc:], atEOF)
			if err == nil && size > len(dst)-nDst {
				err = transform.ErrShortDst
			}
			if err != nil {
				return nDst, nSrc, err
			}
		}
		copied := copy(dst[nDst:], src[nSrc:nSrc+size])
		nDst, nSrc = nDst+copied, nSrc+copied
		if copied < size {
			return nDst, nSrc, transform.ErrShortDst
		}
	}
	return nDst, nSrc, nil
}

// escape returns the size of the escape, or pair of escapes, at the beginning of src.
func escape(src []byte, atEOF bool) (size int, err error) {
	size = 2
	if len(src) >= 2 && src[1] == 'u' {
		size = 6
	}
	if len(src) >= 6 && utf16.IsSurrogate(unit(src)) {
		size = 12
	}
	switch {
	case len(src) < size && !atEOF:
		return 0, transform.ErrShortSrc
	case size == 12 && (len(src) < size || utf16.DecodeRune(unit(src), unit(src[6:])) == unicode.ReplacementChar):
		return 0, errSurrogate
	}
	return min(size, len(src)), nil
}

// unit returns the code unit of an escape, or 0 for anything else. src has at least 6 bytes.
func unit(src []byte) rune {
	if src[0] != '\\' || src[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(src[2:6]), 16, 32)
	return rune(n)
}
