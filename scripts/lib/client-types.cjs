'use strict';
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const GENERATOR = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js');
/** The types of each document in docs/openapi. Console types are for the repository's own programs, not for integrators. */
const TYPES_FILES = { gateway: 'api.ts', console: 'console-types.ts' };

/** For each OpenAPI document the arguments of node that generate its types in libs/client. */
const GENERATE_COMMANDS = Object.entries(TYPES_FILES).map(([service, file]) => [
  GENERATOR,
  path.join(ROOT, 'docs', 'openapi', `${service}.json`),
  `--output=${path.join(ROOT, 'libs', 'client', 'src', 'generated', file)}`,
  '--root-types',
  '--root-types-no-schema-prefix',
  '--alphabetize',
  // A field with a default may be left out of a body.
  '--default-non-nullable=false',
]);

module.exports = { GENERATE_COMMANDS };
