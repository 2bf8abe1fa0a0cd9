import { validateFlow } from '@batuta/flow';
import { exampleFlow } from './example-flow';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

test.each([
  ['pt-BR', portuguese.example],
  ['en', english.example],
])('the example in %s can be published as it is', (_language, texts) => {
  const { flow, matrix } = exampleFlow(texts);
  const { problems } = validateFlow(flow, { matrix });
  expect(problems).toEqual([]);
});
