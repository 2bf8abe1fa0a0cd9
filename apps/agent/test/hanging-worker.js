// For tests: a sandbox's worker that never loads.
'use strict';
for (;;);
