CREATE TABLE sessions (token TEXT PRIMARY KEY, content BYTEA NOT NULL, expires BIGINT NOT NULL);

CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL, expires BIGINT NOT NULL);

CREATE TABLE idempotency_keys (
	house TEXT NOT NULL REFERENCES houses, key TEXT NOT NULL, request TEXT NOT NULL, result TEXT NOT NULL,
	expires BIGINT NOT NULL, PRIMARY KEY (house, key)
);
