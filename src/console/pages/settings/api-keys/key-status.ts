/** Whether a key opens anything: the API calls one that has expired active. */
export const isLive = ({ status, expiresAt }: { status: string; expiresAt: string }, now: number): boolean =>
  status === 'active' && Date.parse(expiresAt) > now
