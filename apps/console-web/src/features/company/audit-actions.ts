import type { ManagementAction } from '../../api/generated/console-api';

/**
 * Every action, in the order in which the page offers them. A new action of the API does not compile until it is listed
 * here.
 */
const ACTIONS: Record<ManagementAction, true> = {
  'session.open': true,
  'session.close': true,
  'account.add': true,
  'account.block': true,
  'account.unblock': true,
  'account.email': true,
  'account.password': true,
  'account.password-reset': true,
  'company.add': true,
  'company.change': true,
  'company.credits': true,
  'credential.add': true,
  'credential.revoke': true,
  'vault.put': true,
  'vault.delete': true,
  'environment.add': true,
  'environment.change': true,
  'environment.rotate-key': true,
  'environment.delete': true,
  'process.add': true,
  'process.change': true,
  'process.vault-keys': true,
  'process.delete': true,
  'matrix.replace': true,
  'flow.save': true,
  'flow.publish': true,
  'key.add': true,
  'key.revoke': true,
  'share.put': true,
  'share.delete': true,
  'subscription.add': true,
  'subscription.change': true,
  'subscription.rotate': true,
  'subscription.redeliver': true,
  'subscription.delete': true,
  'origin.add': true,
  'origin.change': true,
  'origin.rotate': true,
  'origin.delete': true,
  'mapping.draft': true,
  'mapping.save': true,
  'capture.delete': true,
  'captures.delete': true,
  'schedule.add': true,
  'schedule.change': true,
  'schedule.on': true,
  'schedule.off': true,
  'schedule.delete': true,
  'plan.add': true,
  'plan.change': true,
};

/** The actions that audit events of a company may have: those on plans belong to the operator. */
export const COMPANY_ACTIONS = Object.keys(ACTIONS).filter(isCompanyAction);

function isManagementAction(value: unknown): value is ManagementAction {
  return typeof value === 'string' && Object.hasOwn(ACTIONS, value);
}

/** Reads the search parameter `action`; a text that is no action counts as absent. */
export const managementAction = (value: unknown): ManagementAction | undefined =>
  isManagementAction(value) ? value : undefined;

function isCompanyAction(action: string): action is ManagementAction {
  return isManagementAction(action) && !action.startsWith('plan.');
}
