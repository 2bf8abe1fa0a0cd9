import { Alert, Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { processQuery } from '../processes/queries';
import { REFRESH_INTERVAL_MS, startCheckQuery } from './queries';
import { startRefusalsOf, type CallKind, type StartCheck } from './refusals';

/**
 * Says why calls are refused now, or that they wait in the queue; nothing while calls run. A user who may remove a reason gets a link to
 * the page for that.
 */
export function StartRefusals({ process, call }: { process: ProcessAnswer; call: CallKind }) {
  const { t } = useTranslation('start-refusals');
  const { data: check } = useQuery(startCheckQuery(process));
  // The settings of the process are read again as often as the dry run, so that the two agree.
  useQuery({ ...processQuery(process.processID), refetchInterval: REFRESH_INTERVAL_MS });
  const refusals = startRefusalsOf({ process, check, call });
  if (refusals.length === 0) return check?.status === 'queued' && <Queued process={process} check={check} />;
  const isForOwner = refusals.some(({ page }) => page !== null && !mayChange(process, page));
  return (
    <Alert color="yellow" p="xs" role="status" title={t('title')}>
      <List size="sm">
        {refusals.map(({ name, page }) => (
          <List.Item key={name}>
            {t(`reasons.${name}`, { name: check?.environment?.name })}{' '}
            {page !== null && <RemedyLink process={process} page={page} text={t(`remedies.${name}`)} />}
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

type RemedyPage = keyof typeof PATHS;

/** Whether the user can remove a reason on a page; of all users only the owner of the process certainly sees its environment. */
function mayChange(process: ProcessAnswer, page: RemedyPage): boolean {
  return page === 'environment' ? process.owned : hasPermission(process, 'edit');
}

function RemedyLink({ process, page, text }: { process: ProcessAnswer; page: RemedyPage; text: string }) {
  if (!mayChange(process, page)) return null;
  const { processID, environmentID } = process;
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
