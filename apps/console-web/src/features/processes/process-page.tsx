import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { StatusBadge } from '../../common/status-badge';
import { STATE_LOOKS, processStateOf } from './process-state';
import { processQuery } from './queries';
import { UnreadableProcess } from './unreadable-process';

/** By tab, the part of its path after that of the process. The flow and the webhooks are pages of other features, without these tabs. */
const TABS = {
  overview: '',
  matrix: '/matrix',
  flow: '/flow',
  versions: '/versions',
  keys: '/keys',
  shares: '/shares',
  webhooks: '/webhooks',
  run: '/run',
  history: '/history',
} as const;

/** The head of a process's page, its tabs, and the open tab. */
export function ProcessPage() {
  const { t } = useTranslation('processes');
  const { pid } = useParams({ from: '/processes/$pid' });
  const process = useQuery(processQuery(pid));
  if (process.isPending) return <PendingRead failure={process.failureReason} height={60} />;
  if (!process.data) return <UnreadableProcess query={process} />;
  const state = processStateOf(process.data);
  return (
    <>
      <PageHeader
        title={process.data.processName}
        description={process.data.description || undefined}
        actions={<StatusBadge look={STATE_LOOKS[state]}>{t(`states.${state}`)}</StatusBadge>}
      />
      <ProcessTabs pid={pid} />
      <Outlet />
    </>
  );
}

function ProcessTabs({ pid }: { pid: string }) {
  const { t } = useTranslation('processes');
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const base = `/processes/${pid}`;
  const entries = Object.entries(TABS);
  // The page of a version belongs to the tab of the versions.
  const [current] = entries.find(([, end]) => end !== '' && `${pathname}/`.startsWith(`${base}${end}/`)) ?? [
    'overview',
  ];
  return (
    <Tabs
      mb="md"
      value={current}
      activateTabWithKeyboard={false}
      onChange={(tab) => {
        const [, end] = entries.find(([name]) => name === tab) ?? [];
        if (end !== undefined) void navigate({ to: `${base}${end}` });
      }}
    >
      <Tabs.List aria-label={t('tabs.label')}>
        {entries.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {t(`tabs.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
