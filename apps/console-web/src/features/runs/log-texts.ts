import type { LogLineAnswer } from '../../api/generated/console-api';
import { i18n } from '../../i18n/instance';
import { failureText } from './failure-texts';
import { patternsOf, translateMessage } from './message-patterns';

type Severity = LogLineAnswer['severity'];

/**
 * The log messages of the agent and the services, without the name of the step, by the name of the translation in `logTexts`; failures are in
 * `failure-texts.ts`. A message gets the first text that fits. Placeholders of one letter are numbers; `message-patterns.ts` says what the others are.
 */
export const LOG_TEXTS = {
  INFO: {
    started: 'started',
    goesOn: 'goes on to "{{text}}"',
    terminated: 'the execution is terminated here',
    endedOne: 'The execution ended without error after 1 step',
    ended: 'The execution ended without error after {{n}} steps',
    paused: 'The execution is paused',
    resumed: 'The execution goes on',
    waited: 'waited {{n}} s',
    scriptRan: 'the script ran',
    scriptGave: 'the script gave {{text}}',
    answered: '{{call}} answered {{n}} in {{m}} ms',
    answeredFile: '{{call}} answered {{n}} with the file {{text}} ({{k}} bytes) in {{m}} ms',
    database: '{{word}}: {{n}} statements gave {{m}} rows and changed {{k}}, in {{l}} ms',
    actionAtEmptyTab: '1 action in {{m}} ms, at an empty tab',
    actionsAtEmptyTab: '{{n}} actions in {{m}} ms, at an empty tab',
    action: '1 action in {{m}} ms, at {{text}}',
    actions: '{{n}} actions in {{m}} ms, at {{text}}',
    sent: 'sent {{word}} to {{text}}',
    answeredCaller: 'answered the caller with {{n}} and {{m}} bytes',
    nobodyWaits: 'sent no response, because nobody waits: {{text}}',
    notFirst: 'sent no response, because an earlier step was the first: {{text}}',
    mapping: 'mapping: {{text}}',
    validation: 'validation gave {{text}}',
    pictureOfEmptyTab: 'picture of an empty tab',
    pictureOf: 'picture of {{text}}',
    picture: 'read {{n}} characters from the picture {{text}} in {{m}} ms',
  },
  WARNING: {
    stopped: 'The execution was stopped',
    killed: 'The execution was stopped; its process did not end by itself',
    answerTooLarge: 'sent no response: its body is above {{n}} bytes',
    answerInvalid: '{{text}}: a caller gets 502 INVALID_RESPONSE',
    mailRejected: 'the mail server rejected {{text}}',
    statementUnconfirmed: 'the database did not confirm that it ended the statement',
    redirected: 'was redirected to another origin, which did not get {{text}}',
    pageAnswered: '{{address}} answered {{n}}',
    pictureHasFrames: 'kept no picture, because the page has more than {{n}} frames',
    pictureTooLarge: 'kept no picture, because it is too large',
    tabClosed: 'closed a tab, because a browser has at most {{n}}',
    // The text has the closing quotation mark too, which a note that the agent has cut lacks.
    dialogAccepted: 'accepted the {{word}} "{{text}}',
    dialogDismissed: 'dismissed the {{word}} "{{text}}',
    downloadCancelled: 'cancelled a download that no action expects: {{text}}',
    hostRefused: 'a page asked for a host, but {{reason}}',
    moreEvents: 'and {{n}} more such events',
    retry: '{{reason}}; attempt {{n}} of {{m}} in {{k}} s',
  },
} as const satisfies Record<Exclude<Severity, 'ERROR'>, Record<string, string>>;

const PATTERNS = {
  INFO: patternsOf(LOG_TEXTS.INFO, 'logTexts'),
  WARNING: patternsOf(LOG_TEXTS.WARNING, 'logTexts'),
};

/** The condition of the route that was followed, which the agent appends to the message about the next step, the termination or the end. */
export const BECAUSE = ', because {{why}} holds';
const WITH_CONDITION = /^(?<text>.*?), because (?<why>.*) holds$/s;

/** The note at the end of a message about a picture that could not be stored. */
export const PICTURE_NOT_KEPT = ' [picture not kept]';

/** A message, without the name of its step, in the user's language if the product wrote it; what a flow or another system wrote stays as it is. */
export function logText(message: string, severity: Severity): string {
  if (message.endsWith(PICTURE_NOT_KEPT)) {
    return messageText(message.slice(0, -PICTURE_NOT_KEPT.length), severity) + i18n.t('runs:logTexts.pictureNotKept');
  }
  return messageText(message, severity);
}

function messageText(message: string, severity: Severity): string {
  if (severity === 'ERROR') return failureText(message);
  // Without this check the pattern would try the rest of a hostile line again at each of its commas.
  const condition = message.endsWith(' holds') ? WITH_CONDITION.exec(message) : undefined;
  const { text, why } = condition?.groups ?? {};
  const known = text === undefined ? undefined : translationOf(text, severity);
  if (known !== undefined) return known + i18n.t('runs:logTexts.because', { why });
  return translationOf(message, severity) ?? message;
}

function translationOf(message: string, severity: keyof typeof PATTERNS): string | undefined {
  return translateMessage(message, PATTERNS[severity], failureText);
}
