// For tests: every process hangs while it starts. Plain JavaScript: a process runs this file without a transform.
'use strict';
setInterval(() => undefined, 60_000);
