// What pages get as @batuta/json: the parts that need nothing of Node.
export { jsonObstacle, MAX_DEPTH, parseJsonText, refusedName, type JsonObstacle } from './json-rules';
export { RawJson } from './raw-json';
