import { v7 as uuid } from 'uuid';
import { mintCredential, mintSecret, readCredential } from '.';

test.each([
  [undefined, 'MISSING_CREDENTIAL'],
  ['', 'MISSING_CREDENTIAL'],
  ['Bearer', 'MISSING_CREDENTIAL'],
  ['Bearer  ', 'MISSING_CREDENTIAL'],
  ['Basic dXNlcjpwYXNz', 'MISSING_CREDENTIAL'],
  ['Bearer abc', 'INVALID_CREDENTIAL'],
  [`Bearer ${mintCredential(uuid()).value} more`, 'INVALID_CREDENTIAL'],
])('the header Authorization: %s is refused with %s', (header, code) => {
  expect(() => readCredential(header)).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['bpk', 'has a process key (bpk_…), which belongs in X-Process-Key'],
  ['bak', 'has an activation key (bak_…), with which only agents connect'],
  ['bls', 'has the token of a login session (bls_…), which belongs to the management API'],
  ['bwh', 'has the token of a webhook URL (bwh_…), which belongs in that URL'],
] as const)('a secret %s_… in Authorization is refused with its kind and nothing else of its value', (kind, named) => {
  expect(() => readCredential(`Bearer ${mintSecret(kind).value}`)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CREDENTIAL',
      message: `Authorization: ${named}; send an account credential (bat_live_…)`,
    }),
  );
});

test.each(['abc', 'bat_live_abc', 'BPK_abc', 'bpk'])('the text %s in Authorization is no known credential', (value) => {
  expect(() => readCredential(`Bearer ${value}`)).toThrow('Authorization: the account credential is not known');
});
