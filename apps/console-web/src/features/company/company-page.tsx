import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAccount } from '../../api/session';
import { PageHeader } from '../../common/page-header';
import { Credits } from './credits';
import { People } from './people';

/** The page where administrators see the people and the credits of their company, with links to its events and its audit trail. */
export function CompanyPage() {
  const { t } = useTranslation('company');
  const { company } = useAccount();
  return (
    <Stack gap="xl">
      <PageHeader
        title={company?.name ?? t('title')}
        description={t('what')}
        actions={
          <>
            <Button variant="default" renderRoot={(props) => <Link to="/company/events" {...props} />}>
              {t('events')}
            </Button>
            <Button variant="default" renderRoot={(props) => <Link to="/company/audit" {...props} />}>
              {t('audit.title')}
            </Button>
          </>
        }
      />
      {company && <People />}
      <Credits />
    </Stack>
  );
}
