// For tests: the first process in the folder of an agent hangs while it starts; later ones are those of misbehaving-run.js. Plain
// JavaScript: a process runs this file without a transform.
'use strict';
const { existsSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const mark = path.join(path.dirname(JSON.parse(process.argv[2]).folder), 'hung-once');
if (existsSync(mark)) require('./misbehaving-run.js');
else {
  writeFileSync(mark, '');
  setInterval(() => undefined, 60_000);
}
