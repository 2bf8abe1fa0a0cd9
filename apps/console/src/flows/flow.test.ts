import { addEnvironment, GREETING_FLOW, addProcess, addShareHolder } from '../../test/processes';
import { createWorld, listOf, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('a draft of a flow with problems is saved, and the answer lists the problems', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/flow`;
  const plain = { warnings: [], fields: [] };
  const nothing = [{ path: '', message: 'no flow was saved' }];
  expect(await ana.must('GET', path)).toEqual({ flow: null, problems: nothing, ...plain });
  const unfinished = { start: 'nowhere', steps: GREETING_FLOW.steps };
  const problems = [{ path: '/start', message: 'no step is named "nowhere"' }];
  expect(await ana.must('PUT', path, unfinished)).toEqual({ problems, ...plain });
  expect(await ana.must('GET', path)).toEqual({ flow: unfinished, problems, ...plain });
  expect(await ana.must('PUT', path, GREETING_FLOW)).toEqual({ problems: [], ...plain });
  expect(await ana.must('GET', path)).toEqual({ flow: GREETING_FLOW, problems: [], ...plain });
});

test('a check of a flow answers what a save would answer, and nothing is stored', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/processes/${pid}/flow`;
  await ana.must('PUT', path, GREETING_FLOW);
  const unfinished = { start: 'nowhere', steps: GREETING_FLOW.steps };
  const problems = [{ path: '/start', message: 'no step is named "nowhere"' }];
  expect(await ana.must('POST', `${path}/check`, unfinished)).toEqual({ problems, warnings: [], fields: [] });
  expect(await ana.must('GET', path)).toMatchObject({ flow: GREETING_FLOW, problems: [] });
  const bia = await addShareHolder(world, ana, pid, { execute: true });
  expect((await bia.refusal('POST', `${path}/check`, unfinished)).error).toBe('403 FORBIDDEN');
});

test('the declared fields of a draft are listed, and a field that stays literal text is a warning that does not prevent publication', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}`;
  const mapping = { who: { mode: 'Fixo', value: 'Ana' }, unused: { mode: 'Fixo', value: 'x' } };
  const step = { name: 'call', type: 'rest', method: 'POST', url: 'http://x/', body: '{{who}}', mapping };
  const fields = [{ step: 'call', fields: [{ name: 'who', paths: ['/steps/0/body'], mapped: true }] }];
  const message = 'no text of the step has {{unused}}, so this value is not used';
  const warnings = [{ path: '/steps/0/mapping/unused', message }];
  const flow = { start: 'call', steps: [step] };
  expect(await ana.must('PUT', `${path}/flow`, flow)).toEqual({ problems: [], warnings, fields });
  expect(await ana.must('GET', `${path}/flow`)).toEqual({ flow, problems: [], warnings, fields });
  expect(await ana.must('POST', `${path}/publish`)).toEqual({
    version: 1,
    warnings: [`/steps/0/mapping/unused: ${message}.`],
  });
});

test.each<[string, unknown, string]>([
  ['a list', [], '400 BAD_REQUEST'],
  ['null', 'null', '400 BAD_REQUEST'],
  ['a tree of 105 levels', `{"a":${'['.repeat(105)}${']'.repeat(105)}}`, '400 BAD_REQUEST'],
  ['more than 1 MB', { start: 'x'.repeat(1_048_576) }, '413 PAYLOAD_TOO_LARGE'],
  ['more than 1 MB once written out', `{"a":[${Array(60_000).fill('1e20').join()}]}`, '413 PAYLOAD_TOO_LARGE'],
])('%s is refused as the draft of a flow', async (_, body, error) => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/flow`;
  expect(await ana.refusal('PUT', path, body)).toMatchObject({ error });
  expect(await ana.must('GET', path)).toMatchObject({ flow: null });
});

test('a draft with a number beyond the range of a double is refused, and the refusal names the field', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/flow`;
  const draft = '{"start":"a","steps":[{"name":"a","type":"rest","body":{"amounts":[1,1e400]}}]}';
  expect(await ana.refusal('PUT', path, draft)).toEqual({
    error: '400 BAD_REQUEST',
    message: expect.stringMatching(/^steps\.0\.body\.amounts\.1: has a number beyond the range of a double/),
  });
});

test('a flow that cannot run is saved with its problems and not published', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}`;
  const flow = {
    start: 'look',
    steps: [
      { name: 'look', type: 'browser', actions: [{ action: 'readText', selector: 'h1' }] },
      { name: 'answer', type: 'webhookResponse', body: '{"id": {{connector.messageId}}}' },
    ],
  };
  const { problems } = await ana.must('PUT', `${path}/flow`, flow);
  expect(problems).toEqual([
    { path: '/steps/0/actions/0', message: 'gives a value, but the step has no as' },
    {
      path: '/steps/1/body',
      message: expect.stringMatching(/^\{connector\.messageId\}: no step of the flow gives it/),
    },
  ]);
  expect(await ana.refusal('POST', `${path}/publish`)).toEqual({
    error: '400 BAD_REQUEST',
    message: expect.stringMatching(/^\/steps\/0\/actions\/0: gives a value.*; \/steps\/1\/body: /),
  });
});

test('publishing stores the abilities that the version needs, and warns of environments whose connected agents lack them', async () => {
  const ana = await world.addPerson();
  const [environmentID, scheduled, offline] = [
    await addEnvironment(ana, { name: 'Robots' }),
    await addEnvironment(ana, { name: 'Nightly' }),
    await addEnvironment(ana, { name: 'Away' }),
  ];
  const pid = await addProcess(ana, { environmentID });
  for (const [id, abilities] of [
    [environmentID, '["rest"]'],
    [environmentID, '["wait"]'],
    [scheduled, '["script","rest","wait","webhookResponse"]'],
  ]) {
    await world.store.write(
      `INSERT INTO agent_session VALUES (UUID(), ?, 'r', 'a', '1', ?, 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR, NULL, NULL)`,
      [id, abilities],
    );
  }
  for (const id of [scheduled, offline]) {
    await world.store.write(
      `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix,
         environment_id, active, created_at) VALUES (UUID(), ?, '', '', '', '', '', '', ?, 1, UTC_TIMESTAMP(3))`,
      [pid, id],
    );
  }
  const steps = [
    ...GREETING_FLOW.steps,
    { name: 'pause', type: 'wait', seconds: 1 },
    { name: 'answer', type: 'webhookResponse', body: '{}' },
  ];
  await ana.must('PUT', `/processes/${pid}/flow`, { ...GREETING_FLOW, steps });
  expect(await ana.must('POST', `/processes/${pid}/publish`)).toEqual({
    version: 1,
    warnings: ['No connected agent of the environment "Robots" runs script and webhookResponse steps.'],
  });
  const row = await world.store.row('SELECT needs FROM process_version WHERE process_id = ?', [pid]);
  expect(row).toEqual({ needs: 'script,wait' });
});

test('publishing freezes the draft as the next version', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  const path = `/processes/${pid}`;
  await ana.must('PUT', `${path}/flow`, GREETING_FLOW);
  const first = await ana.call('POST', `${path}/publish`);
  expect([first.status, first.body]).toEqual([201, { version: 1, warnings: [] }]);
  const editor = await addShareHolder(world, ana, pid, { edit: true });
  expect(await editor.must('POST', `${path}/publish`, {})).toEqual({ version: 2, warnings: [] });
  await ana.must('PUT', `${path}/flow`, { start: 'later', steps: [] });
  const frozen = [JSON.stringify(GREETING_FLOW), '[]'];
  const rows = await world.store.rows<{ version_id: string; flow: string; mappings: string }>(
    'SELECT * FROM process_version WHERE process_id = ? ORDER BY version',
    [pid],
  );
  expect(rows.map(({ flow, mappings }) => [flow, mappings])).toEqual([frozen, frozen]);
  expect(
    await world.store.row('SELECT current_version, published_version_id FROM process WHERE process_id = ?', [pid]),
  ).toEqual({
    current_version: 2,
    published_version_id: rows[1]?.version_id,
  });
  expect(await ana.must('GET', path)).toMatchObject({ currentVersion: 2 });
  const publishedAt = expect.any(String);
  expect(listOf(await ana.must('GET', `${path}/versions`), 'versions')).toEqual([
    { version: 2, publishedBy: editor.email, publishedAt },
    { version: 1, publishedBy: 'Ana', publishedAt },
  ]);
  expect(listOf(await ana.must('GET', `${path}/versions?limit=1`), 'versions')).toMatchObject([{ version: 2 }]);
  const older = listOf(await ana.must('GET', `${path}/versions?limit=1&before=2`), 'versions');
  expect(older).toMatchObject([{ version: 1 }]);
  expect(listOf(await ana.must('GET', `${path}/versions?before=1`), 'versions')).toEqual([]);
});

test('a version names its publisher to the company of that account, and to other companies only the owner of the process', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const [bia, eva] = [
    await addShareHolder(world, ana, pid, { edit: true }),
    await addShareHolder(world, ana, pid, { edit: true }),
  ];
  const colleague = await world.addPerson({ companyID: ana.companyID, name: 'Caio' });
  await ana.must('PUT', `/processes/${pid}/shares/${colleague.email}`, { edit: true });
  for (const publisher of [ana, colleague, bia]) await publisher.must('POST', `/processes/${pid}/publish`);
  const publishersFor = async (reader: typeof ana) => {
    const listed = listOf(await reader.must('GET', `/processes/${pid}/versions`), 'versions');
    const single = await reader.must('GET', `/processes/${pid}/versions/3`);
    expect(single['publishedBy']).toBe(listed[0]?.['publishedBy']);
    return listed.map(({ publishedBy }) => publishedBy);
  };
  expect(await publishersFor(ana)).toEqual([bia.email, 'Caio', 'Ana']);
  expect(await publishersFor(colleague)).toEqual(['', 'Caio', 'Ana']);
  expect(await publishersFor(bia)).toEqual(['Ana', '', 'Ana']);
  expect(await publishersFor(eva)).toEqual(['', '', 'Ana']);
});

test.each(['before=0', 'before=x', 'before=1.5', 'limit=0'])('a list of versions with %s is refused', async (query) => {
  const ana = await world.addPerson();
  const { error, message } = await ana.refusal('GET', `/processes/${await addProcess(ana)}/versions?${query}`);
  expect([error, message]).toEqual(['400 BAD_REQUEST', expect.stringMatching(new RegExp(`^${query.split('=')[0]}: `))]);
});

test('a process without a flow, or with problems in it, is not published', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}`;
  expect(await ana.refusal('POST', `${path}/publish`)).toEqual({
    error: '400 BAD_REQUEST',
    message: 'flow: no flow was saved',
  });
  const routes = Array.from({ length: 7 }, (_, n) => ({ to: `step ${n}` }));
  await ana.must('PUT', `${path}/flow`, { ...GREETING_FLOW, steps: [{ ...GREETING_FLOW.steps[0], routes }] });
  const { error, message } = await ana.refusal('POST', `${path}/publish`);
  expect(error).toBe('400 BAD_REQUEST');
  expect(message).toContain('/steps/0/routes/0/to: no step is named "step 0"; ');
  expect(message).toMatch(/\(and 2 more\)$/);
  expect(await ana.must('GET', path)).toMatchObject({ currentVersion: 0 });
});

test('the problems of a flow follow the current Matrix', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana, { matrix: [{ name: 'total', type: 'Moeda' }] });
  const flow = { start: 'a', steps: [{ name: 'a', type: 'script', code: 'return {matrix.total}' }] };
  expect(await ana.must('PUT', `/processes/${pid}/flow`, flow)).toMatchObject({ problems: [] });
  await ana.must('PUT', `/processes/${pid}/matrix`, { matrix: [] });
  expect(await ana.refusal('POST', `/processes/${pid}/publish`)).toMatchObject({
    error: '400 BAD_REQUEST',
    message: expect.stringContaining('total'),
  });
});

test('concurrent publications never share a version number', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const published = await Promise.all(Array.from({ length: 8 }, () => ana.must('POST', `/processes/${pid}/publish`)));
  expect(published.map(({ version }) => Number(version)).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a version shows its flow to everybody with `edit`, also after another one was published', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  await ana.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  await ana.must('POST', `/processes/${pid}/publish`);
  await ana.must('PUT', `/processes/${pid}/flow`, {
    ...GREETING_FLOW,
    steps: [{ ...GREETING_FLOW.steps[0], code: '1' }],
  });
  await ana.must('POST', `/processes/${pid}/publish`);
  const path = `/processes/${pid}/versions/1`;
  const [bia, carla, eva] = [
    await addShareHolder(world, ana, pid, { edit: true }),
    await addShareHolder(world, ana, pid, { execute: true }),
    await world.addPerson(),
  ];
  for (const person of [ana, bia]) {
    expect(await person.must('GET', path)).toEqual({
      version: 1,
      publishedBy: 'Ana',
      publishedAt: expect.any(String),
      flow: GREETING_FLOW,
    });
  }
  expect(await carla.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await eva.refusal('GET', path)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('GET', `/processes/${pid}/versions/3`)).toMatchObject({ error: '404 NOT_FOUND' });
  for (const version of ['0', 'x', '-1', '1e9', '9'.repeat(20)]) {
    expect(await ana.refusal('GET', `/processes/${pid}/versions/${version}`)).toMatchObject({
      error: '400 BAD_REQUEST',
    });
  }
});

test.each([
  ['save', 'PUT', 'flow', 'process_vault_key'],
  ['publication', 'POST', 'publish', 'agent_session'],
])('a %s of a flow changes nothing when the data of its answer cannot be read', async (_, method, route, table) => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana, { environmentID: await addEnvironment(ana) })}`;
  await ana.must('PUT', `${path}/flow`, GREETING_FLOW);
  const before = await ana.must('GET', `${path}/flow`);
  await world.store.write(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  const body = method === 'PUT' ? { start: 'elsewhere', steps: [] } : undefined;
  const refused = await ana.refusal(method, `${path}/${route}`, body);
  await world.store.write(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  expect(refused).toMatchObject({ error: '500 INTERNAL' });
  expect(await ana.must('GET', `${path}/flow`)).toEqual(before);
  expect(await ana.must('GET', `${path}/versions`)).toMatchObject({ versions: [] });
});
