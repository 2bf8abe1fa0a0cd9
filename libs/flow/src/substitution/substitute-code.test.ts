import vm from 'node:vm';
import * as fc from 'fast-check';
import { variablesOf } from '../../test/fake-variables';
import { substituteCode } from './substitute-code';

const VARIABLES = variablesOf(
  {
    total: 1234.5,
    debt: -3,
    name: 'Ana "Bia" D\'Ávila',
    empty: null,
    missing: undefined,
    yes: true,
    items: [{ price: 10 }, { price: 2.5 }],
    order: { status: 200, body: { customer: 'ACME', tags: ['a', 'b'] } },
    'matrix.payload': { issue: { title: 'It `works`', labels: [] } },
    'matrix.price': 10,
    'valor total': 7,
    day: new Date('2026-01-02T03:04:05Z'),
    file: Buffer.from('abc'),
    nan: Number.NaN,
    code: '"); process.exit(1); ("',
  },
  { 'matrix.price': 'Moeda' },
);

// One realm for all snippets: a new one takes milliseconds.
const JAVASCRIPT_REALM = vm.createContext({});
const evaluate = (code: string, timeout?: number): unknown => vm.runInContext(code, JAVASCRIPT_REALM, { timeout });
const runSubstituted = (code: string): unknown => ofThisRealm(evaluate(substituteCode(code, VARIABLES)));
const runBody = (code: string): unknown =>
  ofThisRealm(evaluate(`(function () {\n${substituteCode(code, VARIABLES)}\n})()`));
// Objects of another realm have another Object.prototype, which toEqual compares.
const ofThisRealm = (value: unknown): unknown =>
  typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;

describe('outside quotes', () => {
  test.each<[string, unknown]>([
    ['{total} * 2', 2469],
    ['10-{debt}', 13],
    ['10 -{debt}', 13],
    ['{debt}.toFixed(1)', '-3.0'],
    ['{total}.toFixed(0) + 1', '12351'],
    ['{name}', 'Ana "Bia" D\'Ávila'],
    ['{name}.length', 17],
    ['{empty}', null],
    ['{missing}', null],
    ['{nan}', null],
    ['{yes} ? "s" : "n"', 's'],
    ['typeof{total}', 'number'],
    ['{items}.map(i => i.price)', [10, 2.5]],
    ['{items.1.price}', 2.5],
    ['{items.length}', 2],
    ['{order}.body.customer', 'ACME'],
    ['{order.body.customer}', 'ACME'],
    ['{order.body.nothing.at.all}', null],
    ['{order.constructor}', null],
    ['{matrix.payload.issue.title}', 'It `works`'],
    ['{matrix.price} + 1', 11],
    ['{valor total} + 1', 8],
    ['{day}', '2026-01-02T03:04:05.000Z'],
    ['{file}', 'YWJj'],
    ['({ total: {total} })', { total: 1234.5 }],
    ['[{total},{debt}]', [1234.5, -3]],
    ['`${{total}} of {name}`', '1234.5 of Ana "Bia" D\'Ávila'],
    ['{code}', '"); process.exit(1); ("'],
  ])('a value outside quotes becomes a literal: %s', (code, value) => {
    expect(runSubstituted(code)).toEqual(value);
  });
});

describe('inside quotes', () => {
  test.each<[string, unknown]>([
    ['"{name}"', 'Ana "Bia" D\'Ávila'],
    ["'{name}'", 'Ana "Bia" D\'Ávila'],
    ['`{name}`', 'Ana "Bia" D\'Ávila'],
    ['"{name}" == {name}', true],
    ['"{total}"', '1234.5'],
    ['Number("{matrix.price}")', 10],
    ['"{matrix.price}"', '10.00'],
    ['"<{empty}{missing}>"', '<>'],
    ['"{order.body.tags}"', '["a","b"]'],
    ['"{matrix.payload.issue.title}"', 'It `works`'],
    ['`\\${total}`', '$1234.5'],
    ['"\\{total}"', '{total}'],
    ['"\\u{41}"', 'A'],
    ['"a\\\r\n{name}"', 'aAna "Bia" D\'Ávila'],
  ])('a value inside quotes becomes escaped text: %s', (code, value) => {
    expect(runSubstituted(code)).toEqual(value);
  });
});

describe('no reference', () => {
  test.each([
    '({ total })',
    '({total:1})',
    '({a, b})',
    '({unknown})',
    'x => { return 1 }',
    'if (x) {return}',
    '{{total}}',
    '"{{total}}"',
    '"{unknown} { total }"',
    '`${total}`',
    'a /* {total} */ + 1 // {total}',
    '/{total}/.test(x)',
    '/["{total}]/.test(x)',
    'x.replace(/\\d{3}/g, "")',
    'return /{total}/',
    'if (x) /{total}/.exec(x)',
    '() => {}\n/{total}/.exec(x)',
    'x ? {} : /{total}/',
    'switch (x) { case 1: {} /{total}/.exec(x) }',
    '<!-- {total}',
  ])('code without a reference stays unchanged: %s', (code) => {
    expect(substituteCode(code, VARIABLES)).toBe(code);
  });
});

describe('quotes', () => {
  test.each<[string, unknown]>([
    ["// don't\nreturn {total}", 1234.5],
    ['/* " */ return {name}', 'Ana "Bia" D\'Ávila'],
    ['return "a".replace(/["\']/g, "") + {name}', 'aAna "Bia" D\'Ávila'],
    ['return /["]/.test("{name}")', true],
    ['const a = 8, b = 2; return a / b + "/" + {total}', '4/1234.5'],
    ['const a = [8]; return a[0] / 2 + "/{total}"', '4/1234.5'],
    ['return (8) / 2 + "/{total}"', '4/1234.5'],
    ['return {total} / 2 + "/" + {debt} / 3', '617.25/-1'],
    ['let i = 4; return i++ / 2 + "/{total}"', '2/1234.5'],
    ['const o = { return: 4 }; return o.return / 2 + "/{total}"', '2/1234.5'],
    ['if (true) { } /"/.test("x"); return {total}', 1234.5],
    ['const o = { a: { b: 4 } / 2 + "/{total}" }; return o.a', 'NaN/1234.5'],
    ['return `a${ {a: "}`"}.a + `{name}` }b{total}`', 'a}`Ana "Bia" D\'Ávilab1234.5'],
    ['return "\\"" + {name}', '"Ana "Bia" D\'Ávila'],
    ['const f = () => { return 2 }; return f() / 2 + "/{total}"', '1/1234.5'],
    ['return true ? 4 / 2 + "/" + {total} : 1', '2/1234.5'],
    ['return 1. / 2 + "/" + {total}', '0.5/1234.5'],
  ])('quotes in comments, regular expressions and divisions do not open a string: %s', (code, value) => {
    expect(runBody(code)).toEqual(value);
  });
});

test('{JS} at the start is removed and nothing is substituted', () => {
  expect(substituteCode('{JS} const {total} = x; return "{name}"', VARIABLES)).toBe(
    ' const {total} = x; return "{name}"',
  );
  expect(substituteCode(' \n{JS}1', VARIABLES)).toBe('1');
  expect(substituteCode('{total} + "{JS}"', VARIABLES)).toBe('(1234.5) + "{JS}"');
});

test('braces inside a value are not substituted', () => {
  const nested = variablesOf({ a: '{b}', b: 'secret' });
  expect(evaluate(substituteCode('"{a}" + {a}', nested))).toBe('{b}{b}');
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', "'", '`', '\\', '$', '{', '}', '\n', '\r', '\u2028', '\u2029', '/', '*', 'a', '0'),
  }),
);

describe('a value never becomes code', () => {
  test.each(['"{v}"', "'{v}'", '`{v}`', '{v}', '`${{v}}`', '`$\\{v}`.slice(0, 0) + "{v}"', '"\\0{v}".slice(1)'])(
    'code with a reference to a value evaluates to exactly that value: %s',
    (code) => {
      fc.assert(
        fc.property(anyText, (v) => {
          expect(evaluate(substituteCode(code, variablesOf({ v })))).toBe(v);
        }),
      );
    },
  );

  test('an expression evaluates to any JSON value unchanged, __proto__ keys included', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (v) => {
        const out = evaluate(`JSON.stringify(${substituteCode('{v}', variablesOf({ v }))})`);
        expect(out).toBe(JSON.stringify(v));
      }),
    );
    const v: unknown = JSON.parse('{"__proto__": {"admin": true}}');
    expect(evaluate(`${substituteCode('{v}', variablesOf({ v }))}.admin`)).toBeUndefined();
  });

  test('a value calls no function, in any surrounding code', () => {
    const around = fc.string({
      unit: fc.constantFrom(
        '"',
        "'",
        '`',
        '/',
        '{v}',
        '${',
        '}',
        '{',
        ' ',
        'a',
        '1',
        '+',
        '(',
        ')',
        '\n',
        '*',
        ';',
        '[',
        ']',
        ':',
      ),
    });
    const attack = fc.constantFrom(
      'attack()',
      '";attack();"',
      "'+attack()+'",
      '${attack()}',
      '`;attack()//',
      '/;attack();/',
      '*/attack()/*',
      '\nattack()\n',
    );
    fc.assert(
      fc.property(around, attack, (code, v) => {
        let attacked = false;
        try {
          // These globals are set again for each run, because the code of an earlier run may have changed them.
          Object.assign(JAVASCRIPT_REALM, { attack: () => (attacked = true), a: 1 });
          evaluate(substituteCode(code, variablesOf({ v })), 50);
        } catch {
          // Most random code does not parse; the test is that the value did not run.
        }
        expect(attacked).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
