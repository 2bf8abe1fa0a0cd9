'use strict';

// Longer than the sum of all waits of a test on a busy machine. Set here because jest ignores `testTimeout` of a project.
jest.setTimeout(300_000);
