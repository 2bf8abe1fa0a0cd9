import * as fc from 'fast-check';
import { variablesOf } from '../../test/fake-variables';
import { renderResponseBody } from './response-body';

const VARIABLES = variablesOf(
  {
    n: 1.5,
    yes: true,
    list: [1, 'a'],
    object: { a: { b: 2 } },
    text: 'He said "no"\n\\',
    json: ' {"ok": true} ',
    digits: '0012',
    blank: '',
    nothing: null,
    'matrix.total': 10,
    'matrix.payload': { issue: { title: 'T' } },
  },
  { 'matrix.total': 'Moeda' },
);

test.each<[string, unknown]>([
  [
    '{"n": {{n}}, "yes": {{yes}}, "list": {{list}}, "object": {{object}}}',
    { n: 1.5, yes: true, list: [1, 'a'], object: { a: { b: 2 } } },
  ],
  [
    '{"n": "{{n}}", "list": "{{list}}", "text": "<{{text}}>"}',
    { n: '1.5', list: '[1,"a"]', text: '<He said "no"\n\\>' },
  ],
  ['{"text": {{text}}, "json": {{json}}}', { text: 'He said "no"\n\\', json: ' {"ok": true} ' }],
  [
    '{"a": {{nothing}}, "b": {{blank}}, "c": {{unknown}}, "d": "{{nothing}}{{unknown}}"}',
    { a: null, b: null, c: null, d: '' },
  ],
  ['{"total": {{matrix.total}}, "text": "{{matrix.total}}"}', { total: 10, text: '10.00' }],
  ['[{{ object.a.b }}, {{matrix.payload.issue.title}}]', [2, 'T']],
  ['{"a":{"b":{{n}}}}', { a: { b: 1.5 } }],
  ['"{n}"', '{n}'],
  ['"\\"{{n}}"', '"1.5'],
  ['{{json}}', { ok: true }],
  [' {{json}}\n', { ok: true }],
  ['{{text}}', 'He said "no"\n\\'],
  ['"{{json}}"', ' {"ok": true} '],
  ['{{object}}', { a: { b: 2 } }],
  ['{{blank}}', null],
  ['{"fixed": true}', { fixed: true }],
])('the response text %s gives %j', (template, value) => {
  const body = renderResponseBody(template, VARIABLES);
  expect('json' in body && JSON.parse(body.json)).toEqual(value);
});

test.each(['', 'ok', String.raw`{"caf\\": 1}`, '{"a": {n}}', '{"a": {{n}}{{n}}}', '{"a": {{n}}', '{{n}} {{n}}'])(
  'the response body %j is a problem because its result is not JSON',
  (template) => {
    expect(renderResponseBody(template, VARIABLES)).toMatchObject({
      problem: expect.stringMatching(/^body: is not valid JSON/),
    });
  },
);

test('a result that is not JSON is returned with the problem', () => {
  expect(renderResponseBody('{"a": {{n}}{{yes}}', VARIABLES)).toMatchObject({ text: '{"a": 1.5true' });
});

test('rendering stops beyond the maximum length', () => {
  const big = variablesOf({ big: 'x'.repeat(1_000) });
  const body = renderResponseBody(`[${'{{big}},'.repeat(30_000)}0]`, big, 5_000);
  expect('text' in body && body.text.length).toBe(5_015);
  expect(renderResponseBody('["{{big}}"]', big, 1_004)).toHaveProperty('json');
});

test('any text survives unchanged inside and outside quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (v) => {
      const body = renderResponseBody('{"in": "{{v}}", "out": {{v}}}', variablesOf({ v }));
      expect('json' in body && JSON.parse(body.json)).toEqual({ in: v, out: v });
    }),
  );
});
