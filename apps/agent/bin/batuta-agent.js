#!/usr/bin/env node
'use strict';
// Needs the output of `npm run build`.
require('../../../dist/apps/agent/main.js');
