import type { DryRunAnswer, ProcessAnswer } from '../../api/generated/console-api';

/** A dry run of the process with its defaults. */
export type StartCheck = Pick<DryRunAnswer, 'refusals' | 'environment' | 'status'>;

type RefusalCode = StartCheck['refusals'][number]['code'];

/** How a caller starts the process. */
export type CallKind = 'api' | 'webhook';

interface StartFacts {
  process: ProcessAnswer;
  call: CallKind;
  /** Undefined until the dry run has been answered, and for an account that may not run the process. */
  check: StartCheck | undefined;
}

/** The reasons why calls are refused now. `page` = the page on which the user can remove the reason; null if there is none. */
const REFUSALS = [
  { name: 'inactive', page: 'overview', refuses: ({ process }: StartFacts) => !process.active },
  { name: 'unpublished', page: 'versions', refuses: ({ process }: StartFacts) => process.currentVersion === 0 },
  { name: 'blocked', page: 'overview', refuses: ({ process }: StartFacts) => process.apiPermission !== 'LIBERADO' },
  { name: 'plan', page: null, refuses: isBeyondPlan },
  { name: 'noEnvironment', page: 'overview', refuses: ({ process }: StartFacts) => process.environmentID === null },
  { name: 'ownerBlocked', page: null, refuses: (facts: StartFacts) => isRefused(facts, 'OWNER_INACTIVE') },
  { name: 'unreached', page: 'overview', refuses: isOutOfReach },
  { name: 'noCredits', page: null, refuses: (facts: StartFacts) => isRefused(facts, 'INSUFFICIENT_CREDITS') },
  { name: 'noAgent', page: 'environment', refuses: (facts: StartFacts) => isWithoutAgent(facts, { online: false }) },
  { name: 'noAbility', page: 'environment', refuses: (facts: StartFacts) => isWithoutAgent(facts, { online: true }) },
  { name: 'queueFull', page: 'environment', refuses: (facts: StartFacts) => isRefused(facts, 'RATE_LIMITED') },
] as const;

export type StartRefusal = Pick<(typeof REFUSALS)[number], 'name' | 'page'>;

/** The reasons, in the order of REFUSALS, for which a call of this kind would be refused now; empty if none is known. */
export function startRefusalsOf(facts: StartFacts): StartRefusal[] {
  return REFUSALS.filter(({ refuses }) => refuses(facts));
}

function isRefused({ check }: StartFacts, refusal: RefusalCode): boolean {
  return check?.refusals.some(({ code }) => code === refusal) === true;
}

/**
 * A start over the API needs API access in the plan of its caller, which the page knows only if the caller is the owner. A production URL needs it
 * in the plan of the owner.
 */
function isBeyondPlan({ process, call }: StartFacts): boolean {
  return process.apiAccess === false && (call === 'webhook' || process.owned);
}

function isOutOfReach(facts: StartFacts): boolean {
  return facts.process.environmentID !== null && isRefused(facts, 'INVALID_ENVIRONMENT');
}

/** No agent takes the run: with `online` agents are connected, but none has the abilities that the flow needs. */
function isWithoutAgent(facts: StartFacts, { online }: { online: boolean }): boolean {
  return isRefused(facts, 'AGENT_OFFLINE') && facts.check?.environment?.online === online;
}
