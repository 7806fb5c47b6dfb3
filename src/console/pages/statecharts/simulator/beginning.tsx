/** The start of a simulation: a copy of the actor or a new one, the clock, and the context. */
import { useId, useState } from 'react'
import { Button } from '../../../ui/forms/button.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { objectIn, type Setup } from './address.ts'
import type { Outcome } from './use-simulation.ts'

interface BeginningProps {
  setup: Setup
  outcome: Outcome | undefined
  hasActor: boolean
  onChange: (changes: Partial<Setup>) => boolean
}

const ways = [
  { value: 'now', title: 'Current state' },
  { value: 'start', title: 'Initial state' },
] as const

export function Beginning({ setup, outcome, hasActor, onChange }: BeginningProps) {
  const clockId = useId()
  const contextId = useId()
  const given = Object.keys(setup.context).length > 0 ? JSON.stringify(setup.context, null, 2) : ''
  const [context, setContext] = useState(given)
  const [clock, setClock] = useState(setup.at ?? '')
  const [problem, setProblem] = useState<string>()

  function begin() {
    const fields = context.trim() === '' ? {} : objectIn(context)
    if (!fields) return setProblem('Enter the context as a JSON object: {"field": "value"}.')
    const at = clock.trim() === '' ? undefined : Date.parse(clock)
    if (Number.isNaN(at)) return setProblem('Enter the clock as an RFC 3339 time, such as 2026-01-31T12:00:00Z.')
    const changed = { context: fields, at: at === undefined ? undefined : new Date(at).toISOString() }
    setProblem(onChange(changed) ? undefined : 'This context is too large for an address. Remove fields.')
  }
  return (
    <div className="stack">
      {hasActor && (
        <Segments
          label="Start from"
          value={setup.isFromStart ? 'start' : 'now'}
          options={[...ways]}
          onChoose={(way) => onChange({ isFromStart: way === 'start', steps: [] })}
        />
      )}
      <label htmlFor={clockId}>Clock (leave empty for now)</label>
      <input
        id={clockId}
        value={clock}
        placeholder={outcome?.start.at}
        onChange={({ target }) => setClock(target.value)}
      />
      <label htmlFor={contextId}>Context fields, as JSON</label>
      <textarea
        id={contextId}
        className="try-text"
        rows={4}
        spellCheck={false}
        value={context}
        onChange={({ target }) => setContext(target.value)}
      />
      {problem && (
        <p className="field-issues" role="alert">
          {problem}
        </p>
      )}
      <p className="row">
        <Button small onClick={begin}>
          Start here
        </Button>
      </p>
      {outcome && <Json label="initial context" value={outcome.start.context} />}
    </div>
  )
}
