// The part of this library that web pages import as @batuta/json: it needs nothing of Node.
export { jsonObstacle, MAX_DEPTH, parseJsonText, refusedName, type JsonObstacle } from './json-rules';
export { RawJson } from './raw-json';
