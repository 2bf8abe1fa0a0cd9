#!/usr/bin/env node
'use strict';
// Runs what `npm run build` made.
require('../../../dist/apps/agent/src/main.js');
