'use strict';
// Preloaded by programs of dist: their stack traces name the TypeScript sources. Unlike --enable-source-maps it reads no maps
// of packages, which is an eighth of the processor time of a service's start.
require('node:module').setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
