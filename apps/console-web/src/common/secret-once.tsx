import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block';

/** A secret in the answer that created it. Keep it in the state of a component only, so that it goes with the dialog. */
export function SecretOnce({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Alert color="yellow" icon={<IconKey aria-hidden />} title={t('secret.title')}>
        <Text size="sm">{t('secret.text')}</Text>
      </Alert>
      <CodeBlock code={value} label={label} />
    </Stack>
  );
}
