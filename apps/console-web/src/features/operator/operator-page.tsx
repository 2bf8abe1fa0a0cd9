import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../common/page-header';
import { Companies } from './companies';
import { EmailProblems } from './email-problems';
import { Plans } from './plans';

/** The page for operators, the people who run the installation. */
export function OperatorPage() {
  const { t } = useTranslation('operator');
  return (
    <Stack gap="xl">
      <PageHeader title={t('title')} description={t('what')} />
      <Companies />
      <Plans />
      <EmailProblems />
    </Stack>
  );
}
