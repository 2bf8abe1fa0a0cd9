import { Alert, Badge, Button, CloseButton, Group, ScrollArea, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { IconCopy, IconFlag, IconTrash } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorAnswer } from '../../../api/generated/console-api';
import { focusStep } from '../canvas/node-id';
import { useEditor, useEditorState } from '../editor-context';
import { stepNamed, type DraftStep } from '../../../flow/draft';
import { setStepField, setStart, stepNames } from '../model/edit-steps';
import { fieldsOf, formOf, type FormField } from '../model/form-model';
import { stepNameProblem } from '../model/names';
import { pointerOf, segmentsOf } from '../../../flow/pointer';
import { problemsAt } from '../model/problems';
import { lookOf } from '../step-look';
import { RoutesForm } from './routes-form';
import { SchemaField } from './schema-field';
import { StepRun } from './step-run';
import './panel.css';

/** The tab of each field that step types have in common; all other fields are on the tab `action`. */
const TAB_OF_COMMON_FIELD = {
  rows: 'rows',
  mapping: 'rows',
  as: 'result',
  validation: 'result',
  routes: 'routes',
  onError: 'routes',
} as const;
type Tab = 'action' | 'rows' | 'result' | 'routes' | 'run';

/** The form of the step that is open; nothing when none is. */
export function StepPanel() {
  const { t } = useTranslation('flow-editor');
  const { store, connectors, problems, visits } = useEditor();
  const { open, history } = useEditorState();
  const [tab, setTab] = useState<Tab>('action');
  const step = open && stepNamed(history.present.flow, open.step);
  const body = useRef<HTMLDivElement>(null);
  useJump(body, setTab);
  if (!step) return null;
  const { icon: Icon, color } = lookOf(step.type);
  const isStart = history.present.flow.start === step.name;
  const own = problemsAt(problems, step.name, '');
  const countIn = (each: Tab) => own.filter(({ field }) => tabOf(field) === each).length;
  const ran = visits.some((visit) => visit.step === step.name);
  const hasAction = fieldsIn(connectors, step.type, 'action').length > 0;
  const tabs: Tab[] = [
    ...(hasAction ? (['action'] as const) : []),
    'rows',
    'result',
    'routes',
    ...(ran ? (['run'] as const) : []),
  ];
  const shown = tabs.find((each) => each === tab) ?? tabs[0] ?? 'rows';
  return (
    <section className="step-panel" aria-label={t('panel.label', { name: step.name })} ref={body} tabIndex={-1}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Badge
          variant="light"
          color={color}
          leftSection={<Icon size={14} aria-hidden />}
          tt="none"
          size="lg"
          autoContrast
          className="step-type-badge"
        >
          {t(`types.${step.type}.name`, { defaultValue: step.type })}
        </Badge>
        <CloseButton
          aria-label={t('panel.close')}
          onClick={() => {
            store.closeForm();
            focusStep(step.name);
          }}
        />
      </Group>
      <NameField step={step} />
      <Group gap={6}>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconFlag size={13} aria-hidden />}
          disabled={isStart}
          onClick={() => store.change(setStart(store.flow, step.name))}
        >
          {isStart ? t('panel.isStart') : t('panel.makeStart')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconCopy size={13} aria-hidden />}
          onClick={() => store.paste([step])}
        >
          {t('panel.duplicate')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconTrash size={13} aria-hidden />}
          onClick={() => store.delete([step.name])}
        >
          {t('panel.delete')}
        </Button>
      </Group>
      {own.some(({ field }) => field === '') && (
        <Alert color="red" p="xs">
          {own
            .filter(({ field }) => field === '')
            .map(({ message }) => message)
            .join('; ')}
        </Alert>
      )}
      <Tabs
        value={shown}
        onChange={(next) => setTab(tabs.find((each) => each === next) ?? 'action')}
        keepMounted={false}
        className="step-panel-tabs"
      >
        <Tabs.List grow>
          {tabs.map((each) => (
            <Tabs.Tab
              key={each}
              value={each}
              px={6}
              rightSection={
                countIn(each) > 0 ? (
                  <Badge size="xs" circle color="red.8" aria-label={t('canvas.problems', { count: countIn(each) })}>
                    {countIn(each)}
                  </Badge>
                ) : undefined
              }
            >
              {t(`panel.tabs.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <ScrollArea
          className="step-panel-scroll"
          offsetScrollbars="y"
          viewportProps={{
            tabIndex: 0,
            'aria-label': t(`panel.tabs.${shown}`),
            role: 'group',
          }}
        >
          <Tabs.Panel value="routes" pt="sm">
            <Stack>
              <Text fw={600} size="sm" component="h3">
                {t('routes.routes')}
              </Text>
              <RoutesForm step={step} kind="routes" />
              <Text fw={600} size="sm" component="h3">
                {t('routes.onError')}
              </Text>
              <RoutesForm step={step} kind="onError" />
            </Stack>
          </Tabs.Panel>
          {(['action', 'rows', 'result'] as const).map((each) => (
            <Tabs.Panel key={each} value={each} pt="sm">
              <FieldsOfTab step={step} tab={each} />
            </Tabs.Panel>
          ))}
          <Tabs.Panel value="run" pt="sm">
            <StepRun step={step.name} />
          </Tabs.Panel>
        </ScrollArea>
      </Tabs>
    </section>
  );
}

function FieldsOfTab({ step, tab }: { step: DraftStep; tab: 'action' | 'rows' | 'result' }) {
  const { t } = useTranslation('flow-editor');
  const { store, connectors } = useEditor();
  const connector = connectors.find(({ type }) => type === step.type);
  const fields = useMemo(() => fieldsIn(connectors, step.type, tab), [connectors, step.type, tab]);
  const ordered = [...fields.filter(({ required }) => required), ...fields.filter(({ required }) => !required)];
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {tab === 'action'
          ? t(`types.${step.type}.about`, {
              defaultValue: connector?.description ?? '',
            })
          : t(`panel.about.${tab}`)}
      </Text>
      {ordered.map((field) => {
        const pointer = pointerOf([field.key]);
        return (
          <SchemaField
            key={`${step.name} ${field.key}`}
            step={step.name}
            field={field}
            pointer={pointer}
            value={step[field.key]}
            parent={step}
            onChange={(value) =>
              store.change(setStepField(store.flow, step.name, pointer, value), `${step.name} ${pointer}`)
            }
          />
        );
      })}
    </Stack>
  );
}

/** The fields of a step type on a tab, without name, type and routes, which have their own inputs. */
function fieldsIn(connectors: readonly ConnectorAnswer[], type: string, tab: Tab): FormField[] {
  const form = formOf(connectors.find((connector) => connector.type === type)?.schema);
  const elsewhere = ['name', 'type', 'routes', 'onError'];
  return fieldsOf(form).filter(({ key }) => !elsewhere.includes(key) && tabOf(`/${key}`) === tab);
}

function NameField({ step }: { step: DraftStep }) {
  const { t } = useTranslation('flow-editor');
  const { store } = useEditor();
  // What is typed, and for which step: the form of another step begins with that step's name.
  const [typed, setTyped] = useState<{ of: string; name: string }>();
  const name = typed?.of === step.name ? typed.name : step.name;
  const others = stepNames(store.flow);
  others.delete(step.name);
  const problem = stepNameProblem(name, others);
  const rename = () => {
    if (problem === undefined) store.rename(step.name, name);
    setTyped(undefined);
  };
  return (
    <TextInput
      label={t('panel.name')}
      value={name}
      data-field="/name"
      error={problem && t(`panel.nameProblems.${problem}`)}
      onChange={({ currentTarget }) => setTyped({ of: step.name, name: currentTarget.value })}
      onBlur={rename}
      onKeyDown={(event) => {
        const saves = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's';
        if (event.key === 'Enter' || (saves && problem === undefined)) rename();
      }}
    />
  );
}

function tabOf(field: string): Tab {
  const [head = ''] = segmentsOf(field);
  return Object.entries(TAB_OF_COMMON_FIELD).find(([key]) => key === head)?.[1] ?? 'action';
}

/** When `EditorStore.show` requests a field: opens its tab and focuses the field, or the whole form for the empty pointer. */
function useJump(body: React.RefObject<HTMLElement | null>, setTab: (tab: Tab) => void) {
  const { open } = useEditorState();
  const { store } = useEditor();
  useEffect(() => {
    if (!open) return undefined;
    if (open.field === undefined) return undefined;
    const { field } = open;
    setTab(tabOf(field));
    const frame = requestAnimationFrame(() => {
      if (field === '') {
        body.current?.focus({ preventScroll: true });
        store.noteFocus();
        return;
      }
      const found = nearestField(body.current, field);
      const focusable = found?.matches('input, select, textarea')
        ? found
        : found?.querySelector('.cm-content, input, select, textarea, button');
      if (!(focusable instanceof HTMLElement)) return;
      focusable.scrollIntoView({ block: 'center' });
      focusable.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [open, store, body, setTab]);
}

/** The element of the field at this JSON Pointer, or of the nearest field around it that the form shows. */
function nearestField(within: HTMLElement | null, field: string): Element | undefined {
  const all = [...(within?.querySelectorAll('[data-field]') ?? [])];
  for (let at = field; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = all.find((element) => element.getAttribute('data-field') === at);
    if (found) return found;
  }
  return undefined;
}
