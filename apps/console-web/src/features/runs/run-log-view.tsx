import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLineAnswer } from '../../api/generated/console-api';
import { DateTime } from '../../common/date-time';
import { ErrorMessage } from '../../common/error-message';
import { logText } from './log-texts';
import { readOlderLines } from './queries';
import { LINES_AT_ONCE, olderLinesCursor, logMessageOf, type NumberedLogLine, type RunLog } from './run-log';

/** Mantine's orange of texts has less contrast than WCAG AA demands. */
const WARNING_COLOR = 'color-mix(in srgb, var(--mantine-color-orange-text), var(--mantine-color-text) 25%)';
const COLORS = { INFO: undefined, WARNING: WARNING_COLOR, ERROR: 'var(--mantine-color-red-text)' };
/** A view that is closer than this to the end of the log scrolls to new lines. */
const STICK_TO_END_DISTANCE_PX = 40;

/** The id of the element that shows a line. */
const lineID = ({ number }: NumberedLogLine) => `log-line-${number}`;

/** Moves the focus, and with it the view, to a line of the log; does nothing when the page no longer has the line. */
export function showLine(line: NumberedLogLine): void {
  document.getElementById(lineID(line))?.focus();
}

interface RunLogViewProps {
  iid: string;
  log: RunLog;
  /** Called with the lines that were read before the line with the number `before`. */
  onOlder: (before: number, lines: LogLineAnswer[]) => void;
  /** True when the run has ended, so that no more lines come. */
  isOver: boolean;
}

export function RunLogView({ iid, log, onOlder, isOver }: RunLogViewProps) {
  const { t } = useTranslation('runs');
  const before = olderLinesCursor(log);
  const older = useMutation({
    mutationFn: (number: number) => readOlderLines(iid, number, LINES_AT_ONCE),
    onSuccess: ({ logs }, number) => onOlder(number, logs),
  });
  const box = useStickToEnd(log.newest);
  if (log.lines.length === 0) return <Text c="dimmed">{isOver ? t('log.none') : t('log.noneYet')}</Text>;
  return (
    <Stack gap="xs">
      {before !== undefined && (
        <Group>
          <Button size="xs" variant="default" loading={older.isPending} onClick={() => older.mutate(before)}>
            {t('log.older')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('log.shown', { from: before })}
          </Text>
        </Group>
      )}
      {older.error && <ErrorMessage error={older.error} />}
      <Paper
        withBorder
        p="xs"
        ref={box}
        tabIndex={0}
        role="log"
        aria-label={t('log.title')}
        aria-live="off"
        style={{ maxHeight: '60dvh', overflowY: 'auto' }}
      >
        {log.lines.map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </Paper>
    </Stack>
  );
}

function Line({ line }: { line: NumberedLogLine }) {
  const { t } = useTranslation('runs');
  const { timestamp, severity, stepID } = line;
  return (
    <div
      id={lineID(line)}
      tabIndex={-1}
      style={{ paddingBlock: 3, contentVisibility: 'auto', containIntrinsicSize: 'auto 44px' }}
    >
      <Group gap="xs">
        <Text size="xs" c="dimmed" component="span">
          <DateTime value={timestamp} />
        </Text>
        <Text size="xs" fw={600} component="span" style={{ color: COLORS[severity] }}>
          {t(`severities.${severity}`)}
        </Text>
        <Text size="xs" fw={500} component="span">
          {stepID}
        </Text>
      </Group>
      <Text size="sm" ff="monospace" style={{ whiteSpace: 'pre-wrap', color: COLORS[severity] }}>
        {logText(logMessageOf(line), severity)}
      </Text>
    </div>
  );
}

/** Scrolls to new lines only while the end of the log is in view. */
function useStickToEnd(newest: number) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const note = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < STICK_TO_END_DISTANCE_PX;
    };
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    element.addEventListener('scroll', note, { passive: true });
    return () => element.removeEventListener('scroll', note);
  }, [newest]);
  return box;
}
