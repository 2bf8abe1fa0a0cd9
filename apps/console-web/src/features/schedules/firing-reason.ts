import type { TFunction } from 'i18next';
import type { FiringReason } from '../../api/generated/console-api';
import { messageText } from '../../common/message-text';

/** Why a time of a schedule started nothing. A value that does not fit is named by the message. */
export function reasonText({ code, message }: FiringReason, t: TFunction<'schedules'>): string {
  const known = t(`schedule.reasons.${code}`, { defaultValue: '' });
  if (known === '') return messageText(message);
  return code === 'INVALID_MATRIX' ? `${known} ${messageText(message)}` : known;
}
