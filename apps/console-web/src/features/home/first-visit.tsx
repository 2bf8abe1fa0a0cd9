import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../common/error-message';
import { lazyPart } from '../../common/lazy-part';
import { StatusBadge, type Look } from '../../common/status-badge';
import { processChoicesQuery } from '../processes/queries';
import type { ExampleTexts } from './example-flow';
import { firstStepsOf, isRunnableShare, type FirstSteps, type StepState } from './first-steps';
import { homeQuery, publishExample, runExample } from './queries';

// The dialog is larger than this page, and many users never open it here.
const AddEnvironmentDialog = lazyPart(
  async () => (await import('../environments/add-environment-dialog')).AddEnvironmentDialog,
);

/** Short, so that the page soon shows an agent that was just started. */
const REFRESH_INTERVAL_MS = 3_000;
const LOOKS: Record<StepState, Look> = { done: 'good', next: 'active', later: 'waiting' };

/** The home page of an account without a run: three steps to the first one. The page shows by itself when a step is done. */
export function FirstVisit() {
  const { t } = useTranslation('home');
  const home = useQuery({ ...homeQuery, refetchInterval: REFRESH_INTERVAL_MS });
  const processes = useQuery({ ...processChoicesQuery, refetchInterval: REFRESH_INTERVAL_MS });
  const error = home.error ?? processes.error;
  const steps = firstStepsOf(home.data?.environments ?? [], processes.data ?? []);
  return (
    <Stack>
      <Text>{t('first.text')}</Text>
      {processes.data?.some(isRunnableShare) && (
        <Text>
          {t('first.shared')}{' '}
          <Anchor underline="always" renderRoot={(props) => <Link to="/processes" {...props} />}>
            {t('first.openShared')}
          </Anchor>
        </Text>
      )}
      {error && <ErrorMessage error={error} />}
      <Stack component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
        <EnvironmentStep steps={steps} />
        <FirstProcessStep steps={steps} />
        <RunStep steps={steps} />
      </Stack>
    </Stack>
  );
}

function EnvironmentStep({ steps }: { steps: FirstSteps }) {
  const { t } = useTranslation('home');
  const [isAdding, adding] = useDisclosure(false);
  const { environmentID } = steps;
  return (
    <>
      <FirstStep number={1} name="environment" state={steps.environment}>
        {environmentID === undefined ? (
          <Button onClick={adding.open}>{t('first.environment.action')}</Button>
        ) : (
          <Stack gap={4}>
            <Text>{t('first.environment.waiting')}</Text>
            <Anchor renderRoot={(props) => <Link to="/environments/$id" params={{ id: environmentID }} {...props} />}>
              {t('first.environment.open')}
            </Anchor>
          </Stack>
        )}
      </FirstStep>
      {/* The dialog shows the activation key, so it stays open also when an agent has already connected with the key. */}
      {isAdding && (
        <Suspense>
          <AddEnvironmentDialog onClose={adding.close} />
        </Suspense>
      )}
    </>
  );
}

function FirstProcessStep({ steps }: { steps: FirstSteps }) {
  const { t } = useTranslation('home');
  const queryClient = useQueryClient();
  const publish = useMutation({
    mutationFn: publishExample,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['processes'] }),
  });
  const { environmentID } = steps;
  const texts: ExampleTexts = {
    processName: t('example.processName'),
    variable: t('example.variable'),
    defaultValue: t('example.defaultValue'),
    greeting: t('example.greeting'),
    steps: { greet: t('example.steps.greet'), wait: t('example.steps.wait'), answer: t('example.steps.answer') },
  };
  return (
    <FirstStep number={2} name="process" state={steps.process}>
      <Group>
        <Button
          variant={steps.process === 'next' ? undefined : 'default'}
          disabled={environmentID === undefined}
          loading={publish.isPending}
          onClick={() => environmentID !== undefined && publish.mutate({ environmentID, texts })}
        >
          {t('first.process.action')}
        </Button>
        <Anchor renderRoot={(props) => <Link to="/processes" {...props} />}>{t('first.process.own')}</Anchor>
      </Group>
      {publish.error && <ErrorMessage error={publish.error} />}
    </FirstStep>
  );
}

function RunStep({ steps }: { steps: FirstSteps }) {
  const { t } = useTranslation('home');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const run = useMutation({
    mutationFn: runExample,
    onSuccess: async ({ instanceID }) => {
      await navigate({ to: '/runs/$iid', params: { iid: instanceID } });
      await queryClient.invalidateQueries({ queryKey: homeQuery.queryKey });
    },
  });
  const { pid, environmentID } = steps;
  return (
    <FirstStep number={3} name="run" state={steps.run}>
      <div>
        <Button
          leftSection={<IconPlayerPlay size={18} aria-hidden />}
          // Without an agent the run would wait in the queue.
          disabled={steps.run === 'later'}
          loading={run.isPending}
          onClick={() => pid !== undefined && environmentID !== undefined && run.mutate({ pid, environmentID })}
        >
          {t('first.run.action')}
        </Button>
      </div>
      {run.error && <ErrorMessage error={run.error} />}
    </FirstStep>
  );
}

interface StepProps {
  number: number;
  name: 'environment' | 'process' | 'run';
  state: StepState;
  /** The instruction or button of the step; not shown once the step is done. */
  children: ReactNode;
}

function FirstStep({ number, name, state, children }: StepProps) {
  const { t } = useTranslation('home');
  return (
    <Paper component="li" withBorder p="md">
      <Stack gap="sm" align="flex-start">
        <Group gap="sm">
          <Title order={2} size="h4">
            {t('first.numbered', { number, title: t(`first.${name}.title`) })}
          </Title>
          <StatusBadge look={LOOKS[state]}>{t(`first.states.${state}`)}</StatusBadge>
        </Group>
        <Text c="dimmed">{t(`first.${name}.text`)}</Text>
        {state !== 'done' && children}
      </Stack>
    </Paper>
  );
}
