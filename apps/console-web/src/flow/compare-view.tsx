import { Badge, Code, Group, Paper, ScrollArea, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import './compare-view.css';
import { diffFlows, type FieldChange } from './diff';
import type { DraftFlow } from './draft';

const COLORS = {
  added: 'teal.9',
  removed: 'red.8',
  changed: 'blue.8',
  renamed: 'violet.8',
};
/** Characters of one value that are shown; the rest is cut off. */
const MAX_SHOWN_LENGTH = 4_000;

/** Shows the differences between two flows: first in their own fields, such as the start, then step by step. */
export function CompareView({ before, after }: { before: DraftFlow; after: DraftFlow }) {
  const { t } = useTranslation('flow-editor');
  const { flow, steps } = diffFlows(before, after);
  if (flow.length === 0 && steps.length === 0) return <Text>{t('compare.same')}</Text>;
  return (
    <ScrollArea
      h="100%"
      type="auto"
      viewportProps={{
        tabIndex: 0,
        'aria-label': t('compare.title'),
        role: 'group',
      }}
    >
      <Stack gap="sm" p={2}>
        {flow.length > 0 && (
          <Paper withBorder p="sm">
            <Text fw={600}>{t('problems.flow')}</Text>
            <FieldChanges fields={flow} />
          </Paper>
        )}
        {steps.map(({ name, change, from, fields }) => (
          <Paper key={`${change} ${name}`} withBorder p="sm">
            <Group gap="xs">
              <Badge color={COLORS[change]} tt="none">
                {t(`compare.${change}`)}
              </Badge>
              <Text fw={600}>{from === undefined ? name : `${from} → ${name}`}</Text>
            </Group>
            <FieldChanges fields={fields} />
          </Paper>
        ))}
      </Stack>
    </ScrollArea>
  );
}

function FieldChanges({ fields }: { fields: readonly FieldChange[] }) {
  const { t } = useTranslation('flow-editor');
  return fields.map(({ path, before, after }) => (
    <div key={path}>
      <Text size="xs" mt={6} ff="monospace">
        {path}
      </Text>
      {before !== undefined && (
        <Code block className="diff-before" aria-label={t('compare.before')}>
          {`− ${shownText(before)}`}
        </Code>
      )}
      {after !== undefined && (
        <Code block className="diff-after" aria-label={t('compare.after')}>
          {`+ ${shownText(after)}`}
        </Code>
      )}
    </div>
  ));
}

function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
