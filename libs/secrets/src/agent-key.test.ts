import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { AgentPrivateKey, AgentPublicKey } from './agent-key';

const AGENT_KEY = AgentPrivateKey.generate();
const anyOfferIdentity = fc.record({ instanceID: fc.uuid(), fence: fc.integer({ min: 1 }) });

test('a text that is sealed to an agent opens there for its instance, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), anyOfferIdentity, (text, instance) => {
      const announced = AgentPublicKey.parse(AGENT_KEY.publicKey.toString());
      expect(AGENT_KEY.open(announced.sealer()(text, instance), instance)).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('a box of another instance, another fence or another agent does not open', () => {
  fc.assert(
    fc.property(anyOfferIdentity, anyOfferIdentity, (instance, other) => {
      fc.pre(instance.instanceID !== other.instanceID);
      const box = AGENT_KEY.publicKey.sealer()('secret', instance);
      expect(() => AGENT_KEY.open(box, other)).toThrow('does not open');
      expect(() => AGENT_KEY.open(box, { ...instance, fence: instance.fence + 1 })).toThrow('does not open');
      expect(() => AgentPrivateKey.generate().open(box, instance)).toThrow('does not open');
    }),
    { numRuns: 20 },
  );
});

test('boxes of several replies open in any order, also between boxes that do not open', () => {
  const recipients = [AgentPrivateKey.generate(), AgentPrivateKey.generate()] as const;
  const sealers = recipients.flatMap((recipient) =>
    [1, 2].map(() => ({ recipient, seal: recipient.publicKey.sealer() })),
  );
  const boxes = sealers.flatMap(({ recipient, seal }, index) =>
    [1, 2, 3].map((fence) => {
      const offered = { instanceID: `instance-${index}`, fence };
      return { recipient, offered, text: `${index} ${fence}`, sealed: seal(`${index} ${fence}`, offered) };
    }),
  );
  for (const { recipient, offered, text, sealed } of [...boxes, ...boxes.toReversed()]) {
    for (const other of recipients.filter((one) => one !== recipient)) {
      expect(() => other.open(sealed, offered)).toThrow('does not open');
    }
    expect(recipient.open(sealed, offered)).toBe(text);
  }
});

test('a private key that is stored and read again is the same key', () => {
  const stored = AgentPrivateKey.fromPem(AGENT_KEY.toPem());
  expect(stored.publicKey.toString()).toBe(AGENT_KEY.publicKey.toString());
  const instance = { instanceID: 'i-1', fence: 1 };
  expect(stored.open(AGENT_KEY.publicKey.sealer()('secret', instance), instance)).toBe('secret');
  const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  for (const pem of ['', 'no key', other]) expect(() => AgentPrivateKey.fromPem(pem)).toThrow(/./);
});

test('a fingerprint is that of the bytes of the key', () => {
  const key = AgentPublicKey.parse('hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=');
  // Computed with: base64 -d | openssl dgst -sha256 -binary | base64
  expect(key.fingerprint).toBe('SHA256:MAyclgO5Kks57TlYv5JAEUgE20/TcwEsDKR0MtY0Ja4');
  expect(AGENT_KEY.publicKey.fingerprint).not.toBe(key.fingerprint);
});

test.each<[string, string]>([
  ['is empty', ''],
  ['is too short', Buffer.alloc(31, 9).toString('base64')],
  ['is not base64', `${'*'.repeat(43)}=`],
  ['is zero', Buffer.alloc(32).toString('base64')],
  ['is one', Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64')],
  ['has the order 8', '4Ot6fDtBuK4WVuP68Z/EatoJjeucMrH9hmIFFl9JuAA='],
])('a public key that %s is refused', (_, text) => {
  expect(() => AgentPublicKey.parse(text)).toThrow(/^must be/);
});
