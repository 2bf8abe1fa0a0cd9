import { variablesOf } from '../../test/fake-variables';
import { renderBody, renderHtml, renderText, renderTypedValue } from './render';

const ORDER = { status: 200, body: { items: [{ sku: 'A' }] } };
const VARIABLES = variablesOf(
  {
    'matrix.total': 1234.5,
    'matrix.note': 'say "hi"\n',
    'matrix.on': false,
    count: 3,
    order: ORDER,
    empty: null,
    braces: '{count}',
    'order.FILE': 'C:\\order.pdf',
    'valor total': 9.5,
  },
  { 'matrix.total': 'Moeda', 'matrix.note': 'Texto', 'matrix.on': 'Verdadeiro/Falso', 'valor total': 'Moeda' },
);

test.each([
  ['{matrix.total}', '1.234,50', '1234.50'],
  ['{valor total}', '9,50', '9.50'],
  ['{count} of {order.status}', '3 of 200', '3 of 200'],
  ['{order.body}', '{"items":[{"sku":"A"}]}', '{"items":[{"sku":"A"}]}'],
  ['{order.body.items.0.sku}', 'A', 'A'],
  ['{order.FILE}', 'C:\\order.pdf', 'C:\\order.pdf'],
  ['[{empty}{order.nothing.here}]', '[]', '[]'],
  ['{matrix.on}', 'false', 'false'],
  ['{braces}', '{count}', '{count}'],
  ['{unknown} {{count}} {"a": 1}', '{unknown} {{count}} {"a": 1}', '{unknown} {{count}} {"a": 1}'],
])('the value %s is %j in the person format and %j in the machine format', (text, person, machine) => {
  expect(renderText(text, VARIABLES, 'person')).toBe(person);
  expect(renderText(text, VARIABLES, 'machine')).toBe(machine);
});

test.each<[string, unknown]>([
  ['{matrix.total}', 1234.5],
  ['{matrix.on}', false],
  ['{order}', ORDER],
  ['{empty}', null],
  ['{order.body.items}', ORDER.body.items],
  ['{valor total}', 9.5],
  ['R$ {matrix.total}', 'R$ 1.234,50'],
  ['{count} ', '3 '],
  ['{{count}}', '{{count}}'],
  ['{unknown}', '{unknown}'],
  ['', ''],
])('the value of the text %j is %j', (text, value) => {
  expect(renderTypedValue(text, VARIABLES).value).toEqual(value);
});

test('a text that is one variable has its type; a field of a value and mixed text have no type', () => {
  expect(renderTypedValue('{matrix.total}', VARIABLES)).toEqual({ value: 1234.5, type: 'Moeda' });
  expect(renderTypedValue('{order.status}', VARIABLES)).toEqual({ value: 200 });
  expect(renderTypedValue('{matrix.total}!', VARIABLES)).toEqual({ value: '1.234,50!' });
});

test('rendering reads only the values that the result contains', () => {
  const read: string[] = [];
  const watched = { ...VARIABLES, get: (name: string) => (read.push(name), VARIABLES.get(name)) };
  renderText('{{order}} {"braces": "{matrix}"} {valor total}', watched, 'person');
  expect(read).toEqual(['valor total']);
});

describe('in HTML', () => {
  const hostile = variablesOf({ text: '<b>"Tom" & \'Jo\'</b>', link: 'x onclick=alert(1) >', plain: 'São_1.5-a' });
  test.each([
    ['<p>{text}</p>', '<p>&#60;b&#62;&#34;Tom&#34; &#38; &#39;Jo&#39;&#60;/b&#62;</p>'],
    ['<a title="{plain}" href={link}>{plain} é {link}</a>', 'href=x&#32;onclick&#61;alert&#40;1&#41;&#32;&#62;>'],
    ['<a title={plain} href={link}>', '<a title=São_1.5-a href=x&#32;onclick&#61;'],
    ['a < b {text} {unknown} <br> {link}', '{unknown} <br> x onclick=alert(1) &#62;'],
  ])('the values of %s are text and never markup', (html, part) => {
    expect(renderHtml(html, hostile)).toContain(part);
  });

  test('Moeda has the Brazilian form in HTML', () => {
    expect(renderHtml('<b>R$ {matrix.total}</b>', VARIABLES)).toBe('<b>R$ 1.234,50</b>');
  });
});

describe('REST bodies', () => {
  test.each<[string, unknown]>([
    ['{"note":"{matrix.note}","n":{count},"m":{matrix.total}}', { note: 'say "hi"\n', n: 3, m: 1234.5 }],
    [
      '{"note":{matrix.note},"e":{empty},"items":{order.body.items}}',
      { note: 'say "hi"\n', e: null, items: [{ sku: 'A' }] },
    ],
    ['{"literal":"{{count}} {unknown}","missing":{unknown}}', { literal: '{{count}} {unknown}', missing: null }],
    ['{"text":"{count} \\"{count}\\" {valor total}"}', { text: '3 "3" 9.50' }],
  ])('the body of a REST call stays JSON for any values: %s', (body, value) => {
    expect(JSON.parse(renderBody(body, VARIABLES))).toEqual(value);
  });

  test.each([
    ['<a b="{matrix.note}">{matrix.total}</a>', '<a b="say "hi"\n">1234.50</a>'],
    ['a={count}&b={matrix.total}', 'a=3&b=1234.50'],
    ['{matrix.note}', 'say "hi"\n'],
    ['{order.body}', '{"items":[{"sku":"A"}]}'],
  ])('the body of a REST call is rendered as plain text when it is no JSON template: %s', (body, text) => {
    expect(renderBody(body, VARIABLES)).toBe(text);
  });

  test('the body of a REST call writes Moeda in a JSON text with two decimal places', () => {
    expect(renderBody('{"m":{matrix.total}}', VARIABLES)).toBe('{"m":1234.50}');
  });

  test('the body of a REST call renders each text of a JSON value; a text that is one variable keeps its type', () => {
    const body = {
      total: '{matrix.total}',
      list: ['{count}', 'n {matrix.total}', 1, null],
      order: '{order}',
      '{count}': true,
    };
    expect(JSON.parse(renderBody(body, VARIABLES))).toEqual({
      total: 1234.5,
      list: [3, 'n 1234.50', 1, null],
      order: ORDER,
      '{count}': true,
    });
  });
});
