import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { missingAbilitiesText } from '../../common/missing-abilities';
import type { RunBody } from './follow-run';

/** The highest position that the API returns: it counts at most 1,000 instances before the run. */
const LAST_POSITION = 1_001;

interface QueueReasonProps {
  body: RunBody | undefined;
  /** Whether changes of the reason arrive; otherwise the reason is not shown, because it may be outdated. */
  isLive: boolean;
  environmentID: string;
}

/** Translates a message about abilities that no agent, or no single agent, has; returns any other message unchanged. */
export function queueMessageText(message: string): string {
  const text = missingAbilitiesText(message.replace(/\.$/, ''));
  return text === undefined ? message : `${text}.`;
}

/** Shows why the run waits in the queue. */
export function QueueReason({ body, isLive, environmentID }: QueueReasonProps) {
  const { t } = useTranslation('runs');
  const queue = body && 'queue' in body ? body.queue : undefined;
  if (!queue || body?.status !== 'queued' || !isLive) return null;
  return (
    <Alert
      color="blue"
      title={t(queue.position < LAST_POSITION ? 'queue.title' : 'queue.last', { position: queue.position })}
      role="status"
    >
      <Text size="sm">{t(`queue.reasons.${queue.reason}`)}</Text>
      {queue.message !== undefined && <Text size="sm">{queueMessageText(queue.message)}</Text>}
      <Anchor
        size="sm"
        c="inherit"
        td="underline"
        renderRoot={(props) => <Link to="/environments/$id" params={{ id: environmentID }} {...props} />}
      >
        {t('queue.environment')}
      </Anchor>
    </Alert>
  );
}
