/**
 * Says how a live stream stands: that it lives, or was lost and goes on by itself. That it has ended is read out; for the
 * eye the state beside it says that already.
 */
import type { Live } from '../data/use-event-stream.ts'

const words = {
  connecting: 'Connecting',
  open: 'Live',
  resuming: 'Connection lost, resuming',
  ended: 'Complete',
  failed: 'Not live',
}

export const StreamNote = ({ live }: { live: Live }) => (
  <span className={live.state === 'ended' ? 'visually-hidden' : `stream-note stream-${live.state}`} role="status">
    <span className="badge-dot" aria-hidden="true" />
    {words[live.state]}
    {live.failure && `: ${live.failure.message}`}
  </span>
)
