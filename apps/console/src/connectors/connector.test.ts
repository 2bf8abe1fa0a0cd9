import { STEP_TYPES, stepTypeNames } from '@batuta/flow';
import { Ajv2020 } from 'ajv/dist/2020';
import { createWorld, listOf, asRecord, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const listConnectors = async () => listOf(await world.operator.must('GET', '/connectors'), 'connectors').map(asRecord);

test('every account lists a connector for every step type, with category, ability and automatic variables', async () => {
  const listed = await listConnectors();
  expect(listed.map(({ type }) => type)).toEqual(stepTypeNames());
  expect(listed.find(({ type }) => type === 'rest')).toMatchObject({
    category: 'Web',
    ability: STEP_TYPES.rest.ability,
    description:
      'Needs an agent with the ability "rest". Gives {as} with status, headers, body, {as.FILE}, {as.BUFFER}, {as.OCR}.',
    variables: ['as', 'as.status', 'as.headers', 'as.body', 'as.FILE', 'as.BUFFER', 'as.OCR'],
  });
  expect(listed.find(({ type }) => type === 'database')).toMatchObject({
    category: 'Data',
    variables: ['as', 'connector.affectedRows', 'connector.rowCount', 'connector.insertId'],
  });
  const automation = listed.filter(({ category }) => category === 'Automation').map(({ type }) => type);
  expect(automation).toEqual(['variables', 'script', 'wait', 'webhookResponse']);
  const member = await world.addPerson({ role: 'member' });
  expect(listOf(await member.must('GET', '/connectors'), 'connectors')).toEqual(listed);
});

test('the schema of a connector refers to nothing outside of itself', async () => {
  for (const { type, schema } of await listConnectors()) {
    const isStep = new Ajv2020({ strict: true, strictRequired: false, discriminator: true }).compile(asRecord(schema));
    const step = { name: 'pause', type: 'wait', seconds: 1, rows: [{ name: 'a', mode: 'Fixo', value: '1' }] };
    expect(isStep(step)).toBe(type === 'wait');
  }
});
