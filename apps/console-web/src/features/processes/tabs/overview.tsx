import { Anchor, Button, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { CopyButton } from '../../../common/copy-button';
import { DateTime } from '../../../common/date-time';
import { DuplicateProcess } from '../files/duplicate-process';
import { ExportProcess } from '../files/export-process';
import { ProcessFormDialog } from '../overview/process-form';
import { RemoveProcess } from '../overview/remove-process';
import { ProcessSwitches } from '../overview/switches';
import { VaultKeys } from '../overview/vault-keys';
import { hasPermission } from '../process-access';
import { environmentChoicesQuery } from '../queries';
import { shortValue } from '../shown-value';
import { useProcess } from '../use-process';

export function ProcessOverview() {
  const { t } = useTranslation('processes');
  const process = useProcess();
  const [isEditing, editing] = useDisclosure(false);
  const editable = hasPermission(process, 'edit');
  const pid = process.processID;
  return (
    <Stack gap="xl">
      <Group>
        {hasPermission(process, 'execute') && process.currentVersion > 0 && (
          <Button renderRoot={(props) => <Link to="/processes/$pid/run" params={{ pid }} {...props} />}>
            {t('run.now')}
          </Button>
        )}
        {editable && process.currentVersion === 0 && (
          <Button renderRoot={(props) => <Link to="/processes/$pid/flow" params={{ pid }} {...props} />}>
            {t('run.drawFlow')}
          </Button>
        )}
        <Button variant="default" renderRoot={(props) => <Link to="/runs" search={{ process: pid }} {...props} />}>
          {t('overview.runs')}
        </Button>
        {hasPermission(process, 'schedule') && (
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/schedules" search={{ process: pid }} {...props} />}
          >
            {t('overview.schedules')}
          </Button>
        )}
        {editable && (
          <Button variant="default" onClick={editing.open}>
            {t('overview.edit')}
          </Button>
        )}
        {editable && <DuplicateProcess process={process} />}
        {editable && <ExportProcess pid={pid} />}
        {hasPermission(process, 'delete') && <RemoveProcess pid={pid} name={process.processName} />}
      </Group>
      {process.currentVersion === 0 && <Text>{t('run.unpublishedText')}</Text>}
      <Facts process={process} />
      <section>
        <Title order={2} size="h3" mb="xs">
          {t('overview.switches.title')}
        </Title>
        <ProcessSwitches process={process} editable={editable} />
      </section>
      {editable && <VaultKeys pid={pid} owned={process.owned} />}
      <ProcessFormDialog process={process} opened={isEditing} onClose={editing.close} />
    </Stack>
  );
}

function Facts({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('processes');
  const { processID, environmentID, currentVersion, owned, ownerName, createdAt, avgHumanTime, avgOperatorCost } =
    process;
  const facts: [string, ReactNode][] = [
    ['id', <ProcessID key="id" value={processID} />],
    ['version', currentVersion === 0 ? t('states.unpublished') : currentVersion],
    ['environment', <EnvironmentName key="environment" id={environmentID} />],
    ['owner', owned ? t('you') : ownerName || t('otherCompany')],
    ['created', <DateTime key="created" value={createdAt} />],
    ['humanTime', avgHumanTime],
    ['cost', shortValue('Moeda', avgOperatorCost)],
  ];
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 4 }} m={0}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`overview.facts.${name}`)}
          </Text>
          <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function ProcessID({ value }: { value: string }) {
  const { t } = useTranslation('processes');
  return (
    <Group component="span" gap="xs">
      <Code>{value}</Code>
      <CopyButton value={value} label={t('overview.facts.id')} />
    </Group>
  );
}

/** The name of an environment as a link to its page, where the account reaches it; an account with a share of the process may not. */
function EnvironmentName({ id }: { id: string | null }) {
  const { t } = useTranslation('processes');
  const { data } = useQuery(environmentChoicesQuery);
  if (id === null) return t('overview.noEnvironment');
  const found = data?.find(({ environmentID }) => environmentID === id);
  if (!found) return data ? t('overview.unreachedEnvironment') : '–';
  return (
    <Anchor underline="always" renderRoot={(props) => <Link to="/environments/$id" params={{ id }} {...props} />}>
      {found.name}
    </Anchor>
  );
}
