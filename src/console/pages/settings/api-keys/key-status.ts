/** Whether a key is usable; the API also reports expired keys as active. */
export const isLive = ({ status, expiresAt }: { status: string; expiresAt: string }, now: number): boolean =>
  status === 'active' && Date.parse(expiresAt) > now
