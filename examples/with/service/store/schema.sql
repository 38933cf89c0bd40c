CREATE TABLE IF NOT EXISTS houses (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS rooms (
	house TEXT NOT NULL REFERENCES houses, id TEXT NOT NULL, name TEXT NOT NULL, seats INTEGER NOT NULL,
	photo TEXT NOT NULL DEFAULT '', PRIMARY KEY (house, id)
) STRICT;
CREATE TABLE IF NOT EXISTS bookings (
	id INTEGER PRIMARY KEY, version INTEGER NOT NULL DEFAULT 1, house TEXT NOT NULL, room TEXT NOT NULL, day TEXT NOT NULL,
	name TEXT NOT NULL, guests INTEGER NOT NULL, note TEXT NOT NULL,
	FOREIGN KEY (house, room) REFERENCES rooms, UNIQUE (house, room, day)
) STRICT;
INSERT OR IGNORE INTO houses VALUES ('mill', 'The Old Mill'), ('pier', 'Pier 7');
INSERT OR IGNORE INTO rooms (house, id, name, seats) VALUES
	('mill', 'attic', 'Attic', 6), ('mill', 'hall', 'Great Hall', 40), ('pier', 'deck', 'Upper Deck', 12);
INSERT OR IGNORE INTO bookings (id, house, room, day, name, guests, note) VALUES
	(1, 'mill', 'attic', '2030-05-04', 'Ann Reed', 4, 'A cake, please'), (2, 'mill', 'hall', '2030-05-04', 'Ben Hill', 30, ''),
	(3, 'pier', 'deck', '2030-05-05', 'Cleo Moss', 8, '');
