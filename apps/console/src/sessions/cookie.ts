import type { CookieOptions } from 'express';
import { isLoopback } from '../http/loopback';

export const SESSION_COOKIE = 'batuta_session';

/** The session token among the cookies of a request. */
export function cookieToken(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return undefined;
}

/**
 * The cookie is Secure unless the address is loopback over plain http, for which browsers do not send Secure cookies.
 */
export function cookieOptions({ secure, hostname }: { secure: boolean; hostname: string }): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', secure: secure || !isLoopback(hostname), path: '/manage' };
}
