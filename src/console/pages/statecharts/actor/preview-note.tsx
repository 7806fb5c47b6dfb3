/** What an event would do if it came now. */
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
        Would be refused: with this data no guard holds. It stays <StateBadge state={state} />
      </p>
    )
  }
  return (
    <p className="next-result" role="status">
      Would be taken. Then <StateBadge state={state} />
      {effects.length > 0 ? ' with ' : ' without effects.'}
      {effects.map((effect, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an effect may be asked for twice
        <span key={place} className="tag">
          {effect}
        </span>
      ))}
    </p>
  )
}
