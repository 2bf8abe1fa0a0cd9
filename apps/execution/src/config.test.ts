import { readExecutionConfig } from './config';

const REQUIRED = {
  DATABASE_URL: 'mysql://u:p@localhost/batuta',
  NATS_URL: 'nats://localhost:4222',
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

test('pictures stay in the database unless a setting says otherwise', () => {
  expect(readExecutionConfig(REQUIRED)).toMatchObject({ EVIDENCE_STORE: 'database', EVIDENCE_S3_BUCKET: '' });
});

test('the setting EVIDENCE_STORE=s3 needs the name and the keys of the bucket, and the error names the missing ones', () => {
  const given = { ...REQUIRED, EVIDENCE_STORE: 's3', EVIDENCE_S3_BUCKET: 'pictures', EVIDENCE_S3_ACCESS_KEY_ID: 'id' };
  expect(() => readExecutionConfig(given)).toThrow(
    /^Settings are wrong:\n {2}EVIDENCE_S3_SECRET_ACCESS_KEY: is missing, which EVIDENCE_STORE=s3 needs$/,
  );
  const complete = { ...given, EVIDENCE_S3_SECRET_ACCESS_KEY: 'secret' };
  expect(readExecutionConfig(complete)).toMatchObject({ EVIDENCE_S3_PREFIX: 'evidence/' });
});

test.each([
  ['EVIDENCE_STORE', 'disk'],
  ['EVIDENCE_S3_ENDPOINT', 'ftp://x'],
  ['EVIDENCE_S3_ENDPOINT', 'https://key:secret@s3.example'],
  ['EVIDENCE_S3_ENDPOINT', 'https://s3.example?a=b'],
  ['EVIDENCE_S3_BUCKET', 'a/b'],
  ['EVIDENCE_S3_PREFIX', 'x'],
  ['EVIDENCE_S3_PREFIX', '../'],
  ['EVIDENCE_S3_PREFIX', 'a/../../other/'],
  ['QUOTA_EVIDENCE_MEGABYTES', '0'],
])('a wrong value of the setting %s is refused', (name, value) => {
  expect(() => readExecutionConfig({ ...REQUIRED, [name]: value })).toThrow(new RegExp(`^ {2}${name}: `, 'm'));
});
