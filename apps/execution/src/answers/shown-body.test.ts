import { shownBody, type AnswerSecrets } from './shown-body';

const BODY = '{"token": "s3cret", "ok": true}';
const known = (...values: unknown[]): AnswerSecrets => ({ values, hasSensitiveRows: false });
const unknown: AnswerSecrets = { values: undefined, hasSensitiveRows: false };
const sensitiveRows: AnswerSecrets = { values: [], hasSensitiveRows: true };

test.each<[string, unknown, AnswerSecrets, string]>([
  ['the copy of the agent is shown', '{"token": "•••"}', known(), '{"token": "•••"}'],
  ['secrets that the copy forgot are masked too', BODY, known('s3cret'), '{"token":"•••","ok":true}'],
  ['a body in which the agent found nothing is shown', null, known(), BODY],
  ['a body in which the agent found nothing is searched', null, known('s3cret'), '{"token":"•••","ok":true}'],
  ['the copy suffices where the service knows no secrets', null, unknown, BODY],
  ['the copy suffices for sensitive rows', null, sensitiveRows, BODY],
  ['without a copy the service masks what it knows', undefined, known('s3cret', 12), '{"token":"•••","ok":true}'],
  ['without a copy nothing is shown if the service knows no secrets', undefined, unknown, '"•••"'],
  ['without a copy nothing is shown of a flow with sensitive rows', undefined, sensitiveRows, '"•••"'],
  ['a copy that is not JSON is not shown', '{token}', known(), '"•••"'],
  ['a copy that is not text is not shown', { token: 's3cret' }, known(), '"•••"'],
  ['a copy that is too large is not shown', JSON.stringify('x'.repeat(262_143)), known(), '"•••"'],
])('%s', (_, masked, secrets, shown) => {
  expect(shownBody(BODY, masked, secrets)).toBe(shown);
});
