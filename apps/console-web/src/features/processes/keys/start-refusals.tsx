import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useProcess } from '../use-process';

/** Says why every start over the API would be refused now, and leads to where that is changed. */
export function StartRefusals() {
  const { t } = useTranslation('processes');
  const { processID: pid, apiPermission, currentVersion } = useProcess();
  return (
    <>
      {apiPermission !== 'LIBERADO' && (
        <Alert color="yellow">
          {t('snippets.blocked')}{' '}
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/processes/$pid" params={{ pid }} {...props} />}
          >
            {t('snippets.allow')}
          </Anchor>
        </Alert>
      )}
      {currentVersion === 0 && (
        <Alert color="yellow">
          {t('snippets.unpublished')}{' '}
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/processes/$pid/versions" params={{ pid }} {...props} />}
          >
            {t('snippets.versions')}
          </Anchor>
        </Alert>
      )}
    </>
  );
}
