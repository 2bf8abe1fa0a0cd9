import { Alert, Anchor, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer, RunInput } from '../../../api/generated/console-api';
import { EmptyState } from '../../../common/empty-state';
import { ErrorMessage } from '../../../common/error-message';
import { UnsavedGuard } from '../../../common/unsaved-guard';
import { NoPermission } from '../no-permission';
import { hasPermission } from '../process-access';
import { DryRunResult } from '../run/dry-run-result';
import { ProcessEnvironmentChoice } from '../run/process-environment-choice';
import { dryRun, runProcess } from '../run/queries';
import { matrixOf, refusedByName, textOfVariable, withoutSecrets, type TypedValues } from '../run/run-values';
import { ValueField } from '../run/value-field';
import { useKeptPermission } from '../use-kept-permission';
import { useProcess } from '../use-process';

export function ProcessRun() {
  const { t } = useTranslation('processes');
  const process = useProcess();
  if (!useKeptPermission(process, 'execute')) return <NoPermission permission="execute" />;
  if (process.currentVersion > 0) return <RunForm process={process} />;
  const toFlow = hasPermission(process, 'edit') && (
    <Button renderRoot={(props) => <Link to="/processes/$pid/flow" params={{ pid: process.processID }} {...props} />}>
      {t('run.drawFlow')}
    </Button>
  );
  return <EmptyState title={t('run.unpublished')} text={t('run.unpublishedText')} action={toFlow} />;
}

function RunForm({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('processes');
  const { processID, matrix } = process;
  const [typed, setTyped] = useState<TypedValues>({});
  const [environmentID, setEnvironmentID] = useState('');
  // Both mutations hold the typed Secretos, so the cache drops them as soon as the user leaves the page.
  const check = useMutation({ mutationFn: (input: RunInput) => dryRun(processID, input), gcTime: 0 });
  const run = useMutation({
    mutationFn: (input: RunInput) => runProcess(processID, input),
    gcTime: 0,
    onMutate: () => check.reset(),
    onSuccess: () => setTyped((before) => withoutSecrets(matrix, before)),
  });
  const keepFocus = useFocusAfter(run.error);
  const input = (): RunInput => ({
    matrix: matrixOf(matrix, typed),
    ...(environmentID === '' ? {} : { environmentID }),
  });
  // Called when a value changes, because the results belong to the old values.
  const clearResults = () => {
    check.reset();
    run.reset();
  };
  const refused = refusedByName(check.data?.refusedValues ?? [], run.error);
  const converted = check.data?.matrix;
  // After a start the fields keep what was sent, for another run.
  const isUnsent = run.data === undefined && Object.values(typed).some((text) => text !== '');
  return (
    <form
      noValidate
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        keepFocus();
        run.mutate(input());
      }}
    >
      <Stack maw={720}>
        <Text c="dimmed">{t('run.what')}</Text>
        {matrix.length === 0 && <Text>{t('run.noVariables')}</Text>}
        {/* While a start is under way the fields show what was sent. */}
        <Fieldset variant="unstyled" m={0} disabled={run.isPending}>
          <Stack>
            {matrix.map((variable) => (
              <ValueField
                key={variable.id}
                variable={variable}
                value={textOfVariable(typed, variable.name) ?? ''}
                onChange={(value) => {
                  setTyped((before) => ({ ...before, [variable.name]: value }));
                  clearResults();
                }}
                refusal={textOfVariable(refused, variable.name)}
                converted={converted && { value: converted[variable.name] }}
              />
            ))}
            <ProcessEnvironmentChoice
              process={process}
              value={environmentID}
              onChange={(id) => {
                setEnvironmentID(id);
                clearResults();
              }}
            />
          </Stack>
        </Fieldset>
        {check.data && <DryRunResult answer={check.data} />}
        {check.error && <ErrorMessage error={check.error} />}
        {run.error && <ErrorMessage error={run.error} />}
        {run.data && (
          <Alert color="brand" role="status" title={t(`run.done.${run.data.status}`)}>
            <Anchor
              underline="always"
              renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: run.data.instanceID }} {...props} />}
            >
              {t('run.follow')}
            </Anchor>
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={run.isPending} leftSection={<IconPlayerPlay size={18} aria-hidden />}>
            {t('run.now')}
          </Button>
          <Button
            variant="default"
            loading={check.isPending}
            onClick={() => {
              // The refusal of a start would contradict the result of the check; a started run stays linked.
              if (run.error) run.reset();
              check.mutate(input());
            }}
          >
            {t('run.check')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t('run.cost')}
        </Text>
      </Stack>
      <UnsavedGuard isDirty={isUnsent || run.isPending} isSending={run.isPending} />
    </form>
  );
}

/** Returns a function that remembers the focused field. After an error the field gets the focus back, which it lost when it was disabled. */
function useFocusAfter(error: Error | null): () => void {
  const focused = useRef<Element>(null);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (error && isLost && focused.current instanceof HTMLElement) focused.current.focus();
  }, [error]);
  return () => {
    focused.current = document.activeElement;
  };
}
