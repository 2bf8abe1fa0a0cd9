// `npm run fuzz` sets the environment variables that are read here; without them the values are those of `npm test`.

/** Seed of the random generator; the same seed makes the same requests. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** Requests to each route of the public API; the other files send a multiple or a part of it. */
export const REQUESTS_PER_ROUTE = Number(process.env['FUZZ_RUNS'] ?? 50);

/** Time limit of the requests to one route, after which the remaining ones are neither sent nor counted. */
export const ROUTE_TIME_LIMIT_MS = Number(process.env['FUZZ_ROUTE_MS'] ?? 120_000);

/** Time limit of a test, and of the start of the services with the warm-up. */
export const TEST_TIME_LIMIT_MS = ROUTE_TIME_LIMIT_MS + 180_000;

/** File to which each test file appends its measured values as a line of JSON; undefined in `npm test`. */
export const REPORT_FILE = process.env['FUZZ_REPORT'];

/** A plan whose rate limit and credits no run of the tests exhausts. */
export const AMPLE_PLAN = { requestsPerMinute: 1_000_000, monthlyCredits: 1_000_000 };
