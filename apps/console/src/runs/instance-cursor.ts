/** When an instance was accepted, in milliseconds, and its id. An earlier release gave the id alone. */
export const INSTANCE_CURSOR = /^(?:(\d{1,14})\.)?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

/** The cursor behind an instance, as text. It has the time too, because retention may delete the instance before the next page is read. */
export function formatInstanceCursor(instanceID: string, acceptedAt: string | undefined): string {
  return acceptedAt === undefined ? instanceID : `${Date.parse(acceptedAt)}.${instanceID}`;
}

export function readInstanceCursor(text: string): { before?: string; beforeTime?: string } {
  const [, milliseconds, id] = INSTANCE_CURSOR.exec(text) ?? [];
  const time = milliseconds === undefined ? {} : { beforeTime: new Date(Number(milliseconds)).toISOString() };
  return { before: id?.toLowerCase(), ...time };
}
