import { FAILURE_PATTERNS, type CONNECTION_TEXTS, type FAILURE_TEXTS } from './failure-texts';
import { matchOf } from './message-patterns';

type TextName = keyof typeof FAILURE_TEXTS | keyof typeof CONNECTION_TEXTS;

/**
 * What a failure means for the owner of the process, who decides by it what to do: another system was `unreachable` or `refused` the
 * request, a web `page` or the `flow` is not as it must be, the `code` of a step uses a name that does not exist, the `agent` or its machine
 * failed, lacks or forbids something, the `limit` of executed steps was reached, the agent or a report of it was `lost`, or the effect of the
 * step is `uncertain`. `other` = a message that is not known, such as that of another program, or that belongs to no other kind.
 */
export type FailureKind =
  | 'unreachable'
  | 'refused'
  | 'page'
  | 'flow'
  | 'code'
  | 'limit'
  | 'agent'
  | 'lost'
  | 'uncertain'
  | 'other';

/**
 * The kind of each text. A text with a reason has the kind of the reason unless that is `other`; KINDS_WHATEVER_THE_REASON are exceptions. A
 * text in no list is `other` without such a reason; that of an HTTP answer has the kind of its status.
 */
const KINDS: [kind: FailureKind, names: TextName[]][] = [
  [
    'unreachable',
    [
      'callFailed',
      'callLate',
      'closedEarly',
      'connectionClosed',
      'databaseLate',
      'databaseUnreached',
      'downloadFailed',
      'downloadIncomplete',
      'downloadLate',
      'mailFailed',
      'mailLate',
      'nameUnresolved',
      'nameWithoutAddress',
      'noAddress',
      'noAddressBecause',
      'noAnswer',
      'refused',
      'severalRefused',
      'late',
      'unreachable',
      'noNetwork',
      'unknownName',
      'noNameServer',
      'unaskedContinue',
      'unaskedUpgrade',
      'reset',
      'closed',
      'hungUp',
      'expired',
    ],
  ],
  [
    'refused',
    [
      'commitRefused',
      'databaseFailed',
      'driverWithoutReason',
      'mailNoLogin',
      'redirectedNowhere',
      'redirectedTooOften',
      'redirectedWithLogin',
      'statementFailed',
      'tooManyEncodings',
    ],
  ],
  [
    'page',
    [
      'actionFailed',
      'covered',
      'disabled',
      'endlessDialogs',
      'found',
      'manyElements',
      'manyFound',
      'moving',
      'noDownload',
      'noDownloadOfPdf',
      'noOption',
      'notDone',
      'notDoneBecause',
      'notEditable',
      'nothingFound',
      'noTab',
      'notText',
      'notVisible',
      'outside',
      'pageCrashed',
      'pageNotLoaded',
      'pageSilent',
      'pageStuck',
    ],
  ],
  [
    'flow',
    [
      'addressCharacters',
      'addressGroup',
      'badPort',
      'callTooLarge',
      'condition',
      'conditionLine',
      'connectionCharacters',
      'connectionForm',
      'connectionParameter',
      'connectionPercent',
      'connectionUser',
      'connectionValue',
      'databaseTooLarge',
      'downloadTooLarge',
      'errorCondition',
      'errorConditionLine',
      'field',
      'fieldLine',
      'fieldNotAddress',
      'fieldValidation',
      'fieldValidationLine',
      'filesInForm',
      'filesTooLarge',
      'fileTooLarge',
      'headerLineBreak',
      'headerOfForm',
      'headerOfStep',
      'headerText',
      'lineBreak',
      'loginInAddress',
      'longDecimal',
      'mailServerForm',
      'mailServerLogin',
      'mailServerParameter',
      'mailServerPercent',
      'mailServerTls',
      'manyRecipients',
      'manyTableRows',
      'noBodyAllowed',
      'noPicture',
      'noRecipient',
      'notAddress',
      'notAddresses',
      'notDefined',
      'notHeaderName',
      'nothingToWaitFor',
      'notOneFile',
      'notSettable',
      'notVariable',
      'notWebAddress',
      'oneSender',
      'pageTextTooLong',
      'pictureDamaged',
      'pictureTooLarge',
      'pictureTooLong',
      'placeholders',
      'ranTooLong',
      'resultTooLarge',
      'script',
      'scriptLine',
      'scriptMemory',
      'serverName',
      'tableTooLarge',
      'tooDeep',
      'tooFast',
      'tooManyRows',
      'validation',
      'validationLine',
      'variable',
      'variableLine',
    ],
  ],
  ['limit', ['limit']],
  [
    'agent',
    [
      'agentFailed',
      'browserEnded',
      'browserNotStarted',
      'browserSandbox',
      'browserWithoutPage',
      'engineEnded',
      'engineFailed',
      'hostDenied',
      'hostLocal',
      'hostNotAllowed',
      'missingBrowserPackage',
      'missingDriver',
      'missingOcrPackages',
      'noBrowser',
      'noTls',
      'notTrusted',
      'processDied',
      'processEnded',
      'processKilled',
      'processMemory',
      'processTime',
      'processUnstarted',
      'proxyLogin',
      'proxyStatus',
      'sandboxFailed',
      'selfSigned',
      'tlsFailed',
      'unknownIssuer',
      'unknownType',
      'unopened',
      'untrusted',
    ],
  ],
  ['lost', ['lost', 'notHeld', 'reportMissing', 'reportNotStored', 'reportRefused', 'shutDown']],
  ['uncertain', ['commitFailed', 'commitLate', 'mailMaybeSent']],
];

const KIND_OF = new Map<string, FailureKind>(KINDS.flatMap(([kind, names]) => names.map((name) => [name, kind])));

/**
 * The kinds of texts whose reason is not looked at (but for MISTAKE_IN_CODE): the code of a `flow` may throw any text, and the reason of an
 * `uncertain` text says less than the text.
 */
const KINDS_WHATEVER_THE_REASON: FailureKind[] = ['flow', 'uncertain'];
/** The error of code that uses a name which does not exist there. A SyntaxError is not matched, because `JSON.parse` of a value throws it as well. */
const MISTAKE_IN_CODE = /^ReferenceError: /;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

/** The kind of a failure, by its English message without the name of the step. */
export function failureKind(message: string): FailureKind {
  const found = matchOf(message, FAILURE_PATTERNS);
  if (!found) return 'other';
  const name = found.key.slice(found.key.indexOf('.') + 1);
  const { reason, n } = found.values;
  if (name === 'answeredError' || name === 'answeredStatus') return kindOfStatus(Number(n));
  const kind = KIND_OF.get(name) ?? 'other';
  if (kind === 'flow' && reason !== undefined && MISTAKE_IN_CODE.test(reason)) return 'code';
  if (reason === undefined || KINDS_WHATEVER_THE_REASON.includes(kind)) return kind;
  const inner = failureKind(reason);
  return inner === 'other' ? kind : inner;
}

/** A system that fails or has too much to do may answer later; any other status is about the request. */
function kindOfStatus(status: number): FailureKind {
  return status >= FIRST_SERVER_ERROR || status === TOO_MANY_REQUESTS ? 'unreachable' : 'refused';
}
