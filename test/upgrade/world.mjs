import { makeWorld } from '../chaos/world.mjs';

/** A call without an answer after this time counts as hanging: it is longer than the wait of the webhook and every time limit here. */
const HANG_LIMIT_MS = 150_000;

/** The data of `npm run chaos` with a webhook that waits for its answer, a schedule that fires each minute, and calls of every kind. */
export async function makeUpgradeWorld({ http, stack, effects }) {
  const world = await makeWorld({ http, cluster: stack, effects, waiting: true });
  const { processID, processKey, credential, token } = world;
  const asCaller = { bearer: credential, headers: { 'X-Process-Key': processKey } };
  const schedules = `${stack.gateway}/v1/schedules`;
  const { id } = await http.expect('POST', schedules, {
    ...asCaller,
    body: { processID, name: 'Each minute', cronExpression: '* * * * *', matrix: {} },
  });
  const management = `${stack.console}/manage/v1`;
  const read = (path) => ({ kind: 'console', url: management + path, bearer: token });
  const others = [
    ...world.others,
    { kind: 'schedules', url: schedules, ...asCaller },
    { kind: 'executions', url: `${stack.gateway}/v1/processes/${processID}/executions`, ...asCaller },
    ...['', '/logs', '/events'].map((part) => ({
      kind: `instance${part}`,
      url: (instanceID) => `${stack.gateway}/v1/instances/${instanceID}${part}`,
      ...asCaller,
    })),
    read(`/processes/${processID}/origins`),
    read(`/processes/${processID}/schedules`),
    read(`/schedules/${id}/firings`),
    read(`/processes/${processID}/instances`),
    read(`/processes/${processID}/audit`),
    { kind: 'vault', method: 'PUT', url: `${management}/vault/TOKEN`, bearer: token, body: { value: 'changed' } },
  ];
  const switchOffSchedule = () => http.expect('PATCH', `${schedules}/${id}`, { ...asCaller, body: { active: false } });
  return { ...world, others, scheduleID: id, switchOffSchedule, hangLimitMs: HANG_LIMIT_MS };
}
