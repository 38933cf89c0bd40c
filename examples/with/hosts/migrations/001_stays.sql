-- +goose Up
CREATE TABLE stays (id TEXT PRIMARY KEY, guest TEXT NOT NULL);
