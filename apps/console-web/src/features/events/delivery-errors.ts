import { patternsOf, ruleOf } from '../../common/refusal-text';
import { i18n } from '../../i18n/instance';
import { ADDRESS_REFUSALS } from './address-refusals';

/**
 * Why an attempt to deliver an event failed, or a delivery ended without an attempt, as the API says it; the texts `errors` have the same names
 * and placeholders.
 */
export const DELIVERY_ERRORS = {
  redirect: 'the address answered {{a}}; redirects are not followed',
  status: 'the address answered {{a}}',
  late: 'no answer within {{a}} ms',
  cut: 'the connection was cut before an answer: {{a}}',
  unaskedContinue: 'the address sent 100 Continue, for which the message did not ask',
  unaskedUpgrade: 'the address switched to another protocol, for which the message did not ask',
  noConnection: 'no connection: {{a}}',
  failed: 'the request failed',
  noSecret: 'the signing secret cannot be read',
  removed: 'the subscription was removed',
  offGone: 'the subscription is switched off: gone',
  offFailing: 'the subscription is switched off: failing',
  off: 'the subscription is switched off',
  suspended: 'the company is suspended',
  unasked: 'the subscription no longer asks for this event',
  tooMany: 'too many deliveries of the subscription were waiting',
};

const ERRORS = patternsOf(DELIVERY_ERRORS);
const ADDRESS_ERRORS = patternsOf(ADDRESS_REFUSALS);

/** The error of a delivery or of a test in the user's language, or as the API wrote it if it is none of the known ones. */
export function deliveryErrorText(error: string): string {
  // `the company is blocked` is what the previous release wrote of a suspended company.
  const known = ruleOf(error === 'the company is blocked' ? DELIVERY_ERRORS.suspended : error, ERRORS);
  if (known) return i18n.t(`events:errors.${known.rule}`, known.values);
  const refused = ruleOf(error, ADDRESS_ERRORS);
  return refused ? i18n.t(`events:rules.${refused.rule}`, refused.values) : error;
}
