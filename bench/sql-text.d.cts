export function withoutValues(sql: string): string;
