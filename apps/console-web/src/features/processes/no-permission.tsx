import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../common/empty-state';
import type { Permission } from './process-access';

/** Shown in place of a tab for which the user's share lacks the permission. */
export function NoPermission({ permission }: { permission: Permission }) {
  const { t } = useTranslation('processes');
  return (
    <EmptyState
      title={t('access.title')}
      text={t('access.text', { permission: t(`shares.permissions.${permission}.name`) })}
    />
  );
}
