import * as s from '../../../support/shape';

// The bodies of the public API, and objects in them: a missing or an additional field is an error.

const textShape = s.text();
const utc = s.utcTime;
const uuid = s.uuid;

export const environmentShape = s.exactObject({
  environmentID: uuid,
  name: textShape,
  description: textShape,
  online: s.flag,
  offlineFlow: s.flag,
  envType: textShape,
  os: textShape,
  shared: s.flag,
});
const processSummaryFields = { processID: uuid, processName: textShape, agentName: textShape, active: s.flag };
const flag = s.flag;
const permissions = { execute: flag, edit: flag, api: flag, schedule: flag, delete: flag, share: flag };
export const ownProcessSummaryShape = s.exactObject({
  ...processSummaryFields,
  paused: s.flag,
  owned: s.exactly(true),
});
export const sharedProcessSummaryShape = s.exactObject({
  ...processSummaryFields,
  owned: s.exactly(false),
  ownerName: textShape,
  permissions: s.exactObject(permissions),
});
export const matrixShape = s.list(s.exactObject({ name: textShape, type: textShape, default: s.anything }));
export const processShape = s.exactObject({
  ...processSummaryFields,
  description: textShape,
  apiEnabled: s.flag,
  currentVersion: s.integer(),
  avgHumanTime: s.text(/^\d\d+:\d\d:\d\d$/),
  avgOperatorCost: s.number,
  matrix: matrixShape,
});
const instanceFields = { instanceID: uuid, processID: uuid, processName: textShape };
const inProgressFields = {
  ...instanceFields,
  status: textShape,
  userName: textShape,
  startedAt: s.integer(1_500_000_000_000),
};
export const queuedInstanceShape = s.exactObject({
  ...inProgressFields,
  status: s.exactly('queued'),
  queue: s.exactObject({ position: s.integer(), reason: textShape }),
});
export const runningInstanceShape = s.exactObject({ ...inProgressFields, status: s.exactly('running') });
const historyItemFields = {
  ...instanceFields,
  status: textShape,
  startedAt: utc,
  finishedAt: utc,
  durationSeconds: s.integer(),
  savingsValue: s.number,
  fteHours: s.number,
};
export const historyItemShape = s.exactObject(historyItemFields);
export const endedInstanceShape = s.exactObject({
  ...historyItemFields,
  errorStep: textShape.nullable(),
  errorMessage: textShape.nullable(),
  version: textShape,
});
export const logLineShape = s.exactObject({
  timestamp: utc,
  severity: s.oneOf('INFO', 'WARNING', 'ERROR'),
  message: textShape,
  stepID: textShape,
  userName: textShape,
  version: textShape,
  evidence: s.nothing,
});
/** A day as `2026-11-28`. */
export const dayShape = s.text(/^\d{4}-\d\d-\d\d$/);
