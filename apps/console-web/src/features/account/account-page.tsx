import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAccount } from '../../api/session';
import { PageHeader } from '../../common/page-header';
import { Credentials } from './credentials';
import { PasswordForm } from './password-form';
import { Vault } from './vault';

export function AccountPage() {
  const { t } = useTranslation('account');
  const { name, email, role, company } = useAccount();
  const facts = [
    [t('facts.name'), name],
    [t('facts.email'), email],
    [t('facts.role'), t(`roles.${role}`)],
    [t('facts.company'), company?.name ?? '–'],
  ] as const;
  return (
    <Stack gap="xl">
      <PageHeader title={t('title')} />
      <Paper withBorder p="md" mt="-md">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} component="dl" m={0}>
          {facts.map(([label, value]) => (
            <div key={label}>
              <Text component="dt" size="sm" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
      {role !== 'operator' && <Credentials />}
      {role !== 'operator' && <Vault />}
      {role === 'operator' ? <Text c="dimmed">{t('password.operator')}</Text> : <PasswordForm />}
    </Stack>
  );
}
