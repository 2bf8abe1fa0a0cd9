import {
  IconBuilding,
  IconCalendarClock,
  IconHome,
  IconPlayerPlay,
  IconRobot,
  IconRoute,
  IconSettings,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react';
import type { OwnAccount } from '../api/generated/console-api';

type Role = OwnAccount['role'];

/** The entries of the navigation; each role sees what it may call. */
const NAVIGATION = [
  { to: '/', label: 'home', icon: IconHome, roles: ['member', 'administrator'] },
  { to: '/processes', label: 'processes', icon: IconRoute, roles: ['member', 'administrator'] },
  { to: '/runs', label: 'runs', icon: IconPlayerPlay, roles: ['member', 'administrator'] },
  { to: '/webhooks', label: 'webhooks', icon: IconWebhook, roles: ['member', 'administrator'] },
  { to: '/schedules', label: 'schedules', icon: IconCalendarClock, roles: ['member', 'administrator'] },
  { to: '/environments', label: 'environments', icon: IconRobot, roles: ['member', 'administrator'] },
  { to: '/company', label: 'company', icon: IconBuilding, roles: ['administrator'] },
  { to: '/operator', label: 'operator', icon: IconSettings, roles: ['operator'] },
  { to: '/account', label: 'account', icon: IconUser, roles: ['member', 'administrator', 'operator'] },
] as const satisfies { to: string; label: string; icon: unknown; roles: Role[] }[];

export const navigationOf = (role: Role) => NAVIGATION.filter(({ roles }) => roles.some((one) => one === role));

/**
 * Whether the role may open the page at a path. An entry of the navigation stands for the pages below it; pages below no entry are open to every
 * role.
 */
export function mayOpen(role: Role, pathname: string): boolean {
  const entry = NAVIGATION.find(({ to }) => to !== '/' && `${pathname}/`.startsWith(`${to}/`));
  return entry === undefined || navigationOf(role).includes(entry);
}
