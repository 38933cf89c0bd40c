package flowercatalog

// Flower is one flower of a catalog. Slug identifies it in URLs, Name is shown to people.
type Flower struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// sample returns the built-in flowers.
func sample() []Flower {
	return []Flower{
		{"yellow-tulip", "Yellow Tulip"},
		{"red-rose", "Red Rose"},
		{"rose", "Rose"},
		{"white-lily", "White Lily"},
		{"sunflower", "Sunflower"},
		{"cornflower", "Cornflower"},
		{"lily-of-the-valley", "Lily of the Valley"},
		{"edelweiss", "Edelweiß"},
		{"marguerite", "Margerite – Œil-de-bœuf"},
		{"gul", "Gül"},
		{"sakura", "桜"},
		{"anemone", "Ανεμώνη"},
		{"vasilyok", "Василёк"},
		{"pensee", "Pensée"},
		{"nilufer", "Nilüfer"},
		{"bird-of-paradise", "Bird of Paradise"},
	}
}
