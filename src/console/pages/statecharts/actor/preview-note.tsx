/** The outcome that an event would have now. */
import { StateBadge } from '../../../ui/badge.tsx'

export interface Preview {
  accepted: boolean
  state: string
  effects: string[]
}

export function PreviewNote({ preview: { accepted, state, effects } }: { preview: Preview }) {
  if (!accepted) {
    return (
      <p className="next-result" role="status">
        Would be refused: no guard holds for this data. The state stays <StateBadge state={state} />
      </p>
    )
  }
  return (
    <p className="next-result" role="status">
      Would be accepted. Next state: <StateBadge state={state} />
      {effects.length > 0 ? ' with ' : ' without effects.'}
      {effects.map((effect, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an effect may be requested twice
        <span key={place} className="tag">
          {effect}
        </span>
      ))}
    </p>
  )
}
