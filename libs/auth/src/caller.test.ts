import { v7 as uuid } from 'uuid';
import { mintCredential, readCredential } from '.';

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
