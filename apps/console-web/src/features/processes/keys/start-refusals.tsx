import { Alert, Anchor, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { hasPermission } from '../process-access';

/** The settings for which a process refuses the calls that would start it, each with the page on which that is changed. */
const REFUSALS = [
  { name: 'inactive', page: '/processes/$pid', refuses: ({ active }: ProcessAnswer) => !active },
  {
    name: 'unpublished',
    page: '/processes/$pid/versions',
    refuses: ({ currentVersion }: ProcessAnswer) => currentVersion === 0,
  },
  {
    name: 'blocked',
    page: '/processes/$pid',
    refuses: ({ apiPermission }: ProcessAnswer) => apiPermission !== 'LIBERADO',
  },
  {
    name: 'noEnvironment',
    page: '/processes/$pid',
    refuses: ({ environmentID }: ProcessAnswer) => environmentID === null,
  },
] as const;

/** Says which settings of the process refuse starts over the API, and calls of production URLs, now. Who may change that is led there. */
export function StartRefusals({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('processes');
  const refusals = REFUSALS.filter(({ refuses }) => refuses(process));
  if (refusals.length === 0) return null;
  const editable = hasPermission(process, 'edit');
  return (
    <Alert color="yellow" p="xs" role="status" title={t('refusals.title')}>
      <List size="sm">
        {refusals.map(({ name, page }) => (
          <List.Item key={name}>
            {t(`refusals.reasons.${name}`)}{' '}
            {editable && (
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => <Link to={page} params={{ pid: process.processID }} {...props} />}
              >
                {t(`refusals.remedies.${name}`)}
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
      {!editable && <Text size="sm">{t('refusals.askOwner')}</Text>}
    </Alert>
  );
}
