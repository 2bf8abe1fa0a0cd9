import * as s from '../../support/shape';

// The fields of the answers of the public API: a field too many or too few is an error.

const text = s.text();
const utc = s.utcTime;
const uuid = s.uuid;

export const environment = s.exactObject({
  environmentID: uuid,
  name: text,
  description: text,
  online: s.flag,
  offlineFlow: s.flag,
  envType: text,
  os: text,
  shared: s.flag,
});
const summary = { processID: uuid, processName: text, agentName: text, active: s.flag };
const flag = s.flag;
const permissions = { execute: flag, edit: flag, api: flag, schedule: flag, delete: flag, share: flag };
export const ownSummary = s.exactObject({ ...summary, paused: s.flag, owned: s.exactly(true) });
export const sharedSummary = s.exactObject({
  ...summary,
  owned: s.exactly(false),
  ownerName: text,
  permissions: s.exactObject(permissions),
});
export const matrix = s.list(s.exactObject({ name: text, type: text, default: s.anything }));
export const process = s.exactObject({
  ...summary,
  description: text,
  apiEnabled: s.flag,
  currentVersion: s.integer(),
  avgHumanTime: s.text(/^\d\d+:\d\d:\d\d$/),
  avgOperatorCost: s.number,
  matrix,
});
const instance = { instanceID: uuid, processID: uuid, processName: text };
const inProgress = { ...instance, status: text, userName: text, startedAt: s.integer(1_500_000_000_000) };
export const queued = s.exactObject({
  ...inProgress,
  status: s.exactly('queued'),
  queue: s.exactObject({ position: s.integer(), reason: text }),
});
export const running = s.exactObject({ ...inProgress, status: s.exactly('running') });
const inHistory = {
  ...instance,
  status: text,
  startedAt: utc,
  finishedAt: utc,
  durationSeconds: s.integer(),
  savingsValue: s.number,
  fteHours: s.number,
};
export const historyItem = s.exactObject(inHistory);
export const finished = s.exactObject({
  ...inHistory,
  errorStep: text.nullable(),
  errorMessage: text.nullable(),
  version: text,
});
export const logLine = s.exactObject({
  timestamp: utc,
  severity: s.oneOf('INFO', 'WARNING', 'ERROR'),
  message: text,
  stepID: text,
  userName: text,
  version: text,
  evidence: s.nothing,
});
export const day = s.text(/^\d{4}-\d\d-\d\d$/);
