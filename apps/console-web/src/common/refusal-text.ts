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
  nothingSaved: 'nothing was saved that could run',
  versionChanged: 'another version was published meanwhile',
  secretsAgain: 'the values of Secretos are not kept; send {{a}} again',
  notPassword: 'is not the password of the account',
  noPlan: 'no such plan',
  ownBlock: 'an administrator cannot block itself',
  ownerChanges: 'only the owner changes it',
  administratorChanges: 'only an administrator changes it',
  notOfAdministrator: 'the environment does not belong to an administrator',
  grant: 'only an account with this permission grants it',
  notShared: 'the process is not shared with it',
  noVaultKey: 'the vault has no such key',
  truncated: 'is truncated and cannot be mapped',
  noSecreto: 'a schedule takes no Secreto; put it into the vault and refer to it as {vault.KEY}',
  digit: 'starts with a digit',
  letters: 'has something other than letters without accents, digits and underscores',
  systemVariable: 'is the name of a system variable',
  otherVariable: 'is the name of another variable',
  unknownVariable: 'is no variable of this process',
  defaultTooLong: 'the default is longer than {{a}} characters',
  ownerReach: 'the environment {{a}} is out of reach of the owner of the process, as whom its schedules run.',
  registeredReach: '{{a}} does not exist or is out of reach of the owner of the process',
  humanTime: 'must be HH:MM:SS, such as 00:15:00',
  reserved: 'is reserved',
  twice: 'comes twice',
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
  late: 'The start arrived after its deadline; it was not carried out.',
  lateSchedule: 'The request arrived after its deadline; no schedule was created.',
  unknownOutcome: 'Nobody could say in time whether it was started; look before you repeat it.',
  unreadValues:
    'The values of the instance cannot be read, for example because their key was removed from the service; run the process with new values.',
  unkeptValues: 'The values of the instance are not kept; run the process with new values.',
  debugRun: 'A debug run is repeated from its capture.',
  noVersion: 'The process has no version {{a}}.',
  unsavedMapping: 'The mapping has changes that were not saved, of the origin {{a}}.',
  versions: 'A process has at most {{a}} versions (setting QUOTA_VERSIONS); continue in a new process.',
  vaultKeys: 'The vault holds {{a}} keys and no more; remove one first.',
  role: 'An account with the role {{a}} may not do this.',
  notOwner: 'Only the owner of the process may do this.',
  foreignEnvironment: 'The environment belongs to someone else.',
  passwordChanged: 'The password was changed by another call.',
  operatorPassword: 'The password of the operator is the setting OPERATOR_PASSWORD of the console.',
  oneTimeExpired: 'The one-time password has expired; ask an administrator for another.',
  subscriptionOff: 'The subscription is switched off; switch it on first.',
  otherTest: 'Another test is in progress; try again.',
  creatorRight: 'Who created the schedule may no longer schedule the process; it can only be switched off and removed.',
  noScheduling: 'The plan of the company that owns the process does not include scheduling.',
  databaseBusy: 'The database is busy for the moment; try again.',
  databaseAway: 'The database is away for the moment; try again.',
  databaseSlow: 'The database did not answer in time; try again.',
  databaseFull: 'The disk of the database is full for the moment; try again.',
  messageBusAway: 'The message bus is away for the moment; try again.',
  picturesAway: 'The store of the pictures is away for the moment; try again.',
  noAnswer: 'No service answered {{a}} in time; try again.',
  logins: 'Too many logins at once; try again.',
  passwords: 'Too many passwords are being checked at once; try again.',
  waiting: 'Too many requests wait; nothing was stored. Try again.',
  pages: 'Many large pages are being read; try again in a second.',
  companyPages: 'The company reads many large pages at the same time; try again in a second.',
  inProgress: 'The company has too many calls in progress; send fewer at a time.',
  accountCalls:
    'More than {{a}} calls in a minute with this account (setting CALLS_PER_MINUTE); wait for the next minute.',
  companyCalls:
    'More than {{a}} calls in a minute with all accounts of the company (setting COMPANY_CALLS_FACTOR); wait for the next minute.',
  refusedLogins: 'More than {{a}} refused logins in a minute (setting LOGIN_FAILURES_PER_MINUTE); wait a minute.',
  accountLogins: 'More than {{a}} logins of an account in a minute (setting LOGINS_PER_MINUTE); wait a minute.',
  addressLogins: 'More than {{a}} logins from an address in a minute (setting LOGINS_PER_ADDRESS); wait a minute.',
  passwordResets:
    'More than {{a}} password resets of a company in a minute (setting PASSWORD_RESETS_PER_MINUTE); wait a minute.',
} as const;

/**
 * What the API says when a company has as many objects of a kind as it may have. Each has a translation, `errors.quotas.<name>`, with the same
 * placeholder; the English one is the same text.
 */
export const FULL_QUOTAS = {
  accounts: 'A company has at most {{a}} accounts (setting QUOTA_ACCOUNTS); ask the operator to raise it.',
  environments: 'A company has at most {{a}} environments (setting QUOTA_ENVIRONMENTS); delete one first.',
  processes: 'A company has at most {{a}} processes (setting QUOTA_PROCESSES); delete one first.',
  versions:
    'A company has at most {{a}} versions of its processes (setting QUOTA_COMPANY_VERSIONS); delete a process that is no longer needed.',
  credentials: 'A company has at most {{a}} usable credentials (setting QUOTA_CREDENTIALS); revoke one first.',
  processKeys: 'A company has at most {{a}} usable process keys (setting QUOTA_PROCESS_KEYS); revoke one first.',
  shares: 'A company has at most {{a}} shares of its processes (setting QUOTA_SHARES); remove one first.',
  vaultKeys: 'A company has at most {{a}} vault keys (setting QUOTA_VAULT_KEYS); remove one first.',
  schedules: 'A company has at most {{a}} schedules of its processes (setting QUOTA_SCHEDULES); remove one first.',
  origins: 'A company has at most {{a}} webhook origins (setting QUOTA_ORIGINS); remove one first.',
  eventSubscriptions:
    'A company has at most {{a}} event subscriptions (setting QUOTA_EVENT_SUBSCRIPTIONS); remove one first.',
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
