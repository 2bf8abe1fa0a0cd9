import { HOOK_BODY, START_BODY } from './world.mjs';

/** Path, headers and body of a start, without the idempotency key, which each sender adds. */
export function startOf({ credential }, { processID, processKey }) {
  return {
    path: `/v1/processes/${processID}/start`,
    headers: {
      Authorization: `Bearer ${credential}`,
      'X-Process-Key': processKey,
      'Content-Type': 'application/json',
    },
    body: START_BODY,
  };
}

/** A call of the process's production webhook URL with the same values as a start, also without idempotency key. */
export function hookOf({ processID, hookToken }) {
  return {
    path: `/v1/hooks/${processID}/${hookToken}`,
    headers: { 'Content-Type': 'application/json' },
    body: HOOK_BODY,
  };
}

/** The requests to the floor, which differ from starts of the product only in the path. */
export function floorRequests(starts) {
  return starts.map((start) => ({ ...start, path: '/' }));
}

/**
 * HTTP/1.1 text of a POST in two pieces; each request puts its own idempotency key between them. `keyHeader` replaces the usual header, which
 * another engine might also interpret.
 */
export function splitAtKey({ path, headers, body, keyHeader = 'Idempotency-Key' }, host) {
  const lines = Object.entries({ Host: host, ...headers, 'Content-Length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return [`POST ${path} HTTP/1.1\r\n${head}${keyHeader}: `, `\r\n\r\n${body}`];
}
