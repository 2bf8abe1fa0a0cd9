import { ActionIcon, Badge, Group, Paper, ScrollArea, Stack, Text, ThemeIcon, UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { nodeID } from '../canvas/node-id';
import { useEditor, useEditorState } from '../editor-context';
import { graphOf } from '../model/graph';
import { layoutOf } from '../model/layout';
import { lookOf } from '../step-look';

/**
 * The steps as a list that says where each leads, for screen readers, keyboards and narrow screens. Their order is that of the layout's columns;
 * unreachable steps are last.
 */
export function ListView() {
  const { t } = useTranslation('flow-editor');
  const { store, problems, openPalette, canEdit } = useEditor();
  const { history, selected } = useEditorState();
  const { flow } = history.present;
  const { nodes, edges } = useMemo(() => graphOf(flow), [flow]);
  const order = useMemo(() => {
    const places = layoutOf(flow).steps;
    const at = (name: string) => places.get(name) ?? { x: 0, y: 0 };
    return nodes.toSorted(
      (a, b) =>
        Number(a.isUnreachable) - Number(b.isUnreachable) || at(a.name).x - at(b.name).x || at(a.name).y - at(b.name).y,
    );
  }, [flow, nodes]);
  return (
    <ScrollArea
      h="100%"
      type="auto"
      viewportProps={{
        tabIndex: 0,
        'aria-label': t('views.list'),
        role: 'group',
      }}
    >
      <Stack component="ol" gap="xs" p={2} m={0} style={{ listStyle: 'none' }}>
        {order.map((step) => {
          const { icon: Icon, color } = lookOf(step.type);
          const count = problems.filter((problem) => problem.step === step.name).length;
          const leadsTo = edges.filter(({ source }) => source === step.name);
          return (
            <Paper
              key={step.name}
              component="li"
              withBorder
              p="xs"
              className={selected.includes(step.name) ? 'list-step is-selected' : 'list-step'}
            >
              <Group wrap="nowrap" gap="sm" align="flex-start">
                <ThemeIcon variant="light" color={color} size={36}>
                  <Icon size={20} aria-hidden />
                </ThemeIcon>
                <UnstyledButton
                  data-id={nodeID(step.name)}
                  aria-current={selected.includes(step.name) || undefined}
                  flex={1}
                  miw={0}
                  onClick={() => store.show(step.name)}
                >
                  <Group gap={6}>
                    <Text fw={600} size="sm">
                      {step.name}
                    </Text>
                    {step.isStart && (
                      <Badge size="xs" color="teal.9">
                        {t('canvas.start')}
                      </Badge>
                    )}
                    {step.isUnreachable && (
                      <Badge size="xs" variant="outline" color="gray" tt="none">
                        {t('canvas.unreachable')}
                      </Badge>
                    )}
                    {count > 0 && (
                      <Badge size="xs" color="red.8">
                        {t('canvas.problems', { count })}
                      </Badge>
                    )}
                  </Group>
                  <Text size="xs">{t(`types.${step.type}.name`, { defaultValue: step.type })}</Text>
                  {leadsTo.map(({ id, target, when, kind }) => (
                    <Text key={id} size="xs">
                      {kind === 'onError' ? t('list.onError', { target }) : t('list.to', { target })}
                      {when !== undefined && ` · ${when}`}
                    </Text>
                  ))}
                  {step.exits.map(({ at, does, missing, when }) => (
                    <Text key={`${at.kind} ${at.index}`} size="xs">
                      {t(`exits.${at.kind === 'onError' ? 'onError.' : ''}${does}`, { name: missing })}
                      {when !== undefined && ` · ${when}`}
                    </Text>
                  ))}
                </UnstyledButton>
                {canEdit && (
                  <ActionIcon
                    variant="default"
                    aria-label={t('canvas.addAfter', { name: step.name })}
                    onClick={() =>
                      openPalette({
                        kind: 'after',
                        step: step.name,
                        routes: 'routes',
                      })
                    }
                  >
                    <IconPlus size={16} aria-hidden />
                  </ActionIcon>
                )}
              </Group>
            </Paper>
          );
        })}
      </Stack>
    </ScrollArea>
  );
}
