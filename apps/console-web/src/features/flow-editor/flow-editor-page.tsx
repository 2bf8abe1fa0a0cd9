import './flow-editor.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { showRefusalNotification } from '../../common/notify';
import { PageHeader } from '../../common/page-header';
import { pendingFailureOf } from '../../common/pending-failure';
import { PendingRead } from '../../common/pending-read';
import { stepNamed } from '../../flow/draft';
import { NoPermission } from '../processes/no-permission';
import { hasPermission } from '../processes/process-access';
import { ProcessLink } from '../processes/process-link';
import { processQuery } from '../processes/queries';
import { UnreadableProcess } from '../processes/unreadable-process';
import { FlowEditor } from './flow-editor';
import type { EditorStore } from './model/editor-store';
import { connectorsQuery, flowQuery } from './queries';
import { storeFor } from './stores';

/** Reads the process, its flow and the connectors (the step types), and then shows the editor. */
export function FlowEditorPage() {
  const { pid } = useParams({ from: '/processes/$pid/flow' });
  return <FlowEditorOf key={pid} pid={pid} />;
}

function FlowEditorOf({ pid }: { pid: string }) {
  const process = useQuery(processQuery(pid));
  const flow = useQuery(flowQuery(pid));
  const connectors = useQuery(connectorsQuery);
  const queryClient = useQueryClient();
  // A flow that was prefetched would otherwise stay in the cache for a while after the editor has closed.
  useEffect(
    () => () => queryClient.removeQueries({ queryKey: flowQuery(pid).queryKey, exact: true }),
    [pid, queryClient],
  );
  if (process.data && !flow.data && !hasPermission(process.data, 'edit')) return <NotShared process={process.data} />;
  const failed = [process, flow, connectors].find(({ isError, data }) => isError && data === undefined);
  if (failed) return <UnreadableProcess query={failed} />;
  if (!process.data || !flow.data || !connectors.data) {
    return <PendingRead failure={pendingFailureOf(process, flow, connectors)} height={400} />;
  }
  return <EditorWithStore pid={pid} process={process.data} read={flow.data} connectors={connectors.data} />;
}

/** Shown in place of the editor to an account whose share lets it use the process but not edit it. */
function NotShared({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('flow-editor');
  return (
    <>
      <PageHeader title={t('title')} description={<ProcessLink process={process} />} />
      <NoPermission permission="edit" />
    </>
  );
}

/**
 * Chooses the store once, because a later answer of the query must not replace what was typed. The parameter `step` of the address names the
 * step whose form is open at first.
 */
function EditorWithStore({ pid, process, read, connectors }: Omit<Parameters<typeof FlowEditor>[0], 'store'>) {
  const { t } = useTranslation('flow-editor');
  const { step } = useSearch({ from: '/processes/$pid/flow' });
  const [store] = useState(() => storeAt(pid, read.flow, step));
  useEffect(() => {
    if (step !== undefined && !stepNamed(store.flow, step)) showRefusalNotification(t('stepMissing', { step }));
  }, [step, store, t]);
  return <FlowEditor pid={pid} process={process} read={read} connectors={connectors} store={store} />;
}

/** The store of the process, with the form of the step open if the flow has that step. */
function storeAt(pid: string, saved: unknown, step: string | undefined): EditorStore {
  const store = storeFor(pid, saved);
  if (step !== undefined && stepNamed(store.flow, step)) store.show(step);
  return store;
}
