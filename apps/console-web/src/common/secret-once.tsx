import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useContext, useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block';
import { SecretInDialog } from './secret-in-dialog';

/**
 * Shows a secret from the answer that created it. Keep the secret only in the state of a component, so that it
 * disappears with the dialog, which needs a button of its own that closes it.
 */
export function SecretOnce({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const setShown = useContext(SecretInDialog);
  useLayoutEffect(() => {
    setShown(true);
    return () => setShown(false);
  }, [setShown]);
  useEffect(() => {
    // The form that made the secret is gone, and the focus of its button with it.
    if (document.activeElement === document.body) box.current?.querySelector('button')?.focus();
  }, []);
  return (
    <Stack ref={box}>
      <Alert color="yellow" icon={<IconKey aria-hidden />} title={t('secret.title')}>
        <Text size="sm">{t('secret.text')}</Text>
      </Alert>
      <CodeBlock code={value} label={label} />
    </Stack>
  );
}
