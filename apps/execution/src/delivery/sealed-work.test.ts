import { execution, type InstanceWork } from '@batuta/contracts';
import { RawJson } from '@batuta/json';
import { AgentPrivateKey, KeyRing } from '@batuta/secrets';
import {
  claimInParts,
  createProcessWithAgent,
  startPendingClaim,
  start,
  type ProcessWithAgent,
  untilClaimWaits,
} from '../../test/claims';
import { waitUntil } from '../../../../test/support/wait-until';
import { connectAgent, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { sealWork } from './sealed-work';

const AGENT_KEY = AgentPrivateKey.generate();
const publicKey = AGENT_KEY.publicKey.toString();
const FLOW_WITH_VAULT =
  '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
const MATRIX = [
  { name: 'total', type: 'Moeda', default: '1,50' },
  { name: 'pin', type: 'Secreto' },
];
const BOX_CONTENT = { matrix: [{ name: 'pin', type: 'Secreto', value: 's3cret' }], vault: { TOKEN: 'v4ult' } };
const OPEN_VALUES = { matrix: [{ name: 'total', type: 'Moeda', value: 1.5 }], vault: {} };

/** What the agent reads when it opens the box; undefined when the work has no box. */
const openBox = (work: InstanceWork | undefined, key = AGENT_KEY): unknown =>
  work?.sealed === undefined ? undefined : JSON.parse(key.open(work.sealed, work));

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** A process that needs a vault value and a Secreto. */
async function createSiteWithSecrets(): Promise<ProcessWithAgent> {
  const at = await createProcessWithAgent(world, { flow: FLOW_WITH_VAULT, matrix: MATRIX });
  const keys = new KeyRing(world.env['SECRET_KEYS'] ?? '');
  await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
    at.ownerID,
    'TOKEN',
    keys.seal('v4ult', `vault:${at.ownerID}:TOKEN`),
  ]);
  return at;
}

const secretStart = (at: ProcessWithAgent) => startRequest(at, { matrix: { pin: 's3cret' } });

const claim = async (
  { environmentID, sessionID }: ProcessWithAgent,
  key: string | undefined = publicKey,
): Promise<InstanceWork[]> =>
  (await world.rpc.call(execution.claim, { environmentID, sessionID, limit: 5, publicKey: key })).work;

/** Which secret values the router can see in the work, the open values, and what the agent reads in the box. */
const seenInWork = (work: InstanceWork | undefined) => ({
  secrets: JSON.stringify(work).match(/s3cret|v4ult|"TOKEN"|pin/g),
  open: { matrix: work?.matrix, vault: work?.vault },
  opened: openBox(work),
});
const SEEN_WHEN_SEALED = { secrets: null, open: OPEN_VALUES, opened: BOX_CONTENT };

describe('sealing', () => {
  test('secret values that a claim takes from the queue are sealed to its agent', async () => {
    const at = await createSiteWithSecrets();
    await start(world, secretStart(at));
    const [work] = await claim(at);
    expect(seenInWork(work)).toEqual(SEEN_WHEN_SEALED);
  });

  test('secret values of a start that goes directly to a pending claim are sealed to its agent', async () => {
    const at = await createSiteWithSecrets();
    const parts: InstanceWork[] = [];
    void claimInParts(world, at, parts, 5, undefined, publicKey).catch(() => undefined);
    await untilClaimWaits(at);
    await start(world, secretStart(at));
    await waitUntil('the start arrives', () => parts.length > 0);
    expect(seenInWork(parts[0])).toEqual(SEEN_WHEN_SEALED);
  });

  test('secret values are sealed again at every claim: after a requeue the box is for the agent that claims next', async () => {
    const at = await createSiteWithSecrets();
    await start(world, secretStart(at));
    const [first] = await claim(at);
    const { sessionID, environmentID } = at;
    const held = [{ instanceID: first?.instanceID ?? '', fence: first?.fence ?? 0 }];
    await world.rpc.call(execution.release, { sessionID, instances: held });
    const other = AgentPrivateKey.generate();
    const next = { ...at, sessionID: await connectAgent(world.store, environmentID) };
    const [second] = await claim(next, other.publicKey.toString());
    expect(second?.fence).toBe(2);
    expect(openBox(second, other)).toEqual(BOX_CONTENT);
    expect(() => openBox(second)).toThrow('does not open');
    expect(() => openBox({ ...Object(second), sealed: first?.sealed }, AGENT_KEY)).toThrow('does not open');
  });

  test('secret values are not sealed for a claim without a key, as claims of earlier agents or routers', async () => {
    const at = await createSiteWithSecrets();
    const { reply } = await startPendingClaim(world, at);
    await start(world, secretStart(at));
    const [work] = await reply;
    expect(work).not.toHaveProperty('sealed');
    expect(work).toMatchObject({ matrix: [...OPEN_VALUES.matrix, ...BOX_CONTENT.matrix], vault: BOX_CONTENT.vault });
  });
});

test('a claim with an invalid public key is refused and takes nothing', async () => {
  const at = await createSiteWithSecrets();
  await start(world, secretStart(at));
  await expect(claim(at, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
  expect(await claim(at)).toHaveLength(1);
});

describe('claimed work', () => {
  const work: InstanceWork = {
    instanceID: 'i-1',
    fence: 1,
    processID: 'p-1',
    processName: 'Orders',
    version: '1',
    userName: 'ERP',
    requestID: 'r-1',
    flow: {},
    matrix: OPEN_VALUES.matrix,
    vault: {},
  };
  const large = (text: string): InstanceWork => Object.assign({ ...work }, { matrix: new RawJson(text) });

  test('work without secret values is not changed', () => {
    expect(sealWork(work, AGENT_KEY.publicKey.sealer())).toBe(work);
    const unparsed = large('[{"name":"a","type":"Texto","value":"x"}]');
    expect(sealWork(unparsed, AGENT_KEY.publicKey.sealer())).toBe(unparsed);
  });

  test('work with large unparsed values is sealed as a whole when they may contain a Secreto', () => {
    const sealed = sealWork(
      large(JSON.stringify([...OPEN_VALUES.matrix, ...BOX_CONTENT.matrix])),
      AGENT_KEY.publicKey.sealer(),
    );
    expect(sealed.matrix).toEqual([]);
    expect(openBox(sealed)).toEqual({ matrix: [...OPEN_VALUES.matrix, ...BOX_CONTENT.matrix], vault: {} });
  });

  test('work keeps the numbers of large values as they were written', () => {
    const text = '[{"name":"a","type":"Secreto","value":"x"},{"name":"b","type":"Objeto","value":{"n":1.0}}]';
    const { sealed = '' } = sealWork(large(text), AGENT_KEY.publicKey.sealer());
    expect(AGENT_KEY.open(sealed, work)).toBe(`{"matrix":${text},"vault":{}}`);
  });
});
