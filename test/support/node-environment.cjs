'use strict';
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest's environment for Node with an ordinary global object. Jest's own global is a proxy behind an interceptor: each access to
 * a global such as `Math` costs microseconds, and loops of a parser or a property test take three times as long.
 */
module.exports = class OrdinaryGlobalEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
};
