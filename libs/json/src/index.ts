export { declaredCharset } from './charset';
export {
  isRefusedName,
  jsonObstacle,
  comparableName,
  MAX_DEPTH,
  messageOfRefusedName,
  parseJsonText,
  problemOfText,
  refusedName,
  type JsonObstacle,
} from './json-rules';
export { JsonThread, THREAD_WEIGHT } from './json-thread';
export type { StructureResult } from './json-tasks';
export { parseWithRaw, RawJson, stringifyWithRaw } from './raw-json';
