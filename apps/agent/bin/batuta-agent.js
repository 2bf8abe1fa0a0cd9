#!/usr/bin/env node
'use strict';
// The file exists only after `npm run build`.
require('../../../dist/apps/agent/main.js');
