import {
  IconClock,
  IconCode,
  IconDatabase,
  IconMail,
  IconPlugConnected,
  IconVariable,
  IconWebhook,
  IconWorld,
  IconBrowser,
} from '@tabler/icons-react';

const LOOKS = {
  variables: { icon: IconVariable, color: 'violet' },
  script: { icon: IconCode, color: 'grape' },
  rest: { icon: IconWorld, color: 'blue' },
  database: { icon: IconDatabase, color: 'teal' },
  email: { icon: IconMail, color: 'orange' },
  browser: { icon: IconBrowser, color: 'cyan' },
  wait: { icon: IconClock, color: 'gray' },
  webhookResponse: { icon: IconWebhook, color: 'pink' },
};

/** Icon and colour of a step type; one that this page does not know is a grey plug. */
export function lookOf(type: string): {
  icon: typeof IconClock;
  color: string;
} {
  const known = Object.entries(LOOKS).find(([name]) => name === type)?.[1];
  return known ?? { icon: IconPlugConnected, color: 'gray' };
}
