export type { FlowProblemOrWarning } from './apply';
export { listEnvironments, listProcesses, type ConsoleClient } from './console-lists';
export type { ProcessDefinition } from './definition';
export { differencesOf, type Difference } from './differences';
export { fileNameOf, freeFileName } from './file-names';
export { isRecord, type JsonRecord } from './json-shapes';
export { allPages } from './pages';
export {
  FLOW_FILE,
  isOriginFile,
  MATRIX_FILE,
  normalizedName,
  ORIGINS_FOLDER,
  readTexts,
  SETTINGS_FILE,
  textsOf,
  type StoredProcess,
} from './process-files';
export { ProcessImport } from './process-import';
export { RemoteReader } from './read-remote';
export { ProcessFileError } from './refusal';
export { jsonFile, stableFlow } from './stable-json';
