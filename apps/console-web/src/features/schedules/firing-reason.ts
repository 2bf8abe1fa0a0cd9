import type { TFunction } from 'i18next';
import type { FiringReason } from '../../api/generated/console-api';
import { messageText } from '../../common/message-text';

/**
 * Why a firing started nothing, in the user's language. The message is added where it names the value that does not fit, and stands alone
 * for a code of a later release.
 */
export function reasonText({ code, message }: FiringReason, t: TFunction<'schedules'>): string {
  const known = t(`schedule.reasons.${code}`, { defaultValue: '' });
  if (known === '') return messageText(message);
  return code === 'INVALID_MATRIX' ? `${known} ${messageText(message)}` : known;
}
