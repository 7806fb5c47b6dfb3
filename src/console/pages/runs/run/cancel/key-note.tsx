/** Explains how the console cancels runs, and where its key is listed. Source: requirement 5.6. */
import { Link } from 'wouter'
import { at, organizationOf } from '../../../../places.ts'
import { usePlace } from '../../../../use-place.ts'

export const operation = 'agent-runs:cancel'

export function KeyNote() {
  const place = usePlace()
  return (
    <p className="faint">
      The API cancels runs for API keys only. With your consent the console makes one that can do nothing else, keeps it
      in this tab, and lets it expire after an hour. It is listed as <code>Console: {operation}</code> in{' '}
      <Link href={at(organizationOf(place), 'settings', 'keys')}>Settings → API keys</Link>, where you can revoke it.
      You are asked once in this session.
    </p>
  )
}
