import type { ProcessAnswer } from '../../api/generated/console-api';
import { startRefusalsOf, type CallKind, type StartCheck } from './refusals';

const process: ProcessAnswer = {
  processID: 'p',
  processName: 'Orders',
  description: '',
  environmentID: 'e',
  active: true,
  paused: false,
  currentVersion: 1,
  owned: true,
  apiPermission: 'LIBERADO',
  apiAccess: true,
  avgHumanTime: '00:00:00',
  avgOperatorCost: 0,
  createdAt: '2026-11-27T12:00:00.000Z',
  matrix: [],
};
const online = { environmentID: 'e', name: 'Robots', online: true };
const offline = { ...online, online: false };

type Code = StartCheck['refusals'][number]['code'];

const check = (code: Code, environment?: StartCheck['environment']): StartCheck => ({
  refusals: [{ code, message: '' }],
  environment,
});

const namesOf = (changed: Partial<ProcessAnswer>, checked?: StartCheck, call: CallKind = 'api') =>
  startRefusalsOf({ process: { ...process, ...changed }, check: checked, call }).map(({ name }) => name);

test.each<[string, Partial<ProcessAnswer>]>([
  ['inactive', { active: false }],
  ['unpublished', { currentVersion: 0 }],
  ['blocked', { apiPermission: 'BLOQUEADO' }],
  ['plan', { apiAccess: false }],
  ['noEnvironment', { environmentID: null }],
])('a setting that refuses calls is named without a dry run: %s', (name, changed) => {
  expect(namesOf(changed)).toEqual([name]);
  expect(namesOf({})).toEqual([]);
});

test.each<[string, StartCheck]>([
  ['ownerBlocked', check('OWNER_INACTIVE', online)],
  ['unreached', check('INVALID_ENVIRONMENT')],
  ['noCredits', check('INSUFFICIENT_CREDITS', online)],
  ['noAgent', check('AGENT_OFFLINE', offline)],
  ['noAbility', check('AGENT_OFFLINE', online)],
  ['queueFull', check('RATE_LIMITED', online)],
])('a refusal that only a dry run finds is named: %s', (name, checked) => {
  expect(namesOf({}, checked)).toEqual([name]);
});

test('the plan of the owner refuses production URLs, but not the starts of others, whose own plans count', () => {
  const shared = { apiAccess: false, owned: false };
  expect(namesOf(shared, undefined, 'webhook')).toEqual(['plan']);
  expect(namesOf(shared, undefined, 'api')).toEqual([]);
});

test.each<[Code, Partial<ProcessAnswer>, string[]]>([
  ['PROCESS_NOT_PUBLISHED', { currentVersion: 0 }, ['unpublished']],
  ['INVALID_ENVIRONMENT', { environmentID: null }, ['noEnvironment']],
  ['INVALID_MATRIX', {}, []],
])(
  'a code of a dry run is not named when a setting explains it or when it is about the values of a call: %s',
  (code, changed, names) => {
    expect(namesOf(changed, check(code))).toEqual(names);
  },
);
