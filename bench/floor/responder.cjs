'use strict';
// The database side of the floor: a NATS responder with one single-row INSERT and its commit for each request.
const { connect } = require('@nats-io/transport-node');
const { createPool } = require('mysql2/promise');
const { v7: uuid } = require('uuid');
const { natsOptions } = require('./nats-options.cjs');

async function main() {
  const pool = createPool({ uri: process.env.DATABASE_URL, connectionLimit: Number(process.env.DATABASE_POOL) });
  const nats = await connect(natsOptions(process.env.NATS_URL, 'floor-responder'));
  nats.subscribe('floor.insert', {
    queue: 'floor',
    callback: (error, message) => {
      if (error) throw error;
      void insert(pool, message);
    },
  });
}

async function insert(pool, message) {
  const id = uuid();
  try {
    await pool.execute('INSERT INTO floor (id, body) VALUES (?, ?)', [id, message.string()]);
    message.respond(JSON.stringify({ id }));
  } catch (error) {
    console.error(error);
  }
}

void main();
