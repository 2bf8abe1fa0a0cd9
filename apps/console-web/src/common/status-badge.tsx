import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react';

const LOOKS = {
  good: { color: 'brand', icon: IconCircleCheck },
  bad: { color: 'red', icon: IconCircleX },
  warning: { color: 'orange', icon: IconAlertTriangle },
  active: { color: 'blue', icon: IconPlayerPlay },
  waiting: { color: 'gray', icon: IconClock },
  paused: { color: 'grape', icon: IconPlayerPause },
};

/** How a badge shows a state: by a colour and an icon. */
export type Look = keyof typeof LOOKS;

/** The text has its own colour, because some badge colours are too pale for small letters. */
const READABLE_LABEL_STYLES = { label: { color: 'var(--mantine-color-text)' } };

/** A state as text, with an icon and a colour that repeat it. */
export function StatusBadge({ look, children }: { look: Look; children: string }) {
  const { color, icon: Icon } = LOOKS[look];
  return (
    <Badge
      color={color}
      variant="outline"
      leftSection={<Icon size={12} aria-hidden />}
      tt="none"
      // A full column of a table would cut the text off.
      miw="max-content"
      styles={READABLE_LABEL_STYLES}
    >
      {children}
    </Badge>
  );
}
