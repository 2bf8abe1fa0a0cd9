'use strict';

// Time limit of a test: longer than the sum of its waits on a busy machine. It is set here because jest ignores `testTimeout`
// of a project.
jest.setTimeout(300_000);
