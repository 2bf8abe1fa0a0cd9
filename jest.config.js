// Nest 12 ships ES modules, which jest loads untransformed only under --experimental-vm-modules.
const transform = {
  '^.+\\.[jt]s$': [
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
  ],
};
const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  moduleNameMapper: { '^@batuta/(.*)$': '<rootDir>/libs/$1/src' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  globalSetup: '<rootDir>/test/servers-setup.cjs',
  globalTeardown: '<rootDir>/test/servers-teardown.cjs',
};

module.exports = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/libs/**/*.test.ts', '<rootDir>/apps/**/*.test.ts', '<rootDir>/test/unit/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.test.ts'],
      globalSetup: '<rootDir>/test/e2e/setup.cjs',
      setupFilesAfterEnv: ['<rootDir>/test/e2e/test-timeout.cjs'],
    },
  ],
  // A starved machine takes its time; what must come in time has bounds of its own.
  testTimeout: 180_000,
};
