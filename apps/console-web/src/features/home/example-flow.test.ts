import { validateFlow } from '@batuta/flow';
import { exampleFlow } from './example-flow';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

test.each([
  ['pt-BR', portuguese.example],
  ['en', english.example],
])(
  'the example flow of the first visit in %s has no problem that would keep it from being published',
  (_language, texts) => {
    const { flow, matrix } = exampleFlow(texts);
    const { problems } = validateFlow(flow, { matrix });
    expect(problems).toEqual([]);
  },
);
