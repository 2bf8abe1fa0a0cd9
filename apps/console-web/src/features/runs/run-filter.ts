import { periodOf } from '../../common/day';

/**
 * The filter of the list of runs, kept in the address of the page. `from` and `to` are the first and the last day of their acceptance, in São Paulo,
 * such as `2026-11-22`.
 */
export interface RunSearch {
  /** The id of the process. */
  process?: string;
  /** The id of the environment. */
  environment?: string;
  /** Statuses, separated by commas. */
  status?: string;
  /** Origins of starts, separated by commas. */
  origin?: string;
  from?: string;
  to?: string;
}

/** No filter: each field is there, so that it replaces the field of the same name in the address. */
export const NO_FILTER: RunSearch = {
  process: undefined,
  environment: undefined,
  status: undefined,
  origin: undefined,
  from: undefined,
  to: undefined,
};

/** The query of `GET /runs` for a filter; the day `to` is part of the period. */
export function toQuery({ process, environment, status, origin, from, to }: RunSearch) {
  return {
    process,
    environment,
    status,
    trigger: origin,
    ...periodOf({ from, to }),
  };
}

export function isFiltered(filter: RunSearch): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}
