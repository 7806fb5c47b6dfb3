/** State of a live stream. Its end is only announced to screen readers: the state badge beside it already shows it. */
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
