'use strict';
const OrdinaryGlobalEnvironment = require('../../../support/node-environment.cjs');

/** The environment of the tests with a global `hasTestFailed`, by which `afterEach` knows whether its test has failed. */
module.exports = class FailedTestEnvironment extends OrdinaryGlobalEnvironment {
  handleTestEvent({ name }) {
    if (name === 'test_start') this.global.hasTestFailed = false;
    if (name === 'test_fn_failure') this.global.hasTestFailed = true;
  }
};
