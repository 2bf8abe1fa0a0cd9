import { z } from 'zod';
import { change, id, line, whole } from '../http/fields';

export const companyInput = z.strictObject({ name: line().meta({ examples: ['Acme Ltda.'] }), planId: id() });
export type CompanyInput = z.output<typeof companyInput>;

export const companyChange = change({
  planId: id(),
  suspended: z.boolean(),
  credits: whole(0, 1_000_000_000).meta({ description: 'The new balance; the difference is booked in the ledger.' }),
});
export type CompanyChange = z.output<typeof companyChange>;

export const companyAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  planId: z.uuid(),
  suspended: z.boolean(),
  credits: z.int().optional().meta({ description: 'In the list, and where it was set.' }),
  createdAt: z.iso.datetime(),
});
export type CompanyAnswer = z.infer<typeof companyAnswer>;

export const companyList = z.object({ companies: z.array(companyAnswer) });
