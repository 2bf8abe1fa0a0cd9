import { largeAnswerDecorator } from '@batuta/http';
import { callerOf } from './caller';

/** Marks a route with a large answer, which takes room in the memory of the caller's company. */
export const LargeAnswer = largeAnswerDecorator((context) => {
  const { companyID, accountID } = callerOf(context);
  return companyID ?? accountID;
});
