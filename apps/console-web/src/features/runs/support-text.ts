import type { RunAnswerItem } from '../../api/generated/console-api';
import { i18n } from '../../i18n/instance';
import type { RunEnding } from './run-ending';

interface SupportFacts {
  run: Pick<RunAnswerItem, 'processName' | 'instanceID' | 'version' | 'finishedAt'>;
  ending: RunEnding;
  /** The name of the environment, if the account reaches it. */
  environment: string | undefined;
  /** The name of the agent, if one had the run. */
  agent: string | undefined;
  /** The URL of the page of the run. */
  address: string;
}

/** What the people who run the platform need to find a run and its cause; nothing that the page does not show. */
export function supportText({ run, ending, environment, agent, address }: SupportFacts): string {
  const lines = [
    i18n.t('runs:run.of', { name: run.processName }),
    address,
    ending.title,
    ending.reason,
    labelledLine('runs:facts.finished', run.finishedAt),
    labelledLine('runs:facts.environment', environment),
    labelledLine('runs:facts.agent', agent),
    labelledLine('runs:facts.version', run.version === 0 ? i18n.t('runs:facts.development') : String(run.version)),
    labelledLine('runs:columns.run', run.instanceID),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

type LabelKey = `runs:facts.${'agent' | 'environment' | 'finished' | 'version'}` | 'runs:columns.run';

function labelledLine(label: LabelKey, value: string | null | undefined): string | undefined {
  return value ? `${i18n.t(label)}: ${value}` : undefined;
}
