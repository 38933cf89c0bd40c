package coffeedemo

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// This file has the rows that /db/load-data inserts: the built-in ones, and the checks of other
// ones.

// Supplier is a row of the table SUPPLIERS.
type Supplier struct {
	ID     int    // 1 to 2147483647
	Name   string // not empty
	Street string
	City   string
	State  string
	ZIP    string
}

// Coffee is a row of the table COFFEES.
type Coffee struct {
	Name       string // the key; not empty
	SupplierID int    // the ID of a Supplier
	Price      float64
}

// sampleSuppliers and sampleCoffees return the built-in rows, known from many introductions to SQL.
func sampleSuppliers() []Supplier {
	return []Supplier{
		{ID: 101, Name: "Acme, Inc.", Street: "99 Market Street", City: "Groundsville", State: "CA", ZIP: "95199"},
		{ID: 49, Name: "Superior Coffee", Street: "1 Party Place", City: "Mendocino", State: "CA", ZIP: "95460"},
		{ID: 150, Name: "The High Ground", Street: "100 Coffee Lane", City: "Meadows", State: "CA", ZIP: "93966"},
	}
}

func sampleCoffees() []Coffee {
	return []Coffee{
		{Name: "Colombian", SupplierID: 101, Price: 7.99},
		{Name: "French_Roast", SupplierID: 49, Price: 8.99},
		{Name: "Espresso", SupplierID: 150, Price: 9.99},
		{Name: "Colombian_Decaf", SupplierID: 101, Price: 8.99},
		{Name: "French_Roast_Decaf", SupplierID: 49, Price: 9.99},
	}
}

// checkRows returns an error for rows that a database would refuse.
func checkRows(suppliers []Supplier, coffees []Coffee) error {
	ids := make(map[int]bool, len(suppliers))
	for _, s := range suppliers {
		if s.ID < 1 || s.ID > math.MaxInt32 {
			return fmt.Errorf("supplier %q: ID %d: write one from 1 to %d", s.Name, s.ID, math.MaxInt32)
		}
		if ids[s.ID] {
			return fmt.Errorf("supplier %q: ID %d: write one that no other supplier has", s.Name, s.ID)
		}
		ids[s.ID] = true
		if s.Name == "" {
			return fmt.Errorf("supplier %d: write a name", s.ID)
		}
		for _, text := range []string{s.Name, s.Street, s.City, s.State, s.ZIP} {
			if err := checkText(text); err != nil {
				return fmt.Errorf("supplier %d: %q: %w", s.ID, text, err)
			}
		}
	}
	names := make(map[string]bool, len(coffees))
	for _, c := range coffees {
		if c.Name == "" {
			return errors.New("coffee without a name: write one")
		}
		if err := checkText(c.Name); err != nil {
			return fmt.Errorf("coffee %q: %w", c.Name, err)
		}
		if names[c.Name] {
			return fmt.Errorf("coffee %q: write each name once", c.Name)
		}
		names[c.Name] = true
		if !ids[c.SupplierID] {
			return fmt.Errorf("coffee %q: there is no supplier %d: write the ID of one (WithSuppliers)", c.Name, c.SupplierID)
		}
		if math.IsNaN(c.Price) || math.IsInf(c.Price, 0) || c.Price < 0 {
			return fmt.Errorf("coffee %q: price %v: write a number of at least 0", c.Name, c.Price)
		}
	}
	return nil
}

// checkText returns an error for text that some databases cannot store.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("write text in UTF-8")
	}
	if strings.ContainsRune(s, 0) {
		return errors.New("write text without the character NUL")
	}
	return nil
}
