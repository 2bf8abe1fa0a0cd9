// For tests: a sandbox's worker on a machine whose clock is set forward by an hour at each reading.
'use strict';
const now = Date.now;
let hours = 0;
Date.now = () => now() + 3_600_000 * hours++;
require('../src/sandbox/worker.js');
