import { useTranslation } from 'react-i18next';
import type { AuditEventAnswer } from '../../../api/generated/console-api';

/** The details of an audit event beside its action, such as where a start came from or how a run ended; a dash when it has none. */
export function EventDetail({ event: { detail } }: { event: AuditEventAnswer }) {
  const { t } = useTranslation(['processes', 'runs']);
  const { trigger, version, outcome, status, keys } = detail;
  // A newer release may have recorded words that this page does not know: they are shown as they are.
  const word = (group: string, value: unknown) => t(`runs:${group}.${String(value)}`, { defaultValue: String(value) });
  const parts: string[] = [];
  if (trigger !== undefined) parts.push(word('origins', trigger));
  if (version === 0) parts.push(t('versions.development'));
  else if (version !== undefined) parts.push(t('versions.numbered', { version }));
  if (outcome !== undefined) parts.push(word('outcomes', outcome));
  else if (status !== undefined) parts.push(t('history.while', { status: word('statuses', status) }));
  if (Array.isArray(keys)) parts.push(keys.length === 0 ? t('vaultKeys.none') : keys.join(', '));
  return <span style={{ overflowWrap: 'anywhere' }}>{parts.join(' · ') || '–'}</span>;
}
