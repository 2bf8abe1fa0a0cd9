import type { CookieOptions } from 'express';

export const SESSION_COOKIE = 'batuta_session';

/** The session token among the cookies of a request. */
export function cookieToken(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return undefined;
}

/** Browsers send no Secure cookie over plain http, which only a loopback address is served with. */
export function cookieOptions({ secure, hostname }: { secure: boolean; hostname: string }): CookieOptions {
  const isLoopback = ['localhost', '127.0.0.1', '::1', '[::1]'].includes(hostname);
  return { httpOnly: true, sameSite: 'strict', secure: secure || !isLoopback, path: '/manage' };
}
