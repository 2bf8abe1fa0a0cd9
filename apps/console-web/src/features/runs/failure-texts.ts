import type { RunAnswerItem } from '../../api/generated/console-api';
import { refusalText } from '../../common/refusal-text';
import { i18n } from '../../i18n/instance';
import { patternsOf, translateMessage } from './message-patterns';
import { logMessageOf } from './run-log';

/**
 * What the agent and the services write about the failure of a step or a run, by the name of the translation in `failureTexts`. A message gets
 * the first text that fits, so an exact one stands before a general one. Placeholders of one letter are numbers, `reason` is another failure, and
 * `message-patterns.ts` says what the others are.
 */
export const FAILURE_TEXTS = {
  failed: 'The execution failed: {{reason}}',
  answeredError: '{{call}} answered {{n}}: {{text}}',
  answeredStatus: '{{call}} answered {{n}}',
  actionFailed: 'action {{n}} ({{word}}): {{reason}}',
  statementFailed: 'statement {{n}}: {{reason}}',
  databaseFailed: 'the database: {{reason}}',
  databaseUnreached: 'cannot connect to the database at {{address}}: {{reason}}',
  commitFailed: 'COMMIT failed, and if the connection was lost, the changes may have taken effect: {{reason}}',
  commitRefused: 'the database refused COMMIT and rolled the transaction back: {{reason}}',
  commitLate: 'the database did not confirm COMMIT within {{n}} s, so the changes may have taken effect',
  mailMaybeSent: '{{reason}}; the server may have accepted the message, so it is not sent again',
  mailFailed: 'mail server {{address}}: {{reason}}',
  mailLate: 'mail server {{address}} did not answer within {{n}} s {{text}}',
  mailNoLogin: 'mail server {{address}} offers no login, but its address has a user',
  conditionLine: 'condition of route {{n}} (line {{m}}): {{reason}}',
  condition: 'condition of route {{n}}: {{reason}}',
  errorConditionLine: 'condition of onError {{n}} (line {{m}}): {{reason}}',
  errorCondition: 'condition of onError {{n}}: {{reason}}',
  variableLine: 'variable {{word}} (line {{n}}): {{reason}}',
  variable: 'variable {{word}}: {{reason}}',
  fieldLine: 'field {{word}} (line {{n}}): {{reason}}',
  field: 'field {{word}}: {{reason}}',
  fieldValidationLine: 'validation of the field {{word}} (line {{n}}): {{reason}}',
  fieldValidation: 'validation of the field {{word}}: {{reason}}',
  validationLine: 'validation (line {{n}}): {{reason}}',
  validation: 'validation: {{reason}}',
  scriptLine: 'script (line {{n}}): {{reason}}',
  script: 'script: {{reason}}',
  ranTooLong: 'it ran longer than {{n}} s',
  scriptMemory: 'it needs more memory than a script may have',
  tooDeep: 'it calls itself or nests values too deeply',
  sandboxFailed: 'the sandbox failed while it ran',
  resultTooLarge: 'the result is larger than {{n}} bytes',
  notSettable: 'is a system variable and cannot be set',
  notDefined: 'is assigned but does not exist',
  callFailed: '{{call}} failed: {{reason}}',
  callLate: '{{call}} did not answer within {{n}} s',
  callTooLarge: '{{call}} answered with more than {{n}} bytes',
  throughProxy: '{{word}} {{address}} through the proxy {{text}}',
  proxyLogin:
    'the proxy answered with status {{n}}; the address of the proxy in the settings of the agent needs its user and password',
  proxyStatus: 'the proxy answered with status {{n}}',
  nameWithoutAddress: 'the name "{{word}}" has no address (ENOTFOUND)',
  nameUnresolved: 'no name server says which address the name "{{word}}" has (EAI_AGAIN)',
  closedEarly: 'the connection was closed before the answer was complete',
  unaskedContinue: 'the server answered 100 Continue, which only a call with the header Expect asks for',
  unaskedUpgrade: 'the server switched to another protocol, for which the call did not ask',
  tooManyEncodings: 'the answer has more than {{n}} encodings',
  tooFast: 'the answer arrives too fast',
  connectionClosed: 'the connection was closed',
  notTrusted: 'the certificate is not trusted ({{word}}); --ca-file of the agent adds the authorities to trust',
  // Releases of the agent differ in the words for this failure.
  noTls: 'no TLS with this server: {{text}}',
  tlsFailed: 'TLS failed: {{text}}',
  noAnswer: 'no answer within {{n}} s',
  notWebAddress: '"{{text}}" is not an http or https address',
  notAddress: '"{{text}}" is not an address',
  noAddressBecause: 'the name "{{word}}" has no address: {{reason}}',
  noAddress: 'the name "{{word}}" has no address',
  hostNotAllowed:
    "the agent does not connect to {{text}}, port {{n}}: it is not in the agent's list of allowed hosts (setting {{word}})",
  hostDenied:
    "the agent does not connect to {{text}}, port {{n}}: it is in the agent's list of denied hosts (setting {{word}})",
  hostLocal:
    'the agent does not connect to {{text}}, port {{n}}: it is a metadata service or link-local address, which only an entry for exactly this host in the setting {{word}} allows',
  databaseLate: 'the database did not finish within {{n}} s',
  databaseTooLarge: 'the database answered with more than {{n}} bytes: read less at a time',
  tooManyRows: 'the result has more than {{n}} rows (maxRows): read fewer, or raise it',
  notDoneBecause: 'not done within {{n}} s: {{reason}}',
  notDone: 'not done within {{n}} s',
  covered: 'another element covers it',
  notVisible: 'the element is not visible',
  disabled: 'the element is disabled',
  moving: 'the element keeps moving',
  notEditable: 'the element cannot be edited',
  outside: 'the element is outside of the window',
  noOption: 'the list has no such option',
  found: 'the element was found',
  nothingFound: 'the selector finds nothing',
  manyFound: 'the selector finds {{n}} elements: make it more precise, or say which by nth',
  pageSilent: 'the page did not react within {{n}} s',
  pageNotLoaded: 'the page was not loaded',
  noDownload: 'no download began within {{n}} s',
  noDownloadOfPdf: 'no download began within {{n}} s: the browser shows the PDF and does not download it',
  redirectedTooOften: 'redirected more than {{n}} times',
  redirectedNowhere: 'redirected to something that is not an http or https address',
  redirectedWithLogin: 'redirected to an address with a user or a password',
  noTab: 'there is no tab {{n}}; the last one is {{m}}',
  manyElements: 'the selector finds more than {{n}} elements',
  manyTableRows: 'the table has more than {{n}} rows',
  tableTooLarge: 'the table is too large: {{n}} rows with {{m}} columns',
  notText: 'the page gives something else than text there',
  pageTextTooLong: 'the page shows more than {{n}} characters there: read less at a time',
  nothingToWaitFor: 'needs a selector, a text or a url',
  downloadTooLarge: 'the download {{text}} has more than {{n}} bytes',
  downloadLate: 'the download {{text}} did not end within the time of the step',
  downloadFailed: 'the download {{text}} failed: {{reason}}',
  downloadIncomplete: 'the server answered with an error, or did not send the whole file',
  browserNotStarted: 'the browser {{text}} does not start: {{reason}}',
  browserWithoutPage: 'the browser {{text}} does not open a page: {{reason}}',
  browserSandbox:
    'its sandbox does not work here; let unprivileged users make namespaces, or set {{word}} where pages are trusted',
  browserEnded: 'the browser ended',
  pageCrashed: 'the page crashed',
  pageStuck: 'the page does not react',
  endlessDialogs: 'the page opens dialogs without end',
  noBrowser: 'this machine has no browser: install Chromium, or name one by {{word}} of the agent',
  missingDriver:
    "the agent's machine lacks the package {{word}}, which this connection needs: install it beside the agent (npm install {{address}})",
  missingBrowserPackage:
    "the agent's machine lacks the package {{word}}, which browser steps need: install it beside the agent (npm install {{address}})",
  fileTooLarge: 'the file {{text}} has more than {{n}} bytes',
  filesTooLarge: 'the files of this execution would have more than {{n}} bytes',
  mailServerForm:
    'server must have the form smtp://user:password@host:587 or smtps://user:password@host:465, with special characters of user and password percent-encoded',
  mailServerParameter: 'server has an unknown parameter; the only one is starttls',
  mailServerTls: 'starttls in server must be one of {{text}}, and has no place in an smtps address',
  mailServerLogin: 'server must have both a user and a password, or neither',
  mailServerPercent: 'server has a % in its user or password that is not percent-encoded; write %25',
  oneSender: 'from must be one address',
  noRecipient: 'to has no address',
  manyRecipients: 'to, cc and bcc together must have at most {{n}} addresses',
  notHeaderName: 'headers: "{{text}}" is not the name of a header',
  headerOfStep: "headers: {{word}} is set by the step's own fields",
  headerText: 'headers: {{word}} must have neither a line break nor a character beyond Latin-1, such as €',
  headerLineBreak: 'headers: {{word}} must not have a line break',
  headerOfForm: 'headers must not have a content-type beside a multipart form, which needs its own',
  lineBreak: '{{word}} must not have a line break',
  notAddresses: '{{word}} must be an address or a list of addresses',
  addressGroup: '{{word}} must not have a group of addresses',
  addressCharacters: '{{word}}: a variable beside other text must not have one of < > , ; : " ( ) \\',
  fieldNotAddress: '{{word}}: "{{text}}" is not an address',
  filesInForm: 'form: an urlencoded form cannot have files',
  notOneFile: '{{text}} must be one file',
  noBodyAllowed: 'a {{word}} call cannot have a body',
  loginInAddress: 'the address of the host {{word}} has a user or a password: send them in a header',
  connectionForm:
    'the connection must be a URL such as mysql://user:password@host:3306/database (or mariadb, postgres, mssql)',
  connectionCharacters: 'special characters of user, password and database in the connection must be percent-encoded',
  connectionParameter: 'the connection has the parameter "{{text}}"; only "tls" and "sslmode" are known',
  connectionValue: 'the connection\'s parameter "{{text}}" must be {{value}}',
  connectionPercent: 'the {{word}} in the connection has a % that is not written as %25',
  connectionUser: 'the connection needs a user, as in postgres://user:password@host/database',
  serverName: 'tls=verify needs the name of the database server, not its address',
  notVariable: 'sql: {{text}} is no variable',
  placeholders: 'sql: its placeholders ({{word}}) need {{n}} values, and params has {{m}}',
  longDecimal:
    'the column {{text}} has a decimal with more digits than the driver reads exactly: select CAST({{value}} AS varchar(50))',
  driverWithoutReason: 'the driver gave no reason',
  noPicture: 'it is no picture; PNG, JPEG, WebP, GIF or BMP can be read',
  pictureTooLarge: 'it has {{n}} × {{m}} pixels, and at most {{k}} can be read',
  pictureUnread: '{{word}}: the file {{text}}: its text cannot be read: {{reason}}',
  pictureTooLong: 'it takes longer than {{n}} s',
  pictureDamaged: 'the picture is damaged, or needs too much memory',
  engineFailed: 'the engine failed',
  engineEnded: 'the engine ended early',
  missingOcrPackages:
    "{{word}}: the file {{text}}: the agent's machine lacks packages for it: install them beside the agent (npm install {{value}})",
  pictureOfFile: '{{word}}: the file {{text}}: {{reason}}',
  unknownType: 'step type {{word}} is not supported by this agent version',
  agentFailed: 'the agent failed unexpectedly',
  processMemory: 'the process of the execution needed more than its share of {{n}} MB of memory (setting {{word}})',
  processTime: 'the process of the execution needed more than {{n}} s of processor time (setting {{word}})',
  processKilled: 'the process of the execution was killed (SIGKILL), as an operating system short of memory does',
  processEnded: 'the process of the execution ended by itself with exit code {{n}}',
  processDied: 'the process of the execution died ({{word}})',
  processUnstarted: 'The agent could not start a process for the execution',
  shutDown: 'The agent was shut down before the execution ended',
  limit: 'The limit of {{n}} executed steps was reached',
  unopened:
    'The secret values of this execution cannot be opened: they were sealed to another key or for another execution, or were changed on their way. Compare the fingerprint of the agent’s key with the one that the console shows (this agent: {{word}}).',
  reportRefused: 'The router refused a report of the agent, so the result of the execution is not known: {{text}}',
  notHeld: 'The agent did not hold the instance any more when it was granted',
  reportNotStored: 'Report {{n}} of the execution could not be stored, so its result is not known.',
  reportMissing:
    'The agent sent report {{n}} of the execution, but report {{m}} is missing, so its result is not known.',
  processDeleted: 'The process was deleted before the execution began.',
  inputMissing: 'The service has lost the values with which the execution was started; start it again.',
  environmentOutOfReach:
    "The flow reads the vault, and before the execution began its environment left the reach of the process's owner: it is neither the owner’s nor shared with the owner’s company.",
  lost: 'The agent that ran the execution was lost.',
} as const;

/** What Node, undici and Batuta's agents write about a failed connection, by the name of the translation in `connectionTexts`. */
export const CONNECTION_TEXTS = {
  refused: 'connect ECONNREFUSED {{address}}',
  severalRefused: 'ECONNREFUSED',
  late: 'connect ETIMEDOUT {{address}}',
  unreachable: 'connect EHOSTUNREACH {{text}}',
  noNetwork: 'connect ENETUNREACH {{text}}',
  unknownName: 'getaddrinfo ENOTFOUND {{address}}',
  noNameServer: 'getaddrinfo EAI_AGAIN {{address}}',
  reset: 'read ECONNRESET',
  closed: 'other side closed',
  badPort: 'bad port',
  hungUp: 'socket hang up',
  selfSigned: 'self-signed certificate',
  expired: 'certificate has expired',
  untrusted: 'unable to verify the first certificate',
  unknownIssuer: 'unable to get local issuer certificate',
} as const;

type Failure = Pick<RunAnswerItem, 'errorMessage' | 'errorStep'>;

export const FAILURE_PATTERNS = [
  ...patternsOf(FAILURE_TEXTS, 'failureTexts'),
  ...patternsOf(CONNECTION_TEXTS, 'connectionTexts'),
];

/** The failure in the user's language; what the code of a flow, a database or another system wrote stays as it is. */
export function failureText(message: string): string {
  return translateMessage(message, FAILURE_PATTERNS, failureText) ?? refusalText(message);
}

/** Where and why a run failed; undefined for a run without an error message. The `reason` of a stopped run is why Batuta stopped it. */
export function failureOf({ errorMessage, errorStep }: Failure): { title: string; reason: string } | undefined {
  if (errorMessage === null || errorMessage === '') return undefined;
  return {
    title: errorStep ? i18n.t('runs:failedAt', { step: errorStep }) : i18n.t('runs:failed'),
    reason: failureText(logMessageOf({ message: errorMessage, stepID: errorStep ?? '' })),
  };
}
