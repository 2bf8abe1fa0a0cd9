import { Alert, Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { startCheckQuery } from './queries';
import { startRefusalsOf, type StartCheck, type StartRefusal } from './refusals';

/**
 * Says why starts over the API, and calls of production URLs, are refused now, or that they wait in the queue. Who may change that is led
 * there.
 */
export function StartRefusals({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('start-refusals');
  const { data: check } = useQuery(startCheckQuery(process));
  const refusals = startRefusalsOf(process, check);
  if (refusals.length === 0) return check?.status === 'queued' && <Queued process={process} check={check} />;
  const isForOwner = !hasPermission(process, 'edit') && refusals.some(({ page }) => isOfProcess(page));
  return (
    <Alert color="yellow" p="xs" role="status" title={t('title')}>
      <List size="sm">
        {refusals.map(({ name, page }) => (
          <List.Item key={name}>
            {t(`reasons.${name}`)} <RemedyLink process={process} page={page} text={t(`remedies.${name}`)} />
          </List.Item>
        ))}
      </List>
      {isForOwner && <Text size="sm">{t('askOwner')}</Text>}
    </Alert>
  );
}

/** Shown while calls are accepted, but no agent runs them. */
function Queued({ process, check }: { process: ProcessAnswer; check: StartCheck }) {
  const { t } = useTranslation('start-refusals');
  return (
    <Alert color="blue" p="xs" role="status" title={t('queued.title')}>
      <Text size="sm">
        {t(check.environment?.online ? 'queued.noAbility' : 'queued.noAgent', { name: check.environment?.name })}{' '}
        <RemedyLink process={process} page="environment" text={t('queued.remedy')} />
      </Text>
    </Alert>
  );
}

const PATHS = {
  overview: '/processes/$pid',
  versions: '/processes/$pid/versions',
  environment: '/environments/$id',
} as const;

const isOfProcess = (page: StartRefusal['page']) => page === 'overview' || page === 'versions';

/** Shown to those who may do on the page what it is for: an environment is certain to be seen by the owner of the process alone. */
function RemedyLink({ process, page, text }: { process: ProcessAnswer; page: StartRefusal['page']; text: string }) {
  const { processID, environmentID, owned } = process;
  if (page === null || !(isOfProcess(page) ? hasPermission(process, 'edit') : owned)) return null;
  const params = { pid: processID, id: environmentID ?? '' };
  return (
    <Anchor
      inherit
      c="inherit"
      underline="always"
      renderRoot={(props) => <Link to={PATHS[page]} params={params} {...props} />}
    >
      {text}
    </Anchor>
  );
}
