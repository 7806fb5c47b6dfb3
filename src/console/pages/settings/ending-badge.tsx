/** Status badge; "expired" once the expiry has passed, which the API does not report. */
import { StateBadge } from '../../ui/badge.tsx'
import { useNow } from '../../ui/time.tsx'

export function EndingBadge({ status, expiresAt }: { status: string; expiresAt: string | null }) {
  const now = useNow()
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now
  return <StateBadge state={status === 'active' && isOver ? 'expired' : status} />
}
