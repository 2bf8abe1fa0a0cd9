import { PERMISSIONS, requireGranted } from '@batuta/auth';
import { ERROR_CODES } from '@batuta/errors';
import { variableNameProblem } from '@batuta/matrix';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESOURCE_KINDS } from '../../../apps/console/src/http/not-found';
import { ROLES } from '../../../apps/console/src/registry/account.entity';
import { refuseWhileActive } from '../../../apps/console/src/registry/refuse-while-active';
import { messageOfFullQuota, QUOTAS } from '../../../libs/catalog/src/quota';
import { acceptedAs } from '../../../apps/execution/src/acceptance/decision';
import {
  FULL_QUOTAS,
  INACTIVE_ACCOUNTS,
  LACKED_PERMISSIONS,
  MISSING_RESOURCES,
  patternsOf,
  REFUSAL_RULES,
  REFUSED_STATES,
  ruleOf,
} from '../../../apps/console-web/src/common/refusal-text';
import english from '../../../apps/console-web/src/common/locales/en.json';
import portuguese from '../../../apps/console-web/src/common/locales/pt-BR.json';

const ROOT = join(__dirname, '../../..');

/** Codes of errors that occur in the page itself and in no answer of an API. */
const PAGE_CODES = ['UNREACHABLE', 'UNREADABLE', 'FAULT', 'FILE_REFUSED', 'ORIGINS_ALIKE'];

test.each([
  ['Portuguese', portuguese],
  ['English', english],
])('every error code has a text in %s', (_, texts) => {
  expect(Object.keys(texts.errors.codes).toSorted()).toEqual([...Object.keys(ERROR_CODES), ...PAGE_CODES].toSorted());
});

/** The source files whose refusals the management API answers. */
const services = globSync(
  '{apps/{console,schedule,webhook,execution},libs/{database,http,matrix,messaging}}/src/**/*.ts',
  {
    cwd: ROOT,
  },
)
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'));

test('every refusal of the API for a resource that does not exist has a translation', () => {
  const { PROCESS_NOT_FOUND, INSTANCE_NOT_FOUND, SCHEDULE_NOT_FOUND } = ERROR_CODES;
  const codes = [PROCESS_NOT_FOUND, INSTANCE_NOT_FOUND, SCHEDULE_NOT_FOUND].map(({ when }) => when);
  const texts = [...RESOURCE_KINDS.map((kind) => `No such ${kind}.`), ...codes];
  expect(Object.values(MISSING_RESOURCES).toSorted()).toEqual(texts.toSorted());
});

test('every refusal of the API for an inactive account or owner has a translation', () => {
  const sources = globSync('{apps/*,libs/*}/src/**/*.ts', { cwd: ROOT, exclude: (file) => file.endsWith('.test.ts') });
  const texts = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/ApiError\('OWNER_INACTIVE', '(.+)'\)/g)].map(
      ([, text]) => text,
    ),
  );
  expect(new Set<string | undefined>(texts)).toEqual(new Set(Object.values(INACTIVE_ACCOUNTS)));
});

test('every refusal of the API for a permission that a share lacks has a translation', () => {
  const texts = PERMISSIONS.map((permission) => [permission, messageOf(() => requireGranted(undefined, permission))]);
  expect(LACKED_PERMISSIONS).toEqual(Object.fromEntries(texts));
});

test('every refusal of the API for a full quota has a translation', () => {
  const translated = Object.entries(FULL_QUOTAS).map(([kind, text]) => [kind, text.replace('{{a}}', '7')]);
  const refusals = Object.entries(QUOTAS).map(([kind, rule]) => [kind, messageOfFullQuota(rule, 7)]);
  expect(Object.fromEntries(translated)).toEqual(Object.fromEntries(refusals));
});

// If the API changes a text, the rule no longer translates it, and it appears in English on Portuguese pages.
test.each(Object.entries(REFUSAL_RULES))(
  'the API still has the text that the translation rule "%s" expects',
  (_, text) => {
    const parts = text.split(/\{\{\w\}\}/).filter((part) => part !== '');
    expect(services.some((code) => parts.every((part) => code.includes(part.trim())))).toBe(true);
  },
);

test('a reserved name of a variable is refused with the text that its translation expects', () => {
  expect(variableNameProblem('__proto__')).toBe(REFUSAL_RULES.reserved);
});

test('every role that a refusal may name has a translation', () => {
  expect(Object.keys(portuguese.errors.roles).toSorted()).toEqual(ROLES.toSorted());
});

/** The refused states whose texts the API puts together from parts. */
const COMPOSED_STATES = ['offline', 'lacking', 'processActive', 'environmentActive'];

test.each(Object.entries(REFUSED_STATES).filter(([name]) => !COMPOSED_STATES.includes(name)))(
  'the API still has the text that the translation of the refused state "%s" expects',
  (_, text) => {
    // A shorter part is found in any file.
    const parts = text.split(/\{\{\w\}\}/).filter((part) => part.length > 10);
    expect(parts).not.toEqual([]);
    expect(services.some((code) => parts.every((part) => code.includes(part)))).toBe(true);
  },
);

test.each([
  ['offline', false, undefined],
  ['lacking', true, 'No connected agent of the environment "Plant" runs browser steps'],
])(
  'a start that no agent can run is refused with the text that the translation of the state "%s" expects',
  (rule, online, missing) => {
    const environment = {
      environmentID: 'e',
      name: 'Plant',
      accountID: 'a',
      companyID: 'c',
      shared: false,
      offlineFlow: false,
      online,
    };
    const message = messageOf(() => acceptedAs({ environment, missing }));
    expect(ruleOf(message, patternsOf(REFUSED_STATES))?.rule).toBe(rule);
  },
);

test.each([
  ['processActive', { processID: 'p' }],
  ['environmentActive', { environmentID: 'e' }],
] as const)(
  'the refusal of a deletion has the text that the translation of the state "%s" expects',
  async (rule, of) => {
    const rpc = Object({ call: async () => ({ active: 2 }) });
    const message = REFUSED_STATES[rule].replace('{{a}}', '2');
    await expect(refuseWhileActive(rpc, of)).rejects.toMatchObject({ message });
  },
);

/** The message of the error that the call throws. */
function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'no error';
}
