import { UNKNOWN_ID, GREETING_FLOW, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const ROUTES_OF_PROCESS: [method: string, rest: string, body: unknown][] = [
  ['POST', '/origins', { name: 'Shop' }],
  ['GET', '/origins', undefined],
];

const ROUTES_BY_ORIGIN_ID: [method: string, path: string, body: unknown, permission: 'edit' | 'execute'][] = [
  ['PATCH', '/origins/:oid', { enabled: false }, 'edit'],
  ['DELETE', '/origins/:oid', undefined, 'edit'],
  ['POST', '/origins/:oid/rotate', { url: 'dev' }, 'edit'],
  ['GET', '/origins/:oid/mapping', undefined, 'edit'],
  ['PUT', '/origins/:oid/mapping/draft', [], 'edit'],
  ['POST', '/origins/:oid/mapping/save', undefined, 'edit'],
  ['GET', '/origins/:oid/captures', undefined, 'edit'],
  ['DELETE', '/origins/:oid/captures', undefined, 'edit'],
  ['GET', '/captures/:cid', undefined, 'edit'],
  ['DELETE', '/captures/:cid', undefined, 'edit'],
  ['GET', '/captures/:cid/preview', undefined, 'edit'],
  ['POST', '/captures/:cid/debug', undefined, 'edit'],
  ['POST', '/captures/:cid/replay', undefined, 'execute'],
];

const ALL_PERMISSIONS = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };

/** A process that can run, with an origin that has a capture. */
async function processWithCapture(owner: ConsoleCaller) {
  const pid = await addProcess(owner);
  await owner.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const originID = requireText((await owner.must('POST', `/processes/${pid}/origins`, { name: 'Shop' })).id);
  const captureID = world.fakeWebhook.addCapture(originID).id;
  return { pid, pathOf: (path: string) => path.replace(':oid', originID).replace(':cid', captureID) };
}

const withUnknownIDs = (path: string) => path.replace(/:[oc]id/, UNKNOWN_ID);

test('the creation of an origin tells the webhook service whose permission and session it must read again', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { edit: true });
  await bia.must('POST', `/processes/${pid}/origins`, { name: 'Shop' });
  expect(world.fakeWebhook.changedBy.at(-1)).toEqual(callerOf(bia));
});

test.each(ROUTES_OF_PROCESS)('%s processes/:pid%s requires the permission `edit`', async (method, rest, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}${rest}`;
  const [editor, other] = await Promise.all([
    addShareHolder(world, ana, pid, { edit: true }),
    addShareHolder(world, ana, pid, { ...ALL_PERMISSIONS, edit: false }),
  ]);
  await editor.must(method, path, body);
  expect(await other.refusal(method, path, body)).toEqual({
    error: '403 FORBIDDEN',
    message: 'The share lacks the permission edit.',
  });
});

test.each(ROUTES_OF_PROCESS)(
  '%s processes/:pid%s answers a stranger as if the process did not exist',
  async (method, rest, body) => {
    const [ana, stranger] = await Promise.all([world.addPerson(), world.addPerson({ role: 'administrator' })]);
    const foreign = await stranger.refusal(method, `/processes/${await addProcess(ana)}${rest}`, body);
    expect(foreign.error).toBe('404 PROCESS_NOT_FOUND');
    expect(await stranger.refusal(method, `/processes/${UNKNOWN_ID}${rest}`, body)).toEqual(foreign);
    expect(await ana.refusal(method, `/processes/x${rest}`, body)).toMatchObject({ error: '400 INVALID_PROCESS_ID' });
  },
);

test.each(ROUTES_BY_ORIGIN_ID)(
  '%s %s requires to be the owner or to have a share with its permission',
  async (method, path, body, permission) => {
    const ana = await world.addPerson();
    const own = await processWithCapture(ana);
    const shared = await processWithCapture(ana);
    const permitted = await addShareHolder(world, ana, shared.pid, { [permission]: true });
    const lacking = await addShareHolder(world, ana, shared.pid, { ...ALL_PERMISSIONS, [permission]: false });
    expect(await lacking.refusal(method, shared.pathOf(path), body)).toEqual({
      error: '403 FORBIDDEN',
      message: `The share lacks the permission ${permission}.`,
    });
    await permitted.must(method, shared.pathOf(path), body);
    await ana.must(method, own.pathOf(path), body);
  },
);

test.each(ROUTES_BY_ORIGIN_ID.filter(([method, path]) => method !== 'GET' && !/debug|replay/.test(path)))(
  '%s %s tells the webhook service whose permission and session it must read again',
  async (method, path, body) => {
    const ana = await world.addPerson();
    const { pid, pathOf } = await processWithCapture(ana);
    const bia = await addShareHolder(world, ana, pid, { edit: true });
    const before = world.fakeWebhook.changedBy.length;
    await bia.must(method, pathOf(path), body);
    expect(world.fakeWebhook.changedBy.slice(before)).toEqual([callerOf(bia)]);
  },
);

test.each(ROUTES_BY_ORIGIN_ID)(
  '%s %s answers a stranger as if the origin did not exist',
  async (method, path, body) => {
    const [ana, stranger] = await Promise.all([world.addPerson(), world.addPerson({ role: 'administrator' })]);
    const { pathOf } = await processWithCapture(ana);
    const before = world.fakeWebhook.requests.length;
    const foreign = await stranger.refusal(method, pathOf(path), body);
    expect(foreign.error).toBe('404 NOT_FOUND');
    expect(await stranger.refusal(method, withUnknownIDs(path), body)).toEqual(foreign);
    expect(await ana.refusal(method, withUnknownIDs(path), body)).toEqual(foreign);
    expect(await ana.refusal(method, path.replace(/:[oc]id/, 'x'), body)).toEqual(foreign);
    expect(world.fakeWebhook.requests.slice(before)).toEqual([]);
  },
);

test.each(ROUTES_BY_ORIGIN_ID)(
  '%s %s is NOT_FOUND once its process is deleted, even while the origin still exists',
  async (method, path, body) => {
    const ana = await world.addPerson();
    const { pid, pathOf } = await processWithCapture(ana);
    await ana.must('DELETE', `/processes/${pid}`);
    expect(await ana.refusal(method, pathOf(path), body)).toMatchObject({ error: '404 NOT_FOUND' });
  },
);

test.each(ROUTES_BY_ORIGIN_ID)('%s %s is NOT_FOUND as soon as the share ends', async (method, path, body) => {
  const ana = await world.addPerson();
  const { pid, pathOf } = await processWithCapture(ana);
  const bia = await addShareHolder(world, ana, pid, ALL_PERMISSIONS);
  await ana.must('DELETE', `/processes/${pid}/shares/${bia.email}`);
  expect(await bia.refusal(method, pathOf(path), body)).toMatchObject({ error: '404 NOT_FOUND' });
});

test.each(ROUTES_BY_ORIGIN_ID)('%s %s is refused to operators', async (method, path, body) => {
  expect(await world.operator.refusal(method, withUnknownIDs(path), body)).toMatchObject({ error: '403 FORBIDDEN' });
});
