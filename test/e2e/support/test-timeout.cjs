'use strict';

// Longer than all that a test waits for one after the other on a machine that stands still for seconds. Jest does not heed
// the `testTimeout` of a project.
jest.setTimeout(300_000);
