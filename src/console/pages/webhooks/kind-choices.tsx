/** The kinds of events that a webhook is for, family by family. */
import type { EventKind } from '../../../events/kinds.ts'
import { families } from './event-kinds.ts'
import './webhooks.css'

interface KindChoicesProps {
  chosen: readonly EventKind[]
  onChoose: (kinds: EventKind[]) => void
  issues?: readonly string[]
}

export function KindChoices({ chosen, onChoose, issues = [] }: KindChoicesProps) {
  const set = (kinds: readonly EventKind[], wanted: boolean) =>
    onChoose(wanted ? [...new Set([...chosen, ...kinds])] : chosen.filter((kind) => !kinds.includes(kind)))
  return (
    <fieldset className="kinds" aria-invalid={issues.length > 0 || undefined}>
      <legend>Events</legend>
      {families.map(({ name, title, kinds }) => {
        const all = kinds.every((kind) => chosen.includes(kind))
        return (
          <div key={name} className="kinds-family">
            <label className="kinds-all">
              <input
                type="checkbox"
                checked={all}
                ref={(box) => {
                  if (box) box.indeterminate = !all && kinds.some((kind) => chosen.includes(kind))
                }}
                onChange={({ target }) => set(kinds, target.checked)}
              />
              {title}
            </label>
            {kinds.length > 1 && (
              <div className="kinds-each">
                {kinds.map((kind) => (
                  <label key={kind}>
                    <input
                      type="checkbox"
                      aria-label={kind}
                      checked={chosen.includes(kind)}
                      onChange={({ target }) => set([kind], target.checked)}
                    />
                    {kind.slice(name.length + 1)}
                  </label>
                ))}
              </div>
            )}
          </div>
        )
      })}
      {issues.length > 0 && <p className="field-issues">{issues.join(' ')}</p>}
    </fieldset>
  )
}
