import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { MissingPage } from '../common/missing-page';

/** Takes the place of a page that the role of the account may not open, such as one whose address an administrator has sent to a member. */
export function NotForRole() {
  const { t } = useTranslation();
  const link = (
    <Anchor component={Link} to="/">
      {t('notFound.home')}
    </Anchor>
  );
  return <MissingPage title={t('notForRole.title')} text={t('notForRole.text')} link={link} />;
}
