import { useTranslation } from 'react-i18next';
import type { EventSubscriptionAnswer } from '../../api/generated/console-api';
import { StatusBadge } from '../../common/status-badge';

/** Shows whether a subscription is on or off, or why Batuta itself has switched it off. */
export function SubscriptionState({ enabled, disabledReason }: EventSubscriptionAnswer) {
  const { t } = useTranslation('events');
  if (enabled) return <StatusBadge look="good">{t('states.on')}</StatusBadge>;
  if (disabledReason === null) return <StatusBadge look="paused">{t('states.off')}</StatusBadge>;
  return <StatusBadge look="bad">{t(`states.${disabledReason}`)}</StatusBadge>;
}
