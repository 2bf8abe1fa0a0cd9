import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../code/code-field';
import { useEditor } from '../editor-context';
import { changeStep, routesOf, withRoutes, type DraftRoute, type DraftStep, type RouteKind } from '../../../flow/draft';
import { problemsAt } from '../model/problems';
import { MAX_ROUTES, unreachableRoutes } from '../model/routes';
import { ItemButtons } from './item-buttons';

/** Values of the choice of a route's target; names of steps have the prefix STEP, so that none equals END or TERMINATE. */
const END = 'end';
const TERMINATE = 'terminate';
const STEP = 'step ';

/** The routes of a step, after its action or its failure, in the order in which they are checked: the first whose condition holds is taken. */
export function RoutesForm({ step, kind }: { step: DraftStep; kind: RouteKind }) {
  const { t } = useTranslation('flow-editor');
  const { store, openPalette } = useEditor();
  const routes = routesOf(step, kind);
  const hidden = new Set(unreachableRoutes(routes));
  const title = t(`routes.${kind}`);
  const change = (next: readonly DraftRoute[], group?: string) =>
    store.change(
      changeStep(store.flow, step.name, (each) => withRoutes(each, kind, next)),
      group,
    );
  const add = () => {
    change([...routes, {}]);
    // The fields of the new route are above the button, which keeps the focus otherwise.
    store.show(step.name, `/${kind}/${routes.length}/when`);
  };
  return (
    <Stack gap="sm" data-field={`/${kind}`}>
      <Text size="sm" c="dimmed">
        {routes.length === 0 ? t(`routes.none.${kind}`) : t(`routes.why.${kind}`)}
      </Text>
      {routes.map((route, index) => (
        <div key={`${kind} ${index}`} className="form-item">
          <Group justify="space-between" gap={4} wrap="nowrap">
            <Text size="xs" fw={600}>
              {index + 1}
            </Text>
            <ItemButtons
              count={routes.length}
              index={index}
              label={title}
              reorder={(order) => change(order.flatMap((at) => routes[at] ?? []))}
            />
          </Group>
          <RouteForm
            step={step}
            kind={kind}
            index={index}
            route={route}
            onChange={(next, group) => change(routes.with(index, next), group)}
          />
          {hidden.has(index) && (
            <Text size="xs" c="orange.9">
              {t('routes.never')}
            </Text>
          )}
        </div>
      ))}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={routes.length >= MAX_ROUTES}
          onClick={add}
        >
          {t('routes.add')}
        </Button>
        <Button size="xs" variant="light" onClick={() => openPalette({ kind: 'after', step: step.name, routes: kind })}>
          {t('routes.addStep')}
        </Button>
      </Group>
    </Stack>
  );
}

function RouteForm({
  step,
  kind,
  index,
  route,
  onChange,
}: {
  step: DraftStep;
  kind: RouteKind;
  index: number;
  route: DraftRoute;
  onChange: (route: DraftRoute, group?: string) => void;
}) {
  const { t } = useTranslation('flow-editor');
  const { store, problems, variablesAt } = useEditor();
  const pointer = `/${kind}/${index}`;
  const names = store.flow.steps.map(({ name }) => name);
  const target = route.to === undefined ? (route.terminate === true ? TERMINATE : END) : `${STEP}${route.to}`;
  const messageAt = (field: string) =>
    problemsAt(problems, step.name, `${pointer}${field}`)
      .map(({ message }) => message)
      .join('; ') || undefined;
  const { when, ...leads } = route;
  const setTarget = (value: string) => {
    const condition = when === undefined ? {} : { when };
    if (value === END) return onChange(condition);
    if (value === TERMINATE) return onChange({ ...condition, terminate: true });
    return onChange({ ...condition, to: value.slice(STEP.length) });
  };
  return (
    <Stack gap="xs">
      <CodeField
        key={`${step.name} ${pointer}`}
        label={t('routes.when', { number: index + 1 })}
        placeholder={t('routes.always')}
        field={`${pointer}/when`}
        syntax="code"
        singleLine
        value={when ?? ''}
        error={messageAt('/when')}
        variables={() => variablesAt(step.name, `${pointer}/when`)}
        onChange={(text) => onChange(text === '' ? leads : { when: text, ...leads }, `${step.name} ${pointer}/when`)}
      />
      <NativeSelect
        label={t('routes.to', { number: index + 1 })}
        value={target}
        error={messageAt('/to')}
        data-field={`${pointer}/to`}
        onChange={({ currentTarget }) => setTarget(currentTarget.value)}
        data={[
          ...names.map((name) => ({ value: `${STEP}${name}`, label: name })),
          ...(route.to !== undefined && !names.includes(route.to)
            ? [
                {
                  value: `${STEP}${route.to}`,
                  label: t('routes.missing', { name: route.to }),
                },
              ]
            : []),
          { value: END, label: t(`routes.end.${kind}`) },
          { value: TERMINATE, label: t('routes.terminate') },
        ]}
      />
    </Stack>
  );
}
