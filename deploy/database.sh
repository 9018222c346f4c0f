#!/bin/sh
# Makes the database and a role that is no superuser, so that row-level security holds for it. Run once, by PostgreSQL's
# image, when its volume is new.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$APP_PASSWORD" --username postgres <<'SQL'
CREATE ROLE app LOGIN PASSWORD :'password';
CREATE DATABASE memory OWNER app;
\connect memory
CREATE EXTENSION vector;
SQL
