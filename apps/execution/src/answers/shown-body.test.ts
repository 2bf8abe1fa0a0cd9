import { shownBody, type AnswerSecrets } from './shown-body';

const ANSWER_BODY = '{"token": "s3cret", "ok": true}';
const knownSecrets = (...values: unknown[]): AnswerSecrets => ({ values, agentMayHaveMore: false });
const unknownSecrets: AnswerSecrets = { values: undefined, agentMayHaveMore: false };
const secretsOfAgent: AnswerSecrets = { values: [], agentMayHaveMore: true };

test.each<[string, unknown, AnswerSecrets, string]>([
  ['the copy of the agent is shown', '{"token": "•••"}', knownSecrets(), '{"token": "•••"}'],
  ['secrets that the copy forgot are masked too', ANSWER_BODY, knownSecrets('s3cret'), '{"token":"•••","ok":true}'],
  ['a body in which the agent found nothing is shown', null, knownSecrets(), ANSWER_BODY],
  ['a body in which the agent found nothing is searched', null, knownSecrets('s3cret'), '{"token":"•••","ok":true}'],
  ['the copy suffices where the service knows no secrets', null, unknownSecrets, ANSWER_BODY],
  ['the copy suffices for secrets that only the agent knows', null, secretsOfAgent, ANSWER_BODY],
  [
    'without a copy the service masks what it knows',
    undefined,
    knownSecrets('s3cret', 12),
    '{"token":"•••","ok":true}',
  ],
  ['without a copy nothing is shown if the service knows no secrets', undefined, unknownSecrets, '"•••"'],
  ['without a copy nothing is shown if the agent may have more secrets', undefined, secretsOfAgent, '"•••"'],
  ['a copy that is not JSON is not shown', '{token}', knownSecrets(), '"•••"'],
  ['a copy that is not text is not shown', { token: 's3cret' }, knownSecrets(), '"•••"'],
  ['a copy that is too large is not shown', JSON.stringify('x'.repeat(262_143)), knownSecrets(), '"•••"'],
])('the shown body of an answer holds no secret: %s', (_, masked, secrets, shown) => {
  expect(shownBody(ANSWER_BODY, masked, secrets)).toBe(shown);
});
