/** The variables that the runtime maintains (contract 2.11). `JS` is a marker without a value; its name is reserved too. */
export const SYSTEM_VARIABLES = [
  'processID',
  'processName',
  'instanceID',
  'currentUser',
  'stepName',
  'lastStep',
  'execSteps',
  'workflow',
  'JS',
  'fastCheck',
  'stepValidation',
  'urlChanged',
  'currentUrl',
  'lastErrorStatus',
  'errorStep',
  'errorDescription',
  'error.evidence',
  'error.evidence_BUFFER',
  'startTime',
  'elapsedSeconds',
] as const;

export type SystemVariable = (typeof SYSTEM_VARIABLES)[number];

const SYSTEM_VARIABLE_NAMES: ReadonlySet<string> = new Set(SYSTEM_VARIABLES);

/** True for the name of a system variable, which no other variable may have and no row may assign (contract 2.11). */
export function isSystemVariable(name: string): name is SystemVariable {
  return SYSTEM_VARIABLE_NAMES.has(name);
}
