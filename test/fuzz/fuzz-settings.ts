// `npm run fuzz` sets these variables; without them the tests send the fixed number of requests of `npm test`.

/** Seed of the random generator; the same seed makes the same requests. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** Requests to each route of the public API; the other files send a multiple or a part of it. */
export const REQUESTS_PER_ROUTE = Number(process.env['FUZZ_RUNS'] ?? 50);

/** Time limit of one route, after which its remaining requests are skipped and missing in the report. */
export const ROUTE_TIME_LIMIT_MS = Number(process.env['FUZZ_ROUTE_MS'] ?? 120_000);

/** Time limit of the test of one route. */
export const TEST_TIME_LIMIT_MS = ROUTE_TIME_LIMIT_MS + 180_000;

/** File to which each test file appends its measured values as a line of JSON. */
export const REPORT_FILE = process.env['FUZZ_REPORT'];
