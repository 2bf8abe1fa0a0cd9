import { largeAnswerDecorator } from '@batuta/http';
import { requestOf } from '../http/request';

/** Marks a route with a large answer, which takes room in the memory of the caller's company. */
export const LargeAnswer = largeAnswerDecorator((context) => {
  const { caller } = requestOf(context);
  return caller && tenantOf(caller);
});

/** The tenant whose share of a ByteBudget a caller uses: its company. */
export function tenantOf({ companyID, accountID }: { companyID: string | null; accountID: string }): string {
  return companyID ?? accountID;
}
