import { useTranslation } from 'react-i18next';
import type { AccountAnswer } from '../../api/generated/console-api';
import { StatusBadge } from '../../common/status-badge';

/** Whether a person may log in. */
export function PersonState({ person: { blocked } }: { person: AccountAnswer }) {
  const { t } = useTranslation('company');
  return (
    <StatusBadge look={blocked ? 'bad' : 'good'}>{blocked ? t('people.blocked') : t('people.active')}</StatusBadge>
  );
}
