'use strict';
// The HTTP side of the floor: one NATS request for each HTTP request.
const { createServer } = require('node:http');
const { connect } = require('@nats-io/transport-node');
const { natsOptions } = require('./nats-options.cjs');

async function main() {
  const nats = await connect(natsOptions(process.env.NATS_URL, 'floor-http'));
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => void answer(nats, Buffer.concat(chunks), response));
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}

async function answer(nats, body, response) {
  try {
    const reply = await nats.request('floor.insert', body, { timeout: 5_000 });
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply.data);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

void main();
