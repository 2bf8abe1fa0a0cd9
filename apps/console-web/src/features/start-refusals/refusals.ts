import type { DryRunAnswer, ProcessAnswer } from '../../api/generated/console-api';

/** A dry run of the process with its defaults. */
export type StartCheck = Pick<DryRunAnswer, 'refusals' | 'environment' | 'status'>;

type RefusalCode = StartCheck['refusals'][number]['code'];

interface StartFacts {
  process: ProcessAnswer;
  /** Absent for an account that may not run the process. */
  check: StartCheck | undefined;
}

/**
 * The reasons for which starts over the API, and calls of production URLs, are refused now, each with the page on which that is changed, if
 * there is one.
 */
const REFUSALS = [
  { name: 'inactive', page: 'overview', refuses: ({ process }: StartFacts) => !process.active },
  { name: 'unpublished', page: 'versions', refuses: ({ process }: StartFacts) => process.currentVersion === 0 },
  { name: 'blocked', page: 'overview', refuses: ({ process }: StartFacts) => process.apiPermission !== 'LIBERADO' },
  { name: 'plan', page: null, refuses: ({ process }: StartFacts) => process.apiAccess === false },
  { name: 'noEnvironment', page: 'overview', refuses: ({ process }: StartFacts) => process.environmentID === null },
  { name: 'ownerBlocked', page: null, refuses: (facts: StartFacts) => isRefused(facts, 'OWNER_INACTIVE') },
  { name: 'unreached', page: 'overview', refuses: (facts: StartFacts) => isOutOfReach(facts, { byFlow: false }) },
  { name: 'unreachedVault', page: 'overview', refuses: (facts: StartFacts) => isOutOfReach(facts, { byFlow: true }) },
  { name: 'noCredits', page: null, refuses: (facts: StartFacts) => isRefused(facts, 'INSUFFICIENT_CREDITS') },
  { name: 'noAgent', page: 'environment', refuses: (facts: StartFacts) => isAway(facts, { online: false }) },
  { name: 'noAbility', page: 'environment', refuses: (facts: StartFacts) => isAway(facts, { online: true }) },
  { name: 'queueFull', page: 'environment', refuses: (facts: StartFacts) => isRefused(facts, 'QUOTA_EXCEEDED') },
] as const;

export type StartRefusal = Pick<(typeof REFUSALS)[number], 'name' | 'page'>;

export function startRefusalsOf(process: ProcessAnswer, check: StartCheck | undefined): StartRefusal[] {
  return REFUSALS.filter(({ refuses }) => refuses({ process, check }));
}

function isRefused({ check }: StartFacts, refusal: RefusalCode): boolean {
  return check?.refusals.some(({ code }) => code === refusal) === true;
}

/** `byFlow` = the environment is in the owner's reach, but may not get the vault values that the flow reads. */
function isOutOfReach(facts: StartFacts, { byFlow }: { byFlow: boolean }): boolean {
  const hasOne = facts.process.environmentID !== null;
  return hasOne && isRefused(facts, 'INVALID_ENVIRONMENT') && (facts.check?.environment !== undefined) === byFlow;
}

function isAway(facts: StartFacts, { online }: { online: boolean }): boolean {
  return isRefused(facts, 'AGENT_OFFLINE') && facts.check?.environment?.online === online;
}
