import { ActionIcon, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconFlag, IconPlayerStop, IconPlus, IconX } from '@tabler/icons-react';
import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { useTranslation } from 'react-i18next';
import { useEditor } from '../editor-context';
import type { StepNode as Step } from '../model/graph';
import type { Visit } from '../model/run-path';
import { lookOf } from '../step-look';

export type StepNodeData = {
  step: Step;
  /** Numbers of errors and warnings of the step. */
  problems: number;
  warnings: number;
  /** Undefined when the debug run that is shown did not visit the step, or none is shown. */
  run: RunMark | undefined;
};
export type StepFlowNode = Node<StepNodeData, 'step'>;

/**
 * Distance in pixels of the handles from the top of a step, the same for steps of every height, so that the route between two steps
 * side by side is a straight line.
 */
const HANDLE_TOP = 30;

/** What the canvas shows of a debug run at a step. */
export interface RunMark {
  /** The state of the step's last visit. */
  state: Visit['state'];
  /** The place of the step's first visit in the order of the run, from 1. */
  order: number;
  /** How often the run visited the step. */
  visits: number;
}

export function StepBox({ data, selected }: NodeProps<StepFlowNode>) {
  const { t } = useTranslation('flow-editor');
  const { openPalette, canEdit } = useEditor();
  const { step, problems, warnings, run } = data;
  const { icon: Icon, color } = lookOf(step.type);
  const classes = [
    'step-node',
    selected && 'is-selected',
    step.isUnreachable && 'is-unreachable',
    problems > 0 && 'has-problem',
    run && `ran-${run.state}`,
  ];
  return (
    <div className={classes.filter(Boolean).join(' ')} data-type={step.type}>
      <Handle type="target" position={Position.Left} style={{ top: HANDLE_TOP }} title={t('canvas.in')} />
      <div className="step-node-main">
        <ThemeIcon variant="light" color={color} size={40} radius="md">
          <Icon size={22} aria-hidden />
        </ThemeIcon>
        <div className="step-node-texts">
          <Text fw={600} size="sm" truncate title={step.name}>
            {step.name}
          </Text>
          <Text size="xs" className="step-node-type" truncate>
            {t(`types.${step.type}.name`, { defaultValue: step.type })}
          </Text>
        </div>
        {run && <RunBadge run={run} />}
      </div>
      {step.isStart && (
        <span className="step-node-start" title={t('canvas.start')}>
          <IconFlag size={12} aria-hidden /> {t('canvas.start')}
        </span>
      )}
      {step.isUnreachable && <span className="step-node-start is-unreachable">{t('canvas.unreachable')}</span>}
      {(problems > 0 || warnings > 0) && (
        <span className={problems > 0 ? 'step-node-problem' : 'step-node-problem is-warning'}>
          <IconAlertTriangle size={13} aria-hidden />
          <span className="visually-hidden">{t('canvas.problems', { count: problems + warnings })}</span>
          <span aria-hidden>{problems + warnings}</span>
        </span>
      )}
      {step.exits.map((exit) => (
        <div
          key={`${exit.at.kind} ${exit.at.index}`}
          className={`step-node-exit exit-${exit.does} kind-${exit.at.kind}`}
        >
          {exit.does === 'missing' ? <IconX size={12} aria-hidden /> : <IconPlayerStop size={12} aria-hidden />}
          <Text size="xs" truncate>
            {t(`exits.${exit.at.kind === 'onError' ? 'onError.' : ''}${exit.does}`, { name: exit.missing })}
            {exit.when !== undefined && ` · ${exit.when}`}
          </Text>
        </div>
      ))}
      <Handle type="source" position={Position.Right} id="routes" style={{ top: HANDLE_TOP }} title={t('canvas.out')} />
      <Handle
        type="source"
        position={Position.Right}
        id="onError"
        className="error-handle"
        style={{ top: 58 }}
        title={t('canvas.error')}
      />
      {canEdit && (
        <ActionIcon
          className="step-node-add nodrag"
          size={22}
          radius="xl"
          variant="default"
          tabIndex={-1}
          aria-label={t('canvas.addAfter', { name: step.name })}
          onClick={(event) => {
            event.stopPropagation();
            openPalette({ kind: 'after', step: step.name, routes: 'routes' });
          }}
        >
          <IconPlus size={14} aria-hidden />
        </ActionIcon>
      )}
    </div>
  );
}

function RunBadge({ run }: { run: RunMark }) {
  const { t } = useTranslation('flow-editor');
  const label = t(`run.states.${run.state}`, { order: run.order });
  return (
    <span className={`run-badge run-${run.state}`} title={label}>
      <span className="visually-hidden">{label}</span>
      <span aria-hidden>
        {run.order}
        {run.visits > 1 && ` ×${run.visits}`}
      </span>
    </span>
  );
}
