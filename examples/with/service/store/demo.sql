INSERT INTO houses (id, name) VALUES ('mill', 'The Old Mill'), ('pier', 'Pier 7');

INSERT INTO rooms (house, id, name, seats) VALUES
	('mill', 'attic', 'Attic', 6), ('mill', 'hall', 'Great Hall', 40), ('pier', 'deck', 'Upper Deck', 12);

INSERT INTO bookings (id, version, house, room, day, name, guests, note) VALUES
	('ann', 1, 'mill', 'attic', '2030-05-04', 'Ann Reed', 4, 'A cake, please'),
	('ben', 1, 'mill', 'hall', '2030-05-04', 'Ben Hill', 30, ''), ('cleo', 1, 'pier', 'deck', '2030-05-05', 'Cleo Moss', 8, '');
