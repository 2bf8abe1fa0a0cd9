import { hashSecret, type ProcessAccess } from '@batuta/auth';
import type { AccessQuestion } from '@batuta/catalog';
import { v7 as uuid } from 'uuid';
import { foresee } from './foreseen';

const credentialID = uuid();
const [accountID, pid] = [uuid(), uuid()];

/** Look-ups that know whose the credential was, and note what they are asked. */
function lookups(answer: () => Promise<ProcessAccess | undefined> = async () => undefined) {
  const asked: AccessQuestion[] = [];
  return {
    asked,
    likelyAccount: (id: string) => (id === credentialID ? accountID : undefined),
    access: (question: AccessQuestion) => {
      asked.push(question);
      return answer();
    },
  };
}

test('asks for the process while the caller is still looked up', () => {
  const known = lookups();
  expect(foresee(known, credentialID, { pid, processKey: ' k ' })).toMatchObject({
    processID: pid,
    accountID,
    key: 'k',
  });
  expect(known.asked).toEqual([{ processID: pid, accountID, keyHash: hashSecret('k') }]);
});

test.each([
  ['no process', credentialID, { pid: undefined, processKey: 'k' }],
  ['a malformed process id', credentialID, { pid: 'x', processKey: 'k' }],
  ['no key', credentialID, { pid, processKey: undefined }],
  ['two keys', credentialID, { pid, processKey: ['k', 'l'] }],
  ['a credential that was never seen', uuid(), { pid, processKey: 'k' }],
])('asks for nothing with %s', (_, id, named) => {
  const known = lookups();
  expect(foresee(known, id, named)).toBeUndefined();
  expect(known.asked).toEqual([]);
});

test('a look-up that fails and that nobody awaits harms nobody', async () => {
  const failing = lookups(() => Promise.reject(new Error('away')));
  const foreseen = foresee(failing, credentialID, { pid, processKey: 'k' });
  await new Promise(setImmediate);
  await expect(foreseen?.access).rejects.toThrow('away');
});
