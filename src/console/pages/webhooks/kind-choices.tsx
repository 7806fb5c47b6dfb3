/** Event types of a webhook, by family. */
import { useId, useState } from 'react'
import type { EventKind } from '../../../events/kinds/kinds.ts'
import { Shown } from '../../ui/states.tsx'
import { type EventKindShown, type Family, familiesOf, testKind, useEventKinds } from './event-kinds.ts'
import './webhooks.css'

interface KindChoicesProps {
  chosen: readonly EventKind[]
  onChoose: (kinds: EventKind[]) => void
  issues?: readonly string[]
}

interface Choosable extends EventKindShown {
  kind: EventKind
}

const isChoosable = (shown: EventKindShown): shown is Choosable => shown.kind !== testKind

/** Whether it matches the search. */
const fits = ({ kind, description }: EventKindShown, words: string) =>
  `${kind} ${description}`.toLowerCase().includes(words.trim().toLowerCase())

export function KindChoices({ chosen, onChoose, issues = [] }: KindChoicesProps) {
  const kinds = useEventKinds()
  const [words, setWords] = useState('')
  const set = (kinds: readonly EventKind[], wanted: boolean) =>
    onChoose(wanted ? [...new Set([...chosen, ...kinds])] : chosen.filter((kind) => !kinds.includes(kind)))
  return (
    <fieldset className="kinds" aria-invalid={issues.length > 0 || undefined}>
      <legend>Events to send</legend>
      <div className="kinds-head">
        <input
          type="search"
          aria-label="Search events"
          placeholder="Search events"
          autoComplete="off"
          value={words}
          onChange={({ target }) => setWords(target.value)}
          // Enter must not submit the form
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <span className="faint" role="status">
          {chosen.length} selected
        </span>
      </div>
      <div className="kinds-list">
        <Shown resource={kinds} rows={6}>
          {(kinds) => {
            const found = familiesOf(kinds.filter(isChoosable).filter((shown) => fits(shown, words)))
            if (found.length === 0) return <p className="faint">No event matches “{words.trim()}”.</p>
            return found.map((family) => <FamilyChoices key={family.name} {...{ family, chosen, set }} />)
          }}
        </Shown>
      </div>
      {issues.length > 0 && <p className="field-issues">{issues.join(' ')}</p>}
    </fieldset>
  )
}

interface FamilyChoicesProps {
  family: Family
  chosen: readonly EventKind[]
  set: (kinds: readonly EventKind[], wanted: boolean) => void
}

function FamilyChoices({ family: { title, kinds }, chosen, set }: FamilyChoicesProps) {
  const id = useId()
  const own = kinds.filter(isChoosable).map(({ kind }) => kind)
  const count = own.filter((kind) => chosen.includes(kind)).length
  const all = count === own.length
  return (
    <div className="kinds-family">
      <label className="kinds-all">
        <input
          type="checkbox"
          checked={all}
          ref={(box) => {
            if (box) box.indeterminate = !all && count > 0
          }}
          onChange={({ target }) => set(own, target.checked)}
        />
        {title}
        <span className="kinds-count">
          {count} of {own.length}
        </span>
      </label>
      {kinds.filter(isChoosable).map(({ kind, description }) => (
        <label key={kind} className="kinds-one">
          <input
            type="checkbox"
            aria-label={kind}
            aria-describedby={`${id}-${kind}`}
            checked={chosen.includes(kind)}
            onChange={({ target }) => set([kind], target.checked)}
          />
          <span>
            <code>{kind}</code>
            <span id={`${id}-${kind}`} className="kinds-about">
              {description}
            </span>
          </span>
        </label>
      ))}
    </div>
  )
}
