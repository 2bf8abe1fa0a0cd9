import { i18n } from '../i18n/instance';

/**
 * What the API says about a refused field, after the field's name. Each has a translation, `errors.rules.<name>`, with the same
 * placeholders; the English one is the same text.
 */
export const REFUSAL_RULES = {
  required: 'is required',
  empty: 'is empty',
  tooShort: 'has fewer than {{a}} characters',
  tooLong: 'is longer than {{a}} characters',
  length: 'must have {{a}} to {{b}} characters',
  control: 'has control characters',
  atLeast: 'must be at least {{a}}',
  atMost: 'must be at most {{a}}',
  wholeRange: 'must be a whole number from {{a}} to {{b}}',
  whole: 'must be a whole number',
  decimals: 'has more than two decimals',
  items: 'has more than {{a}} items',
  oneOf: 'must be one of {{a}}',
  text: 'must be a text',
  list: 'must be a list',
  object: 'must be an object',
  boolean: 'must be true or false',
  email: 'is not an e-mail address',
  past: 'is in the past',
  https: 'must begin with https://',
  id: 'is not an id',
  samePassword: 'must differ from the current password',
  isOwner: 'is the owner of the process',
  noProcess: 'the company has no such process',
  noSchedule: 'no such schedule',
  noVariable: 'no such variable in this process',
  cronFields: 'must have five fields: minute, hour, day of month, month, day of week',
  cronNever: 'matches no date: none of its months has one of its days',
  number: '{{a}} is not a number',
  money: '{{a}} is not an amount of money',
  truth: '{{a}} is neither true nor false',
  json: '{{a}} is not a JSON object or list',
  isList: '{{a}} is not a list',
  tooBig: '{{a}} is too big to be held exactly',
  accountTaken: 'another account has it',
  planTaken: 'another plan has it',
  environmentReach: 'the environment {{a}} does not exist or is out of reach.',
  vaultReach:
    "the flow reads the vault of the owner of the process, and the environment {{a}} is neither the owner's nor shared with the owner's company.",
  vaultSize: 'the values of the vault may have 512 KB together; remove or shorten one first',
} as const;

/**
 * What the API says to an account that may not act, or of an owner who may not. Each has a translation, `errors.inactive.<name>`; the
 * English one is the same text.
 */
export const INACTIVE_ACCOUNTS = {
  account: 'The account is blocked.',
  company: 'The company of the account is suspended.',
  owner: 'The owner of the process has no active access.',
} as const;

/**
 * What the API says when a share lacks a permission. Each has a translation, `errors.lackedPermissions.<name>`; the English one is the same
 * text.
 */
export const LACKED_PERMISSIONS = {
  execute: 'The share lacks the permission execute.',
  edit: 'The share lacks the permission edit.',
  api: 'The share lacks the permission api.',
  schedule: 'The share lacks the permission schedule.',
  delete: 'The share lacks the permission delete.',
  share: 'The share lacks the permission share.',
} as const;

/** What the API says when a resource does not exist. Each has a translation, `errors.missing.<name>`; the English one is the same text. */
export const MISSING_RESOURCES = {
  account: 'No such account.',
  capture: 'No such capture.',
  company: 'No such company.',
  credential: 'No such credential.',
  environment: 'No such environment.',
  eventSubscription: 'No such event subscription.',
  instance: 'No such instance.',
  picture: 'No such picture.',
  plan: 'No such plan.',
  process: 'No such process.',
  processKey: 'No such process key.',
  visibleInstance: 'No such instance, or not visible to the caller.',
  visibleSchedule: 'No such schedule, or not visible to the caller.',
  webhookOrigin: 'No such webhook origin.',
} as const;

/**
 * What the API says about the state for which it refuses a call. Each has a translation, `errors.states.<name>`, with the same placeholders; the
 * English one is the same text.
 */
export const REFUSED_STATES = {
  noCredits: 'The company that owns the process has no credits left; nothing was queued.',
  inactive: 'The process is inactive.',
  unpublished: 'No version of the process is published.',
  noEnvironment: 'The process has no environment registered; correct it in the registration of the process.',
  unreachedEnvironment:
    "The environment {{a}} registered on the process is out of its owner's reach; correct it in the registration of the process.",
  offline: 'The environment "{{a}}" is offline and keeps no queue for pending executions.',
  lacking: '{{a}}, and it keeps no queue for pending executions.',
  queueFull:
    'The environment "{{a}}" has as many queued instances as it may have ({{b}}, setting QUEUED_PER_ENVIRONMENT); connect agents, or stop instances.',
  processActive: 'The process has {{a}} queued or running instances.',
  environmentActive: 'The environment has {{a}} queued or running instances.',
  origins: 'A process has at most {{a}} webhook origins; remove one first.',
} as const;

const USUAL_PATTERNS = patternsOf(REFUSAL_RULES);

/** For each rule a pattern of its text, with a named group for each placeholder. */
export function patternsOf(rules: Record<string, string>): { rule: string; pattern: RegExp }[] {
  return Object.entries(rules).map(([rule, text]) => ({ rule, pattern: patternOf(text) }));
}

/** The rule that a refusal such as `is longer than 120 characters` states, with its values; undefined for any other text. */
export function ruleOf(
  problem: string,
  patterns = USUAL_PATTERNS,
): { rule: string; values: Record<string, string> } | undefined {
  for (const { rule, pattern } of patterns) {
    const found = pattern.exec(problem);
    if (found) return { rule, values: { ...found.groups } };
  }
  return undefined;
}

/** The refusal in the user's language, or as the API wrote it if it states no known rule. */
export function refusalText(problem: string): string {
  const known = ruleOf(problem);
  return known ? i18n.t(`errors.rules.${known.rule}`, known.values) : problem;
}

function patternOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{\{(\w+)\}\}/g, '(?<$1>.*)')}$`, 's');
}
