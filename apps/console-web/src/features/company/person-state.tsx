import { useTranslation } from 'react-i18next';
import type { AccountAnswer } from '../../api/generated/console-api';
import { StatusBadge } from '../../common/status-badge';

/** Whether a person is blocked. A person who is not blocked cannot log in either while the company is suspended. */
export function PersonState({ person: { blocked } }: { person: AccountAnswer }) {
  const { t } = useTranslation('company');
  return (
    <StatusBadge look={blocked ? 'bad' : 'good'}>{blocked ? t('people.blocked') : t('people.active')}</StatusBadge>
  );
}

/** The role of a person, a word that does not break. */
export function RoleText({ role }: Pick<AccountAnswer, 'role'>) {
  const { t } = useTranslation('company');
  return <span style={{ whiteSpace: 'nowrap' }}>{t(`roles.${role}`)}</span>;
}
