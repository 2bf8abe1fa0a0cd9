import { Alert, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readSession } from '../api/session';
import { releaseCallsAfterLogin } from '../api/session-gate';
import { useReturn } from '../common/use-return';

/**
 * Warns when another account has logged in in another window: the windows share one session, so this page shows data of the earlier
 * account. If the same account has logged in again, the calls that wait for a login go on.
 */
export function AnotherAccountNotice({ accountID }: { accountID: string }) {
  const { t } = useTranslation();
  const [other, setOther] = useState<string>();
  const check = async () => {
    const session = await readSession().catch(() => undefined);
    // An ended session needs no notice: the next call opens the login dialog.
    if (session?.state !== 'account') return;
    const isSame = session.account.accountID === accountID;
    setOther(isSame ? undefined : session.account.email);
    if (isSame) releaseCallsAfterLogin();
  };
  useReturn(() => void check());
  if (other === undefined) return null;
  return (
    <Alert color="orange" title={t('shell.anotherAccount')} mb="md" role="alert">
      <Text size="sm">{t('shell.anotherAccountWhy', { email: other })}</Text>
      <Button mt="xs" size="xs" onClick={() => window.location.reload()}>
        {t('shell.reload')}
      </Button>
    </Alert>
  );
}
