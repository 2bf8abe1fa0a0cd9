'use strict';
const path = require('node:path');
const { ROOT } = require('./find-servers.cjs');

const DOCUMENT = path.join(ROOT, 'docs', 'openapi', 'gateway.json');
const TYPES = path.join(ROOT, 'libs', 'client', 'src', 'generated', 'api.ts');

/** Arguments of node for the generator of the client's types. */
const GENERATE = [
  path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin', 'cli.js'),
  DOCUMENT,
  `--output=${TYPES}`,
  '--root-types',
  '--root-types-no-schema-prefix',
  '--alphabetize',
  // A field with a default may be left out of a body.
  '--default-non-nullable=false',
];

module.exports = { GENERATE };
