'use strict';
const { TestEnvironment } = require('jest-environment-node');

/** Jest's environment for Node with a global `hasTestFailed`, by which `afterEach` knows whether its test has failed. */
module.exports = class FailedTestEnvironment extends TestEnvironment {
  handleTestEvent({ name }) {
    if (name === 'test_start') this.global.hasTestFailed = false;
    if (name === 'test_fn_failure') this.global.hasTestFailed = true;
  }
};
