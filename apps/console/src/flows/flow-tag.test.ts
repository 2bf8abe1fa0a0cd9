import { addProcess, GREETING_FLOW } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('exactly one of several simultaneous saves of a flow with the same tag in If-Match is stored, and the others are 412', async () => {
  const owner = await world.addPerson();
  const pid = await addProcess(owner);
  const path = `/processes/${pid}/flow`;
  const tag = (await owner.call('GET', path)).headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[^"]+"$/);
  const put = (start: string, match: string) =>
    owner.call('PUT', path, { ...GREETING_FLOW, start }, { 'if-match': match });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((start) => put(start, tag)));
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '412', '412', '412']);
  const stored = answers.findIndex(({ status }) => status === 200);
  const refused = answers.find(({ status }) => status === 412);
  expect(refused?.body).toMatchObject({ error: { code: 'PRECONDITION_FAILED' } });
  const read = await owner.call('GET', path);
  expect(read.body.flow).toEqual({ ...GREETING_FLOW, start: ['a', 'b', 'c', 'd'][stored] });
  expect(read.headers.get('etag')).toBe(answers[stored]?.headers.get('etag'));
  // A change of the Matrix changes the problems of the flow, but not the flow, so its tag stays valid for a save.
  await owner.must('PUT', `/processes/${pid}/matrix`, { matrix: [{ name: 'total', type: 'Moeda' }] });
  expect((await put('e', read.headers.get('etag') ?? '')).status).toBe(200);
  expect((await owner.call('PUT', path, GREETING_FLOW)).status).toBe(200);
});

test('a GET of a flow with the ETag of an earlier answer is 304 only while neither the flow nor its problems have changed', async () => {
  const owner = await world.addPerson();
  const pid = await addProcess(owner, { matrix: [{ name: 'total', type: 'Moeda' }] });
  const path = `/processes/${pid}/flow`;
  const flow = { ...GREETING_FLOW, steps: [{ ...GREETING_FLOW.steps[0], code: 'return {matrix.total}' }] };
  const tag = (await owner.call('PUT', path, flow)).headers.get('etag') ?? '';
  const readAgain = async () => {
    // Like a browser, `fetch` would otherwise ask servers not to answer 304.
    const headers = { Authorization: `Bearer ${owner.token}`, 'If-None-Match': tag, 'Cache-Control': 'max-age=0' };
    return fetch(`${world.url}/manage/v1${path}`, { headers });
  };
  expect((await readAgain()).status).toBe(304);
  await owner.must('PUT', `/processes/${pid}/matrix`, { matrix: [] });
  const changed = await readAgain();
  expect([changed.status, await changed.json()]).toEqual([
    200,
    expect.objectContaining({
      flow,
      problems: [expect.objectContaining({ message: expect.stringContaining('total') })],
    }),
  ]);
});
