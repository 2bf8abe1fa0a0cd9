// Nest 12 ships ES modules, which jest loads untransformed only under --experimental-vm-modules.
const swc = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];
// The exporter of traces imports node:http dynamically, which jest cannot do either.
const transform = { '^.+\\.[jt]s$': swc, '/otlp-exporter-base/.+\\.cjs$': swc };
const shared = {
  rootDir: __dirname,
  // Jest looks at every file below these when it starts; in node_modules there are 84,000.
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/|@opentelemetry/otlp-exporter-base/)'],
  moduleNameMapper: { '^@batuta/(.*)$': '<rootDir>/libs/$1/src' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  globalSetup: '<rootDir>/test/support/start-servers.cjs',
  globalTeardown: '<rootDir>/test/support/stop-servers.cjs',
};

const unit = { ...shared, displayName: 'unit', testEnvironment: '<rootDir>/test/support/node-environment.cjs' };
const e2e = {
  ...shared,
  displayName: 'e2e',
  testEnvironment: '<rootDir>/test/e2e/support/jest/failed-test-environment.cjs',
  globalSetup: '<rootDir>/test/e2e/support/jest/setup.cjs',
  setupFilesAfterEnv: ['<rootDir>/test/e2e/support/jest/test-timeout.cjs'],
};

module.exports = {
  projects: [
    {
      ...unit,
      testMatch: ['<rootDir>/libs/**/*.test.ts', '<rootDir>/apps/**/*.test.ts', '<rootDir>/test/unit/**/*.test.ts'],
    },
    { ...e2e, testMatch: ['<rootDir>/test/{e2e,fuzz,abuse}/**/*.e2e.test.ts'] },
    // The same tests with the files of a folder in one jest file: all of them in half of the processor time.
    { ...unit, displayName: 'unit-groups', testMatch: ['<rootDir>/test/groups/unit/*.group.ts'] },
    {
      ...e2e,
      displayName: 'e2e-groups',
      testMatch: ['<rootDir>/test/groups/e2e/*.group.ts', '<rootDir>/test/{e2e/faults,fuzz,abuse}/*.e2e.test.ts'],
    },
  ],
  testSequencer: '<rootDir>/test/support/slowest-files-first.cjs',
  // Longer than any test needs on a busy machine; tests of time limits set their own.
  testTimeout: 180_000,
};
